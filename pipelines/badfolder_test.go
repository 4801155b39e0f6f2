package pipelines_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/transforms/read/layout"
)

// attempt plans and runs a pipeline and returns its error.
func attempt(t *testing.T, c pipelinetest.Pipeline, run pipelinetest.Runner) error {
	t.Helper()
	job, err := c.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
	if err == nil {
		_, err = run(t.Context(), job)
	}
	return err
}

// says checks that an error is one that a user can act on: it names the thing,
// and no panic is behind it.
func says(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", want)
		return
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q in it", err, text)
		}
	}
	if strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("a panic: %v", err)
	}
}

func pages(t *testing.T, root string, args ...string) corpus.Config {
	t.Helper()
	return pipelinetest.Parse[corpus.Config](t, append([]string{"--input", root}, args...)...)
}

// TestBadFolders gives corpus folders that it cannot read as they are: one clear
// error, and no dataset that lacks what was asked for.
func TestBadFolders(t *testing.T) {
	link := func(to, name string) func(*testing.T, string) {
		return func(t *testing.T, root string) {
			if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name   string
		make   func(t *testing.T, root string)
		beside bool // a good page is beside it
		want   []string
	}{
		{"empty", func(*testing.T, string) {}, false, []string{"does not exist or holds no file"}},
		{"absent", func(t *testing.T, root string) {
			if err := os.Remove(root); err != nil {
				t.Fatal(err)
			}
		}, false, []string{"does not exist or holds no file"}},
		{"no pages", func(t *testing.T, root string) { pipelinetest.File(t, root, "a b.pdf", "%PDF") }, false,
			[]string{"holds no file to read", "a b.pdf", "--format"}},
		{"hidden pages", func(t *testing.T, root string) { pipelinetest.File(t, root, ".git/a.html", good) }, false,
			[]string{"holds no file to read", ".git/a.html"}},
		{"unreadable file", func(t *testing.T, root string) {
			if os.Getuid() == 0 {
				t.Skip("skipped: root reads every file")
			}
			pipelinetest.File(t, root, "secret 1%.html", good)
			if err := os.Chmod(filepath.Join(root, "secret 1%.html"), 0); err != nil {
				t.Fatal(err)
			}
		}, true, []string{"secret 1%.html", "permission denied"}},
		{"unreadable folder", func(t *testing.T, root string) {
			if os.Getuid() == 0 {
				t.Skip("skipped: root reads every folder")
			}
			pipelinetest.File(t, root, "secret/a.html", good)
			secret := filepath.Join(root, "secret")
			if err := os.Chmod(secret, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(secret, 0o777) }) // so that it can be removed
		}, true, []string{"secret", "permission denied"}},
		{"dangling link", link("gone/away.html", "moved page.html"), false,
			[]string{"holds no file to read", "the only file is left out, moved page.html: a link that leads nowhere"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "pages")
			if err := os.Mkdir(root, 0o777); err != nil {
				t.Fatal(err)
			}
			test.make(t, root)
			if test.beside {
				pipelinetest.File(t, root, "good.html", good)
			}
			says(t, attempt(t, pages(t, root), pipelinetest.Plain(1)), append(test.want, root)...)
		})
	}
}

// Links to files are pages like others; links to folders are not followed, so
// that a listing ends, and take nothing away.
func TestLinks(t *testing.T) {
	root := t.TempDir()
	pipelinetest.File(t, root, "a/page.html", good)
	for name, to := range map[string]string{"b.html": "a/page.html", "a/up": "..", "folder.html": "a"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	location, m := pipelinetest.Run(t, pages(t, root), pipelinetest.Settings(1), pipelinetest.Plain(1))
	if diff := cmp.Diff(map[string]string{"a/page.html": kept, "b.html": kept}, outcomes(t, location)); diff != "" {
		t.Error(diff)
	}
	balance(t, m, 2)
}

// What is left out, or cannot be told apart, is said before the work begins.
func TestNotes(t *testing.T) {
	link := func(to, name string) func(*testing.T, string) {
		return func(t *testing.T, root string) {
			if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name string
		args []string
		make func(t *testing.T, root string)
		want []string
	}{
		{"nothing", []string{"--layout", "{language}/{page}.html"}, func(*testing.T, string) {}, nil},
		{"dangling link", nil, link("gone/away.html", "moved page.html"),
			[]string{"1 of 2 files is left out, moved page.html: a link that leads nowhere"}},
		{"link to itself", nil, link("round.html", "round.html"),
			[]string{"1 of 2 files is left out, round.html: a link that leads nowhere"}},
		{"name that is not a text", nil, func(t *testing.T, root string) { pipelinetest.File(t, root, "caf\xe9.html", good) },
			[]string{`1 of 2 files is left out, "caf\xe9.html": the name is not UTF-8; rename the file`}},
		{"link to a folder", nil, link("en", "english"), []string{"1 of 2 files is left out, english: ", "not followed"}},
		{"no language", []string{"--layout", "{language}/{page}.html"}, func(t *testing.T, root string) {
			pipelinetest.File(t, root, "site/p1/index.de.html", good)
			pipelinetest.File(t, root, "site/p1/index.fr.html", good)
		}, []string{"2 of 3 files have no known language", "site/p1/index.de.html", "code like"}},
		{"other layout", []string{"--layout", "{language}/{page}.html"},
			func(t *testing.T, root string) { pipelinetest.File(t, root, "b.html", good) },
			[]string{"1 of 2 files is left out, b.html: ", "names that match the layout"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			pipelinetest.File(t, root, "en/a.html", good)
			test.make(t, root)
			job, err := pages(t, root, test.args...).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
			if err != nil {
				t.Fatal(err)
			}
			if len(job.Notes) != min(1, len(test.want)) {
				t.Fatalf("notes: %q", job.Notes)
			}
			for _, want := range test.want {
				if !strings.Contains(job.Notes[0], want) {
					t.Errorf("%q does not say %q", job.Notes[0], want)
				}
			}
		})
	}
}

// A layout matches a compressed page by the name that it has without ".gz".
func TestLayoutOfCompressedPages(t *testing.T) {
	root := t.TempDir()
	pipelinetest.File(t, root, "a/index.en.html", good)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := io.WriteString(w, good); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pipelinetest.File(t, root, "a/index.de.html.gz", zipped.String())
	layout, err := layout.Parse("{page}/index.{language}.html")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/index.en.html": "en a true", "a/index.de.html.gz": "de a true",
		"a/index.de.gz": " a/index.de.gz false"} {
		language, page, ok := layout.Read(name)
		if got := fmt.Sprint(language, " ", page, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	location, _ := pipelinetest.Run(t, pages(t, root, "--layout", "{page}/index.{language}.html"), pipelinetest.Settings(1),
		pipelinetest.Plain(1))
	if diff := cmp.Diff(map[string]string{"a/index.en.html": kept, "a/index.de.html.gz": kept}, outcomes(t, location)); diff != "" {
		t.Error(diff)
	}
}

// Pages that change between plan and work are an error that names the file: the
// plan tells of what was read.
func TestChangedPages(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"no such file": os.Remove,
		"--overwrite":  func(file string) error { return os.WriteFile(file, []byte(good+"more"), 0o666) },
	} {
		root := t.TempDir()
		pipelinetest.File(t, root, "a.html", good)
		pipelinetest.File(t, root, "b 100%.html", good)
		job, err := pages(t, root).Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(root, "b 100%.html")); err != nil {
			t.Fatal(err)
		}
		_, err = pipelinetest.Plain(1)(t.Context(), job)
		says(t, err, "b 100%.html", name, "unit 1")
	}
}
