package https

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sentweave/schemas/storage"
)

// content is that of all files. It is larger than the buffers of connections.
var content = func() []byte {
	data := make([]byte, 3<<20+17)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(data)
	return data
}()

// trouble answers a request in the place of the server, or returns false. N counts requests with this method, from 1 on.
type trouble func(w http.ResponseWriter, r *http.Request, n int) bool

var quick = patience{stall: time.Second, pause: time.Millisecond, longest: time.Second, tries: 4, firstTries: 2}

// serve returns a folder of a TLS server that gives content under each name, and the ranges that it was asked for.
func serve(t *testing.T, make trouble) (folder *Folder, ranges func() []string) {
	t.Helper()
	var mutex sync.Mutex
	counts, asked := map[string]int{}, []string{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		counts[r.Method]++
		n := counts[r.Method]
		if r.Method == http.MethodGet {
			asked = append(asked, r.Header.Get("Range"))
		}
		mutex.Unlock()
		if r.UserAgent() != agent || strings.HasSuffix(t.Name(), "_2") != (r.ProtoMajor == 2) {
			t.Errorf("User-Agent is %q, by HTTP %d", r.UserAgent(), r.ProtoMajor)
		}
		w.Header().Set("ETag", `"one"`)
		if make == nil || !make(w, r, n) {
			give(w, r)
		}
	}))
	server.EnableHTTP2 = strings.HasSuffix(t.Name(), "_2")
	server.StartTLS()
	t.Cleanup(server.Close)
	opened, err := open(server.URL + "/crawl data/")
	if err != nil {
		t.Fatal(err)
	}
	folder = opened.(*Folder)
	folder.client = newClient(server.Client().Transport.(*http.Transport), quick)
	return folder, func() []string { mutex.Lock(); defer mutex.Unlock(); return asked }
}

func give(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// limited stops an answer after some bytes.
type limited struct {
	http.ResponseWriter
	left int
	stop func()
}

func (l *limited) Write(p []byte) (int, error) {
	n, err := l.ResponseWriter.Write(p[:min(len(p), l.left)])
	if l.left -= n; l.left == 0 {
		_ = http.NewResponseController(l.ResponseWriter).Flush()
		l.stop()
	}
	return n, err
}

func cut() { panic(http.ErrAbortHandler) }

func withoutRanges(w http.ResponseWriter, r *http.Request) {
	r.Header.Del("Range")
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(content)
}

func readAll(ctx context.Context, f *Folder) ([]byte, error) {
	object, err := f.Open(ctx, "a/b c%.warc.gz")
	if err != nil {
		return nil, err
	}
	defer object.Close()
	var read bytes.Buffer
	_, err = io.CopyBuffer(&read, struct{ io.Reader }{io.NewSectionReader(object, 0, object.Size())}, make([]byte, 100_000))
	return read.Bytes(), err
}

func TestReadsThroughTroubles(t *testing.T) {
	get := func(r *http.Request) bool { return r.Method == http.MethodGet }
	for name, test := range map[string]struct {
		trouble  trouble
		requests int // of GET
	}{
		"none": {nil, 1},
		"cut": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if get(r) && n <= 3 {
				give(&limited{w, 900_000, cut}, r)
			}
			return get(r) && n <= 3
		}, 4},
		"stalls": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if get(r) && n == 1 {
				give(&limited{w, 500_000, func() { <-r.Context().Done(); cut() }}, r)
			}
			return get(r) && n == 1
		}, 2},
		"throttles": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n <= 3 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader([]int{429, 503, 500}[n-1])
			}
			return n <= 3
		}, 4},
		"no ranges, cut": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			switch {
			case !get(r):
				return false
			case n == 1:
				withoutRanges(&limited{w, 2_000_000, cut}, r)
			default:
				withoutRanges(w, r)
			}
			return true
		}, 2},
		"no length, cut": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			switch {
			case !get(r):
				return false
			case n == 1:
				_ = http.NewResponseController(w).Flush()
				_, _ = w.Write(content[:1000])
			default:
				_ = http.NewResponseController(w).Flush()
				_, _ = w.Write(content)
			}
			return true
		}, 2},
		"no HEAD": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !get(r) {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
			return !get(r)
		}, 2},
		"HEAD without a size": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !get(r) {
				_ = http.NewResponseController(w).Flush()
			}
			return !get(r)
		}, 2},
		"weak tag, cut": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			w.Header().Set("ETag", `W/"one"`)
			if get(r) && n == 1 {
				give(&limited{w, 900_000, cut}, r)
			}
			return get(r) && n == 1
		}, 2},
		"redirects": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path != "/mirror" {
				http.Redirect(w, r, "/mirror", http.StatusFound)
			}
			return r.URL.Path != "/mirror"
		}, 2},
	} {
		read := func(t *testing.T) {
			folder, ranges := serve(t, test.trouble)
			read, err := readAll(t.Context(), folder)
			if err != nil || !bytes.Equal(read, content) {
				t.Errorf("%d bytes of %d, equal: %v, %v", len(read), len(content), bytes.Equal(read, content), err)
			}
			if len(ranges()) != test.requests {
				t.Errorf("requests of %q, want %d", ranges(), test.requests)
			}
		}
		t.Run(name+", HTTP 1", read)
		t.Run(name+", HTTP 2", read)
	}
}

