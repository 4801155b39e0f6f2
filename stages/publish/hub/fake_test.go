package hub

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeToken is the token that a fake takes.
const fakeToken = "hf_abcdefgh"

// fake is a Hub with one repository. Contents of more than a kilobyte are large, and those of more than two parts go up in parts.
type fake struct {
	*httptest.Server
	large *httptest.Server // where large contents go
	t     testing.TB
	mu    sync.Mutex
	// answer, if it is not nil, answers a request in the place of the fake, and says so.
	answer func(w http.ResponseWriter, r *http.Request, count int) bool
	seen   map[string]int // requests by method and path

	created bool
	files   map[string]string // contents
	blobs   map[string][]byte // that have arrived, by their hashes
	parts   map[string][]byte
	commits []string // messages
	stored  []string // hashes of contents, in the order in which they arrived
}

const (
	small    = 1 << 10
	partSize = 3 << 10
)

func newFake(t testing.TB) *fake {
	f := &fake{t: t, seen: map[string]int{}, files: map[string]string{}, blobs: map[string][]byte{}, parts: map[string][]byte{}}
	f.Server, f.large = httptest.NewServer(http.HandlerFunc(f.serve)), httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	t.Cleanup(f.large.Close)
	return f
}

func (f *fake) head() string { return fmt.Sprintf("%040x", len(f.commits)) }

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	key := r.Method + " " + r.URL.RequestURI()
	f.seen[key]++
	if f.answer != nil && f.answer(w, r, f.seen[key]) {
		return
	}
	path := r.URL.Path
	if strings.HasPrefix(path, "/store/") {
		if r.Header.Get("Authorization") != "" {
			f.t.Errorf("%s: the store has got the token", key)
		}
		f.store(w, path, body)
		return
	}
	signed := strings.HasPrefix(path, "/complete/") // huggingface_hub sends no token there
	if !signed && r.Header.Get("Authorization") != "Bearer "+fakeToken {
		http.Error(w, `{"error":"Invalid credentials in Authorization header"}`, http.StatusUnauthorized)
		return
	}
	answer := func(value any) {
		if err := json.NewEncoder(w).Encode(value); err != nil {
			f.t.Log(err)
		}
	}
	object := map[string]any{}
	if !strings.Contains(path, "/commit/") && len(body) > 0 {
		if err := json.Unmarshal(body, &object); err != nil {
			f.t.Errorf("%s: %v", key, err)
		}
	}
	switch {
	case path == "/api/validate-yaml":
		answer(map[string]any{"errors": []any{}, "warnings": []any{}})
	case path == "/api/repos/create":
		if object["organization"] != "owner" || object["name"] != "name" || object["type"] != "dataset" {
			f.t.Errorf("%s: %v", key, object)
		}
		if f.created {
			http.Error(w, fmt.Sprintf(`{"error":"You already created this dataset repo","url":"%s/datasets/owner/name"}`, f.URL), http.StatusConflict)
			return
		}
		f.created = true
		f.commits, f.files[".gitattributes"] = []string{"initial commit"}, "*.bin"
		answer(map[string]any{"url": f.URL + "/datasets/owner/name"})
	case !f.created:
		http.Error(w, `{"error":"Repository not found"}`, http.StatusNotFound)
	case path == "/api/datasets/owner/name", path == "/api/datasets/owner/name/revision/main":
		answer(map[string]any{"id": "owner/name", "sha": f.head(), "private": false})
	case path == "/api/datasets/owner/name/tree/main":
		f.tree(w, r, answer)
	case path == "/api/datasets/owner/name/preupload/main":
		f.preupload(object, answer)
	case path == "/datasets/owner/name.git/info/lfs/objects/batch":
		f.batch(object, answer)
	case strings.HasPrefix(path, "/complete/"):
		var joined []byte
		for _, p := range object["parts"].([]any) {
			part := p.(map[string]any)
			joined = append(joined, f.parts[fmt.Sprintf("%v/%v", object["oid"], part["partNumber"])]...)
		}
		f.keep(w, object["oid"].(string), joined)
	case strings.HasPrefix(path, "/verify/"):
		if f.blobs[object["oid"].(string)] == nil {
			http.Error(w, "it is not there", http.StatusNotFound)
		}
	case path == "/api/datasets/owner/name/commit/main":
		f.commit(w, body, answer)
	default:
		http.Error(w, "what is that", http.StatusNotImplemented)
	}
}

