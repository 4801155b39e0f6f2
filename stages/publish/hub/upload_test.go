package hub

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/transforms/engines"
)

// contents are small and large ones, of several parts and of none, two of them equal.
var contents = map[string]string{
	"README.md":               "---\nlicense: mit\n---\n# A card\n",
	"empty.txt":               "",
	"data/part-00000.parquet": strings.Repeat("a", small+1),
	"data/part-00001.parquet": strings.Repeat("bcd", 3*partSize+17),
	"data/part-00002.parquet": strings.Repeat("a", small+1),
	"nested/é ü.json":         "{}",
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func filesOf(contents map[string]string) (files []File) {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		text := contents[name]
		files = append(files, File{Name: name, Size: int64(len(text)), Open: func(context.Context) (storage.Object, error) {
			return memory{bytes.NewReader([]byte(text))}, nil
		}})
	}
	return files
}

// token is a secret as users give it.
func token(t testing.TB, text string) engines.Secret {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := engines.ReadSecret("", name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stale(name string) bool { return strings.HasPrefix(name, "data/") }

func upload(ctx context.Context, t testing.TB, f *fake, contents map[string]string) (Commit, error) {
	t.Helper()
	r := &Repository{Kind: Dataset, Name: "owner/name", Revision: "main"}
	if err := r.Open(f.URL, token(t, fakeToken), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	return r.Upload(ctx, filesOf(contents), "a message", stale, func(File) {})
}

// check compares the repository with the contents, after so many commits beside the first one.
func (f *fake) check(contents map[string]string, commits int) {
	f.t.Helper()
	want := maps.Clone(contents)
	want[".gitattributes"] = "*.bin"
	if !maps.Equal(f.files, want) {
		f.t.Errorf("the repository has %q, want %q", slices.Sorted(maps.Keys(f.files)), slices.Sorted(maps.Keys(want)))
	}
	if len(f.commits) != commits+1 {
		f.t.Errorf("commits %q, want %d and the first one", f.commits, commits)
	}
}

// once says that no content has arrived twice.
func (f *fake) once() {
	f.t.Helper()
	if sorted := slices.Sorted(slices.Values(f.stored)); len(slices.Compact(sorted)) != len(f.stored) {
		f.t.Errorf("a content has arrived twice: %q", f.stored)
	}
}

// The second upload sends nothing, and the third one what has changed; files that would be read as rows go.
func TestUpload(t *testing.T) {
	f := newFake(t)
	c, err := upload(t.Context(), t, f, contents)
	if err != nil || c.Uploaded != len(contents) || c.ID == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	f.check(contents, 1)
	f.once()
	if c, err = upload(t.Context(), t, f, contents); err != nil || c != (Commit{Unchanged: len(contents)}) {
		t.Errorf("again: %+v, %v", c, err)
	}
	f.check(contents, 1)
	changed := maps.Clone(contents)
	changed["README.md"] += "more\n"
	delete(changed, "data/part-00002.parquet")
	delete(changed, "empty.txt") // nobody takes it for a part of the dataset
	if c, err = upload(t.Context(), t, f, changed); err != nil || c.Uploaded != 1 || c.Deleted != 1 {
		t.Errorf("changed: %+v, %v", c, err)
	}
	changed["empty.txt"] = ""
	f.check(changed, 2)
}

// Each request fails once: before it is served, after it, or by a cut connection. One whole commit comes of it.
func TestUploadThroughFaults(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"busy":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"throttled": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"cut": func(w http.ResponseWriter) {
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.answer = func(w http.ResponseWriter, _ *http.Request, count int) bool {
				if count == 1 {
					fail(w)
				}
				return count == 1
			}
			if _, err := upload(t.Context(), t, f, contents); err != nil {
				t.Fatal(err)
			}
			f.check(contents, 1)
		})
	}
	t.Run("lost answers", func(t *testing.T) {
		f := newFake(t)
		inner := f.Config.Handler
		lost := map[string]bool{}
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Method + r.URL.Path
			f.mu.Lock()
			first := !lost[key]
			lost[key] = true
			f.mu.Unlock()
			if first {
				inner.ServeHTTP(&nothing{http.Header{}}, r)
				panic(http.ErrAbortHandler)
			}
			inner.ServeHTTP(w, r)
		})
		if _, err := upload(t.Context(), t, f, contents); err != nil {
			t.Fatal(err)
		}
		f.check(contents, 1)
	})
}

// nothing drops an answer.
type nothing struct{ header http.Header }

func (n *nothing) Header() http.Header         { return n.header }
func (n *nothing) Write(b []byte) (int, error) { return len(b), nil }
func (n *nothing) WriteHeader(int)             {}

// An upload ends at each of its requests in turn, and is begun again: what has arrived is not sent twice, and one commit has all.
func TestUploadKilled(t *testing.T) {
	f := newFake(t)
	for kills := 0; ; kills++ {
		ctx, cancel := context.WithCancel(t.Context())
		requests := 0
		f.answer = func(http.ResponseWriter, *http.Request, int) bool {
			requests++
			if requests > kills {
				cancel()
			}
			return requests > kills+1
		}
		_, err := upload(ctx, t, f, contents)
		cancel()
		if err == nil {
			break
		}
		if kills > 100 {
			t.Fatal(err)
		}
	}
	f.check(contents, 1)
	f.once()
}

