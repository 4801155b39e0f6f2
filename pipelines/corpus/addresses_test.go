package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas/storage/https"
)

// webServer gives the files of a folder, each with an ETag. Before may answer in its place.
type webServer struct {
	root   string
	tag    string
	before func(w http.ResponseWriter, r *http.Request) bool
}

func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.tag != "" {
		w.Header().Set("ETag", s.tag)
	}
	if s.before == nil || !s.before(w, r) {
		http.ServeFile(w, r, filepath.Join(s.root, filepath.FromSlash(r.URL.Path)))
	}
}

// serveArchives serves a folder of four archives and a list of them.
func serveArchives(t *testing.T) (server *webServer, arguments []string) {
	t.Helper()
	https.Register()
	server = &webServer{root: t.TempDir(), tag: `"one"`}
	writeArchives(t, server.root, 4, 5)
	pipelinetest.File(t, server.root, "warc.paths.gz", members(t, "00.warc.gz\nsub/01.warc\n02.warc.gz\nsub/03.warc\n"))
	service := httptest.NewServer(server)
	t.Cleanup(service.Close)
	return server, []string{"--input", service.URL, "--paths", service.URL + "/warc.paths.gz"}
}

// What is read from an address, through a cut answer and a busy server, is what is read from a folder.
func TestAddresses(t *testing.T) {
	server, arguments := serveArchives(t)
	_, want := run(t, 1<<10, 2, "--input", server.root, "--paths", filepath.Join(server.root, "warc.paths.gz"))
	var cuts, busy atomic.Int64
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/sub/01.warc" && cuts.Add(1) == 1:
			content, err := os.ReadFile(filepath.Join(server.root, "sub/01.warc"))
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:len(content)/2])
			panic(http.ErrAbortHandler)
		case r.Method == http.MethodHead && r.URL.Path == "/02.warc.gz" && busy.Add(1) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	_, m := run(t, 1<<10, 2, arguments...)
	if m.ContentXXH3 != want.ContentXXH3 || m.Rows != want.Rows || m.Rows != 16 {
		t.Errorf("content %s of %d rows, want %s of %d", m.ContentXXH3, m.Rows, want.ContentXXH3, want.Rows)
	}
	if cuts.Load() != 2 || busy.Load() < 2 {
		t.Errorf("%d requests of the file that was cut, %d of the one that was busy", cuts.Load(), busy.Load())
	}
}

// A run that is stopped in the midst of a file goes on, and gives the bytes of one that was not.
func TestAddressesResume(t *testing.T) {
	server, arguments := serveArchives(t)
	config := pipelinetest.Parse[corpus.Config](t, arguments...)
	whole, _ := pipelinetest.Run(t, config, pipelinetest.Settings(1<<10), pipelinetest.Local(1))
	ctx, stop := context.WithCancelCause(t.Context())
	killed := errors.New("killed")
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.URL.Path == "/sub/01.warc" {
			stop(killed)
			<-r.Context().Done()
			return true
		}
		return false
	}
	output := filepath.Join(t.TempDir(), "out")
	job, err := config.Plan(t.Context(), output, pipelinetest.Settings(1<<10))
	if err == nil {
		_, err = pipelinetest.Local(1)(ctx, job)
	}
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	server.before = nil
	pipelinetest.RunTo(t, config, output, pipelinetest.Settings(1<<10), pipelinetest.Local(3))
	if diff := cmp.Diff(pipelinetest.Digests(t, whole), pipelinetest.Digests(t, output)); diff != "" {
		t.Error(diff)
	}
}

// The plan knows another version of a file by its ETag, or by the time of its change.
func TestAddressesInThePlan(t *testing.T) {
	server, arguments := serveArchives(t)
	hashOf := func() string {
		job, err := planOf(t, 1<<10, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return job.Plan.Hash
	}
	first, again := hashOf(), hashOf()
	server.tag = `"two"`
	if second := hashOf(); first != again || first == second {
		t.Errorf("plans %s and %s of one version, %s of another", first, again, second)
	}
}

// What is wrong with an address is told before work starts, and files that are not there may be left out.
func TestBadAddresses(t *testing.T) {
	server, arguments := serveArchives(t)
	answer := func(code int, path, kind string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, path) {
				return false
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			return true
		}
	}
	for name, test := range map[string]struct {
		before func(http.ResponseWriter, *http.Request) bool
		want   string
		note   string // with --unreadable=skip
	}{
		"missing": {answer(404, "/02.warc.gz", ""), `line 3: ` + arguments[1] + ` holds no file "02.warc.gz"`,
			"1 of 4 files is left out, 02.warc.gz: cannot be opened"},
		"forbidden": {answer(403, "/sub/", ""), "403 Forbidden", "2 of 4 files are left out, such as sub/01.warc"},
		"a page":    {answer(200, "/00", "text/html"), "a web page in the place of the file", "1 of 4 files is left out, 00.warc.gz"},
		"no list":   {answer(404, "/warc.paths.gz", ""), "open list of paths: read " + arguments[3], ""},
	} {
		server.before = test.before
		if _, err := planOf(t, 1<<10, arguments...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		if test.note == "" {
			continue
		}
		job, err := planOf(t, 1<<10, append(arguments, "--unreadable", "skip")...)
		if err != nil || !strings.Contains(strings.Join(job.Notes, "\n"), test.note) {
			t.Errorf("%s, skipped: %v, %v", name, job, err)
		}
	}
	server.before = func(w http.ResponseWriter, r *http.Request) bool { // HEAD finds the file
		return r.Method == http.MethodGet && answer(404, "/02.warc.gz", "")(w, r)
	}
	if job, err := planOf(t, 1<<10, append(arguments, "--unreadable", "skip")...); err != nil ||
		!strings.Contains(strings.Join(job.Notes, "\n"), "1 of 4 files is left out, 02.warc.gz") {
		t.Errorf("refused when read: %v, %v", job, err)
	}
	_, err := pipelinetest.Configure[corpus.Config]("--input", "https://a.org")
	if err == nil || !strings.Contains(err.Error(), "give --paths") {
		t.Errorf("an address without a list: %v", err)
	}
}