// tree answers three files at a time.
func (f *fake) tree(w http.ResponseWriter, r *http.Request, answer func(any)) {
	names := slices.Sorted(maps.Keys(f.files))
	if after := r.URL.Query().Get("cursor"); after != "" {
		names = names[slices.Index(names, after)+1:]
	}
	list := []map[string]any{{"type": "directory", "path": "data"}}
	for _, name := range names[:min(3, len(names))] {
		list = append(list, map[string]any{"type": "file", "path": name})
	}
	if len(names) > 3 {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?recursive=true&cursor=%s>; rel="next"`, f.URL, r.URL.Path, names[2]))
	}
	answer(list)
}

func (f *fake) preupload(object map[string]any, answer func(any)) {
	var list []map[string]any
	for _, v := range object["files"].([]any) {
		file := v.(map[string]any)
		entry := map[string]any{"path": file["path"], "uploadMode": "regular", "shouldIgnore": false}
		large := file["size"].(float64) > small
		if large {
			entry["uploadMode"] = "lfs"
		}
		if content, ok := f.files[file["path"].(string)]; ok {
			entry["oid"] = fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(content), content))))
			if large {
				entry["oid"] = fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
			}
		}
		list = append(list, entry)
	}
	answer(map[string]any{"files": list})
}

func (f *fake) batch(object map[string]any, answer func(any)) {
	var list []map[string]any
	for _, v := range object["objects"].([]any) {
		o := v.(map[string]any)
		id, size := o["oid"].(string), int64(o["size"].(float64))
		entry := map[string]any{"oid": id, "size": size}
		if f.blobs[id] == nil {
			upload := map[string]any{"href": f.large.URL + "/store/" + id + "?signature=secret"}
			if size > 2*partSize {
				header := map[string]any{"chunk_size": fmt.Sprint(partSize)}
				for n := int64(0); n*partSize < size; n++ {
					header[fmt.Sprintf("%05d", n+1)] = fmt.Sprintf("%s/store/%s/%d", f.large.URL, id, n+1)
				}
				upload = map[string]any{"href": f.URL + "/complete/" + id, "header": header}
			}
			entry["actions"] = map[string]any{"upload": upload, "verify": map[string]any{"href": f.URL + "/verify/" + id}}
		}
		list = append(list, entry)
	}
	answer(map[string]any{"objects": list})
}

func (f *fake) store(w http.ResponseWriter, path string, body []byte) {
	id := strings.TrimPrefix(path, "/store/")
	if _, _, part := strings.Cut(id, "/"); part {
		f.parts[id] = body
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha1.Sum(body)))
		return
	}
	f.keep(w, id, body)
}

// keep takes a content, if it has the hash that it was announced by.
func (f *fake) keep(w http.ResponseWriter, id string, content []byte) {
	if fmt.Sprintf("%x", sha256.Sum256(content)) != id {
		http.Error(w, "another hash", http.StatusBadRequest)
		return
	}
	f.blobs[id], f.stored = content, append(f.stored, id)
	fmt.Fprint(w, "{}")
}

func (f *fake) commit(w http.ResponseWriter, body []byte, answer func(any)) {
	files := maps.Clone(f.files)
	message := ""
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Key   string
			Value struct {
				Summary, ParentCommit, Path, Content, OID string
				Encoding                                  string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			f.t.Error(err)
		}
		v := line.Value
		switch line.Key {
		case "header":
			if v.ParentCommit != "" && v.ParentCommit != f.head() {
				http.Error(w, `{"error":"A commit has happened since"}`, http.StatusPreconditionFailed)
				return
			}
			message = v.Summary
		case "file":
			content, err := base64.StdEncoding.DecodeString(v.Content)
			if err != nil || v.Encoding != "base64" {
				f.t.Error(err, v.Encoding)
			}
			files[v.Path] = string(content)
		case "lfsFile":
			content, ok := f.blobs[v.OID]
			if !ok {
				http.Error(w, `{"error":"the large file is not there"}`, http.StatusBadRequest)
				return
			}
			files[v.Path] = string(content)
		case "deletedFile":
			delete(files, v.Path)
		default:
			f.t.Errorf("line %q of a commit", line.Key)
		}
	}
	f.files, f.commits = files, append(f.commits, message)
	answer(map[string]any{"commitOid": f.head(), "commitUrl": f.URL + "/datasets/owner/name/commit/" + f.head()})
}