// What a service does wrong, or does not allow, is one error that names it.
func TestRefusals(t *testing.T) {
	answer := func(path, text string, status int) func(w http.ResponseWriter, r *http.Request, _ int) bool {
		return func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.Contains(r.URL.Path, path) {
				return false
			}
			w.WriteHeader(status)
			fmt.Fprint(w, text)
			return true
		}
	}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, _ int) bool
		want   string
	}{
		"no right to create": {
			answer("create", `{"error":"You don't have the rights"}`, 403),
			"allowed to write into repositories of owner",
		},
		"a page":    {answer("revision", "<html>", 200), "not the JSON that was expected"},
		"no branch": {answer("revision", "", 404), "no branch main"},
		"ignored": {
			answer("preupload", `{"files":[{"path":"README.md","uploadMode":"regular","shouldIgnore":true}]}`, 200),
			"README.md: the .gitignore",
		},
		"another file": {
			answer("preupload", `{"files":[{"path":"x","uploadMode":"regular"}]}`, 200),
			`a file "x" that is not one of those`,
		},
		"not all files":         {answer("preupload", `{"files":[]}`, 200), "how to upload 6 of 6 files"},
		"a batch without files": {answer("batch", `{"objects":[]}`, 200), "how to upload data/part-00000.parquet"},
		"a store by http": {
			answer("batch", redirected(`{"upload":{"href":"http://elsewhere.example/x?secret"}}`), 200),
			"elsewhere.example/x: the service names an address that is not of https",
		},
		"parts without size": {
			answer("batch", redirected(`{"upload":{"href":"https://h.example/x","header":{"chunk_size":0}}}`), 200),
			"parts of 0 bytes",
		},
		"parts without address": {
			answer("batch", redirected(`{"upload":{"href":"https://h.example/x","header":{"chunk_size":"1000"}}}`), 200),
			"no address for part 1 of 2",
		},
		"the store says no": {answer("store", "<Error>expired</Error>", 403), "expired"},
		"the commit says no": {
			answer("commit", `{"error":"bad metadata of `+fakeToken+`"}`, 400),
			"400 Bad Request: bad metadata of (secret)",
		},
		"the token is not valid": {
			answer("datasets", `{"error":"Invalid username or password."}`, 403),
			"403 Forbidden: Invalid username",
		},
		"a redirection": {answer("revision", "", 302), "302 Found"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.answer = test.answer
			if strings.HasPrefix(name, "the token") {
				f.created = true
			}
			_, err := upload(t.Context(), t, f, contents)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), fakeToken) ||
				strings.Contains(err.Error(), "?secret") {
				t.Errorf("%v, want %q", err, test.want)
			}
			if len(f.commits) > 1 {
				t.Errorf("there is a commit: %q", f.commits)
			}
		})
	}
}

// redirected is a batch that says how to upload the first large content.
func redirected(actions string) string {
	f := &entry{File: filesOf(map[string]string{"x": contents["data/part-00000.parquet"]})[0], large: true}
	id, _ := f.id(context.Background())
	return fmt.Sprintf(`{"objects":[{"oid":"%s","size":%d,"actions":%s}]}`, id, f.Size, actions)
}

func TestOpen(t *testing.T) {
	for _, test := range []struct{ address, name, want string }{
		{"https://huggingface.co", "owner/name", ""},
		{"http://127.0.0.1:80", "owner/name", ""},
		{"http://localhost:80/hub", "owner/name", ""},
		{"http://huggingface.co", "owner/name", "https alone"},
		{"huggingface.co", "owner/name", "not one such as"},
		{"https://u:p@huggingface.co", "owner/name", "not one such as"},
		{"https://huggingface.co?x=1", "owner/name", "not one such as"},
		{"https://huggingface.co", "name", "want OWNER/NAME"},
		{"https://huggingface.co", "owner/..", "want OWNER/NAME"},
		{"https://huggingface.co", "owner/a/b", "want OWNER/NAME"},
		{"https://huggingface.co", "owner/a?b", "want OWNER/NAME"},
	} {
		err := (&Repository{Kind: Model, Name: test.name, Revision: "main"}).Open(test.address, token(t, fakeToken), time.Second)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %q", test.address, test.name, err, test.want)
		}
	}
}

// huggingface_hub leaves the same repository behind at the same fake, and finds nothing to do after us.
func TestAsHuggingFaceHub(t *testing.T) {
	python := peertest.Python(t, "huggingface_hub")
	for name, value := range map[string]string{"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HOME": t.TempDir()} {
		t.Setenv(name, value)
	}
	folder := storagetest.WriteFiles(t, t.TempDir(), contents)
	theirs := func(f *fake) {
		script := "import sys, huggingface_hub as h\n" +
			"a = h.HfApi(endpoint=sys.argv[1], token=sys.argv[2])\n" +
			"a.create_repo('owner/name', repo_type='dataset', exist_ok=True)\n" +
			"a.upload_folder(repo_id='owner/name', folder_path=sys.argv[3], repo_type='dataset', commit_message='a message')\n"
		peertest.Output(t, nil, python, "-c", script, f.URL, fakeToken, folder)
	}
	f := newFake(t)
	theirs(f)
	f.check(contents, 1)
	if c, err := upload(t.Context(), t, f, contents); err != nil || c.Unchanged != len(contents) {
		t.Errorf("after huggingface_hub: %+v, %v", c, err)
	}
	f = newFake(t)
	if _, err := upload(t.Context(), t, f, contents); err != nil {
		t.Fatal(err)
	}
	theirs(f)
	f.check(contents, 1)
}
