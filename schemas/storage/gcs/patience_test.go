package gcs_test

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
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs"
	"sentweave/schemas/storage/gcs/gcstest"
)

// patience is what the folders of these tests have.
const patience = 400 * time.Millisecond

func impatient(t *testing.T) storage.Folder { return gcs.Impatient(newFolder(t), patience) }

// everyCall is every way in which the service is asked.
var everyCall = map[string]func(context.Context, storage.Folder) error{
	"stat": func(ctx context.Context, f storage.Folder) error { _, err := f.Stat(ctx, "x"); return err },
	"open": func(ctx context.Context, f storage.Folder) error { _, err := f.Open(ctx, "x"); return err },
	"list": func(ctx context.Context, f storage.Folder) error {
		for _, err := range f.List(ctx, "") {
			return err
		}
		return nil
	},
	"remove": func(ctx context.Context, f storage.Folder) error { return f.Remove(ctx, "x") },
	"write": func(ctx context.Context, f storage.Folder) error {
		return storage.WriteFile(ctx, f, "x", []byte("text"), storage.Replace)
	},
	"settle": func(ctx context.Context, f storage.Folder) error {
		return storage.Settle(ctx, f, storage.File{Name: "x", Data: []byte("text")}, 10, func([]byte) error { return nil })
	},
}

// A service that only fails, or never answers, is an error in the end; and so it is at
// once where the caller waits no longer.
func TestRetriesEnd(t *testing.T) {
	service := gcstest.Start(t)
	release := make(chan struct{})
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"unavailable": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		},
		"silent": func(_ http.ResponseWriter, r *http.Request) bool {
			select {
			case <-r.Context().Done():
			case <-release:
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := impatient(t)
			service.Answer(t, answer)
			for name, call := range everyCall {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if err := call(context.Background(), f); err == nil || !strings.Contains(err.Error(), f.String()) {
						t.Errorf("got %v", err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), patience/10)
					defer cancel()
					if err := call(ctx, f); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("of a caller who waits no longer: %v", err)
					}
				})
			}
		})
	}
	close(release)
}

// A write that is done and never answered is a success, under every condition.
func TestLostAnswers(t *testing.T) {
	f, service := gcs.Impatient(newFolder(t), 5*patience), gcstest.Start(t)
	version := func() string {
		t.Helper()
		info, err := f.Stat(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		return info.Version
	}
	write := func(content string, condition storage.Condition) {
		t.Helper()
		done := service.LoseWhile(t, func(r *http.Request) bool { return r.Method != http.MethodGet })
		err := storage.WriteFile(t.Context(), f, "x", []byte(content), condition)
		done()
		got, readErr := storage.ReadFile(t.Context(), f, "x", 100)
		if err != nil || readErr != nil || string(got) != content {
			t.Errorf("write of %q under %q: %v; the object holds %q, %v", content, condition, err, got, readErr)
		}
	}
	write("one", storage.IfAbsent)
	write("two", storage.Replace)
	write("three", storage.IfVersion(version()))
}

// Bodies that break off, and a stream that stops for a while, are read on.
func TestReadsGoOn(t *testing.T) {
	f, service := newFolder(t), gcstest.Start(t)
	content := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(content) // it never fails
	if err := storage.WriteFile(t.Context(), f, "x", content, storage.Replace); err != nil {
		t.Fatal(err)
	}
	var cuts atomic.Int64
	service.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/x") || cuts.Add(1)%4 == 0 {
			return false
		}
		whole := httptest.NewRecorder()
		service.Fake.HTTPHandler().ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		panic(http.ErrAbortHandler)
	})
	o, err := f.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var got bytes.Buffer
	if _, err := io.CopyBuffer(&got, io.NewSectionReader(o, 0, o.Size()), make([]byte, 1<<16)); err != nil ||
		!bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d of %d bytes, %v", got.Len(), len(content), err)
	}
	for _, at := range []int64{1, 100_000, 130_000, 3<<20 - 7} {
		p := make([]byte, 5000)
		if n, err := o.ReadAt(p, at); err != nil && err != io.EOF || !bytes.Equal(p[:n], content[at:at+int64(n)]) || n == 0 {
			t.Errorf("at %d: %d bytes, %v", at, n, err)
		}
	}
	if cuts.Load() < 5 {
		t.Errorf("only %d bodies were asked for", cuts.Load())
	}
}

// Whoever has no credentials is told how to get some.
func TestCredentials(t *testing.T) {
	folder := newFolder(t)
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "absent.json"))
	f := gcs.Impatient(folder, patience)
	for call, do := range everyCall {
		err := do(t.Context(), f)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", call, err)
			continue
		}
		for _, part := range []string{"absent.json", "gcloud auth application-default login", "SENTWEAVE_GCS_ANONYMOUS=1"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %q", call, err, part)
			}
		}
	}
}

// A bucket that may only be read can be read.
func TestReadOnlyBucket(t *testing.T) {
	f, service := newFolder(t), gcstest.Start(t)
	if err := storage.WriteFile(t.Context(), f, "x", []byte("text"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	service.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"error": {"code": 403, "message": "ann does not have storage.objects.create access"}}`)
		return true
	})
	if data, err := storage.ReadFile(t.Context(), f, "x", 10); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	for _, call := range []string{"write", "settle", "remove"} {
		err := everyCall[call](t.Context(), f)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "roles/storage.objectUser") {
			t.Errorf("%s: %v", call, err)
		}
	}
}