// TestResumesWithinTheFile checks that a stream that breaks goes on at the byte that was reached.
func TestResumesWithinTheFile(t *testing.T) {
	folder, ranges := serve(t, func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.Method == http.MethodGet && n == 1 {
			give(&limited{w, 1_234_567, cut}, r)
			return true
		}
		return false
	})
	if _, err := readAll(t.Context(), folder); err != nil || strings.Join(ranges(), " ") != "bytes=0- bytes=1234567-" {
		t.Errorf("asked for %q, %v", ranges(), err)
	}
}

func TestFaults(t *testing.T) {
	second := func(f func(w http.ResponseWriter, r *http.Request)) trouble { // the first answer is cut
		return func(w http.ResponseWriter, r *http.Request, n int) bool {
			switch {
			case r.Method == http.MethodHead:
				w.Header().Set("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
				return false
			case n == 1:
				give(&limited{w, 900_000, cut}, r)
			default:
				f(w, r)
			}
			return true
		}
	}
	status := func(code int, header ...string) trouble {
		return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			if header != nil {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(code)
			return true
		}
	}
	for name, test := range map[string]struct {
		trouble trouble
		target  error
		message string
	}{
		"another tag": {second(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			r.Header.Del("If-Match") // a server that does not know it
			give(w, r)
		}), errChanged, "--overwrite"},
		"If-Match fails": {second(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			give(w, r)
		}), errChanged, ""},
		"another time": {second(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Del("ETag")
			w.Header().Set("Last-Modified", "Tue, 02 Jan 2024 00:00:00 GMT")
			r.Header.Del("If-Match")
			give(w, r)
		}), errChanged, ""},
		"another size": {second(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Del("ETag")
			r.Header.Del("If-Match")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content[:2_000_000]))
		}), errChanged, ""},
		"another range": {second(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 1000000-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}), nil, "begins with byte 1000000"},
		"always cut": {func(w http.ResponseWriter, r *http.Request, _ int) bool {
			give(&limited{w, 1000, cut}, r)
			return true
		}, storage.ErrUnavailable, "after 4 tries"},
		"not found":      {status(404), fs.ErrNotExist, "b%20c%25.warc.gz"},
		"gone":           {status(410), fs.ErrNotExist, ""},
		"forbidden":      {status(403), fs.ErrPermission, "403"},
		"always busy":    {status(503), storage.ErrUnavailable, "503"},
		"asks for hours": {status(429, "Retry-After", "7200"), storage.ErrUnavailable, "2h0m0s"},
		"a page":         {status(200, "Content-Type", "text/html; charset=utf-8"), errPage, ""},
		"to plain http":  {status(302, "Location", "http://127.0.0.1:1/x"), errRedirected, "only https"},
		"in a circle":    {status(302, "Location", "/again"), errRedirected, "more than 5"},
		"no size":        {status(501), errMethod, "501"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, _ := serve(t, test.trouble)
			read, err := readAll(t.Context(), folder)
			if err == nil || test.target != nil && !errors.Is(err, test.target) || !strings.Contains(err.Error(), test.message) ||
				!strings.Contains(err.Error(), folder.address("a/")) {
				t.Errorf("%v, want %v, %q", err, test.target, test.message)
			}
			if !bytes.HasPrefix(content, read) {
				t.Error("what was read is mixed with bytes of something else")
			}
		})
	}
}

