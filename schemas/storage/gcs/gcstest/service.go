// Package gcstest runs Google Cloud Storage within the process of a test.
package gcstest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"sentweave/schemas/storage/gcs"
)

// Service is the service. All tests of a process share one, since the client does.
type Service struct {
	// Fake is behind it.
	Fake *fakestorage.Server
	// Requests counts what it was asked.
	Requests atomic.Int64

	handler http.Handler
	answer  atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	lose    atomic.Pointer[func(r *http.Request) bool]
	folders atomic.Int64
}

var start = sync.OnceValues(func() (*Service, error) {
	s := &Service{}
	server := httptest.NewServer(s) // until the process ends
	host := strings.TrimPrefix(server.URL, "http://")
	fake, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: host, ExternalURL: server.URL})
	if err != nil {
		return nil, err
	}
	s.Fake, s.handler = fake, fake.HTTPHandler()
	gcs.Register()
	return s, os.Setenv("STORAGE_EMULATOR_HOST", host)
})

// Start returns the service. Its first call must come before gs:// is used.
func Start(t testing.TB) *Service {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Folder is the location of an empty folder that no other test has. Its bucket is its own,
// too, since the service behind looks each object up in a list of all that the bucket holds.
func (s *Service) Folder() string {
	bucket := fmt.Sprintf("sentences-%d", s.folders.Add(1))
	s.Fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
	return fmt.Sprintf("%s://%s/tests", gcs.Scheme, bucket)
}

// Split returns the bucket of a folder, and what the names of the folder's objects begin with.
func Split(folder string) (bucket, prefix string) {
	bucket, prefix, _ = strings.Cut(strings.TrimPrefix(folder, gcs.Scheme+"://"), "/")
	return bucket, prefix + "/"
}

// Answer has a function answer requests until the test ends; where it returns false
// the service does.
func (s *Service) Answer(t testing.TB, f func(w http.ResponseWriter, r *http.Request) bool) {
	s.answer.Store(&f)
	t.Cleanup(func() { s.answer.Store(nil) })
}

// Lose has the service do what it is asked, and fail to tell of it where the
// function returns true, until the test ends.
func (s *Service) Lose(t testing.TB, f func(r *http.Request) bool) {
	s.lose.Store(&f)
	t.Cleanup(func() { s.lose.Store(nil) })
}

// LoseWhile is Lose until restore is called.
func (s *Service) LoseWhile(t testing.TB, f func(r *http.Request) bool) (restore func()) {
	s.Lose(t, f)
	return func() { s.lose.Store(nil) }
}

// Unlucky has one in n requests fail before it is done, and one in n after, until the
// test ends.
func (s *Service) Unlucky(t testing.TB, seed uint64, n int) {
	var mutex sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1))
	unlucky := func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return random.IntN(n) == 0
	}
	s.Answer(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if !unlucky() {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	s.Lose(t, func(*http.Request) bool { return unlucky() })
}

// page is the most objects that the service lists at once; the real one lists 1,000,
// and the one behind it all.
const page = 100

// lists says whether a request lists a bucket, whose path ends with /b/BUCKET/o.
func lists(r *http.Request) bool {
	parent := path.Dir(r.URL.Path)
	return path.Base(r.URL.Path) == "o" && path.Base(path.Dir(parent)) == "b"
}

func paged(r *http.Request) *http.Request {
	query := r.URL.Query()
	if r.Method != http.MethodGet || !lists(r) || query.Has("maxResults") {
		return r
	}
	query.Set("maxResults", strconv.Itoa(page))
	r = r.Clone(r.Context())
	r.URL.RawQuery = query.Encode()
	return r
}

// deleting has a deletion with a precondition be one of that generation, which the
// service behind knows alone.
func deleting(r *http.Request) *http.Request {
	query := r.URL.Query()
	if r.Method != http.MethodDelete || !query.Has("ifGenerationMatch") {
		return r
	}
	query.Set("generation", query.Get("ifGenerationMatch"))
	r = r.Clone(r.Context())
	r.URL.RawQuery = query.Encode()
	return r
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Requests.Add(1)
	r = deleting(paged(r))
	if f := s.answer.Load(); f != nil && (*f)(w, r) {
		return
	}
	if f := s.lose.Load(); f != nil && (*f)(r) {
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.handler.ServeHTTP(w, r)
}