func TestReadAtEveryOffset(t *testing.T) {
	folder, _ := serve(t, nil)
	object, err := folder.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	size := int64(len(content))
	var group sync.WaitGroup
	for _, offset := range []int64{0, 100, 50, 1000, size - 100, size - 1, size, 300, 1300, 2300} {
		group.Go(func() {
			p := make([]byte, 1000)
			n, err := object.ReadAt(p, offset)
			want := min(1000, size-offset)
			if int64(n) != want || !bytes.Equal(p[:n], content[offset:offset+want]) || (want < 1000) != (err == io.EOF) ||
				err != nil && err != io.EOF {
				t.Errorf("at %d: %d bytes, %v", offset, n, err)
			}
		})
	}
	group.Wait()
}

func TestBoundsRequestsAtOnce(t *testing.T) {
	var now, most atomic.Int64
	folder, _ := serve(t, func(http.ResponseWriter, *http.Request, int) bool {
		for n := now.Add(1); n > most.Load(); {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return false
	})
	var group sync.WaitGroup
	for range 5 * atOnce {
		group.Go(func() {
			if _, err := folder.Stat(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if most.Load() > atOnce {
		t.Errorf("%d requests at once", most.Load())
	}
}

func TestEndsWithTheContext(t *testing.T) {
	cause := errors.New("interrupted")
	for name, stuck := range map[string]trouble{
		"no answer": func(_ http.ResponseWriter, r *http.Request, _ int) bool { <-r.Context().Done(); return true },
		"a pause": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		folder, _ := serve(t, stuck)
		folder.client.stall, folder.client.longest = time.Hour, 2*time.Hour
		time.AfterFunc(50*time.Millisecond, func() { end(cause) })
		if _, err := folder.Stat(ctx, "a"); !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLocations(t *testing.T) {
	Register()
	for location, want := range map[string]string{
		"https://a.org": "https://a.org", "https://a.org/": "https://a.org", "https://a.org/x y/": "https://a.org/x%20y",
		"http://127.0.0.1:8000/x": "http://127.0.0.1:8000/x", "http://localhost": "http://localhost", "http://[::1]/x": "http://[::1]/x",
	} {
		if f, err := storage.Locate(location); err != nil || f.String() != want {
			t.Errorf("%s: %v, %v", location, f, err)
		}
	}
	for location, want := range map[string]string{
		"http://a.org/x": "give https://a.org/x", "https://": "HOST", "https://u:secret@a.org/x": "a user or password",
		"https://a.org/x?key=1": "without what follows", "https://a.org/x#y": "without what follows", "https://a b/": "is no address",
		"https://storage.googleapis.com/b/x": "an address for browsers",
	} {
		_, err := storage.Locate(location)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", location, err, want)
		}
	}
	folder, _ := storage.Locate("https://a.org")
	for _, err := range folder.List(t.Context(), "") {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	}
	if err := storage.WriteFile(t.Context(), folder, "a", nil, storage.Replace); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := folder.Open(t.Context(), "../a"); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}
