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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/schemas/storage/storagetest"
)

// newFolder is one that no other test has.
func newFolder(t testing.TB) storage.Folder {
	t.Helper()
	f, err := storage.Locate(gcstest.Start(t).Folder())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAcceptance(t *testing.T) {
	storagetest.Acceptance(t, func(t *testing.T) storage.Folder { return newFolder(t) })
}

// The whole of the acceptance test, with a service that fails every third request
// before or after it has done what it was asked.
func TestAcceptanceUnderFailures(t *testing.T) {
	gcstest.Start(t).Unlucky(t, 1, 6)
	storagetest.Acceptance(t, func(t *testing.T) storage.Folder { return gcs.Impatient(newFolder(t), time.Minute) })
}

func TestLocations(t *testing.T) {
	gcs.Register()
	for location, want := range map[string]string{
		"gs://b": "gs://b", "gs://b/": "gs://b", "gs://b/x/y": "gs://b/x/y", "gs://b/x/y/": "gs://b/x/y",
		"gs://a_b-c.d/ü b": "gs://a_b-c.d/ü b",
	} {
		if f, err := storage.Locate(location); err != nil || f.String() != want {
			t.Errorf("%s: %v, %v, want %s", location, f, err, want)
		}
	}
	// What is wrong is one line that says what is right.
	for location, want := range map[string]string{
		"gs://": "gs://BUCKET/FOLDER", "gs:///x": "gs://BUCKET/FOLDER", "gs://My Bucket/x": "gs://BUCKET/FOLDER",
		"gs://B/x":    "lower-case letters",
		"gs://b/../x": "give gs://b/x", "gs://b//x": "give gs://b/x", "gs://b/./x": "give gs://b/x", "gs://b/x//": "give gs://b/x",
		"gs://b/x/../y": "give gs://b/y",
		"gs:/b/x":       "give gs://b/x", "gs:b/x": "give gs://b/x",
		"https://storage.googleapis.com/b/x": "give gs://b/x", "https://storage.cloud.google.com/b/x": "give gs://b/x",
		"https://console.cloud.google.com/storage/browser/b/x": "give gs://b/x",
		"https://example.org/x":                                `scheme "https" is not supported, give the path of a local folder, or a location with gs://`,
		"s3://b/x":                                             `scheme "s3"`, "GS://b/x": `scheme "GS"`,
	} {
		_, err := storage.Locate(location)
		if err == nil || !strings.Contains(err.Error(), location) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", location, err, want)
		}
	}
	for location, want := range map[string]string{"gs://b": "gs://BUCKET/FILE", "gs://b/": "gs://BUCKET/FILE", "gs:/b/x": "give gs://b/x"} {
		if _, err := storage.OpenFile(t.Context(), location); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the file %s: %v, want %s", location, err, want)
		}
		if location != "gs:/b/x" {
			continue
		}
		if _, err := storage.Absolute(location); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the absolute %s: %v", location, err)
		}
	}
}

// What is larger than a chunk is whole, and reading it through is one request a
// file beside that for its size.
func TestLargeObjects(t *testing.T) {
	f := newFolder(t)
	content := make([]byte, 3<<22+12345)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(content) // it never fails
	if err := storage.WriteFile(t.Context(), f, "large", content, storage.IfAbsent); err != nil {
		t.Fatal(err)
	}
	fake := gcstest.Start(t)
	before := fake.Requests.Load()
	o, err := f.Open(t.Context(), "large")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var got bytes.Buffer
	if _, err := io.CopyBuffer(&got, io.NewSectionReader(o, 0, o.Size()), make([]byte, 1<<16)); err != nil ||
		!bytes.Equal(got.Bytes(), content) {
		t.Fatalf("%d of %d bytes came back, %v", got.Len(), len(content), err)
	}
	if asked := fake.Requests.Load() - before; asked > 3 {
		t.Errorf("%d requests to read a file through", asked)
	}
	var group sync.WaitGroup
	for i := range 8 { // all over the file, at once
		group.Go(func() {
			p := make([]byte, 1000)
			for k := range 20 {
				offset := int64((i*7919 + k*104729) * 31 % (len(content) - len(p)))
				if n, err := o.ReadAt(p, offset); err != nil || !bytes.Equal(p[:n], content[offset:offset+1000]) {
					t.Errorf("at %d: %d bytes, %v", offset, n, err)
				}
			}
		})
	}
	group.Wait()
}

// An object that is replaced while it is read gives what it held when it was opened,
// or an error, never a mixture.
func TestReadsAreOfOneGeneration(t *testing.T) {
	f := newFolder(t)
	write := func(content string) {
		t.Helper()
		if err := storage.WriteFile(t.Context(), f, "x", []byte(content), storage.Replace); err != nil {
			t.Fatal(err)
		}
	}
	write("the old text")
	o, err := f.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	write("a new one, longer")
	p := make([]byte, 12)
	if n, err := o.ReadAt(p, 0); err == nil && string(p[:n]) != "the old text" {
		t.Errorf("read %q", p[:n])
	}
}

// A writer whose context ends, or that is aborted in the midst of an upload, leaves
// nothing: neither a whole object nor a part of one.
func TestNothingIsTruncated(t *testing.T) {
	for name, stop := range map[string]func(cancel context.CancelFunc, w storage.Writer){
		"cancelled": func(cancel context.CancelFunc, w storage.Writer) {
			cancel()
			if err := w.Commit(); !errors.Is(err, context.Canceled) {
				t.Errorf("Commit after the context ended: %v", err)
			}
		},
		"aborted": func(_ context.CancelFunc, w storage.Writer) { w.Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w, err := f.Create(ctx, "x", storage.Replace)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(make([]byte, 2<<22+1)); err != nil {
				t.Fatal(err)
			}
			stop(cancel, w)
			if _, err := f.Stat(t.Context(), "x"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	f, fake := newFolder(t), gcstest.Start(t)
	answer := func(code int, message string) {
		fake.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"error": {"code": %d, "message": %q}}`, code, message)
			return true
		})
	}
	has := func(err error, is error, parts ...string) {
		t.Helper()
		if err == nil || is != nil && !errors.Is(err, is) {
			t.Errorf("%v is not %v", err, is)
			return
		}
		for _, part := range append(parts, f.String()) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
	answer(http.StatusForbidden, "bob does not have storage.objects.create access\nand a second line")
	has(storage.WriteFile(t.Context(), f, "x", nil, storage.Replace), fs.ErrPermission, "bob does not", "roles/storage.objectUser")
	_, err := f.Stat(t.Context(), "x")
	has(err, fs.ErrPermission, "/x")
	for _, err := range f.List(t.Context(), "") {
		has(err, fs.ErrPermission)
	}
	fake.Answer(t, func(http.ResponseWriter, *http.Request) bool { return false })

	f, err = storage.Locate("gs://no-such-bucket/data")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.List(t.Context(), "") {
		has(err, fs.ErrNotExist, "no-such-bucket does not exist")
	}
	has(storage.WriteFile(t.Context(), f, "x", nil, storage.IfAbsent), nil, "no-such-bucket does not exist")
}

// A listing goes on over pages, in the order of the names.
func TestLongListing(t *testing.T) {
	f, fake := newFolder(t), gcstest.Start(t).Fake
	bucket, prefix := gcstest.Split(f.String())
	const n = 250
	for i := range n {
		fake.CreateObject(fakestorage.Object{
			ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: fmt.Sprintf("%s%04d", prefix, i)}, Content: []byte("x")})
	}
	for _, name := range []string{"folder/", "a//b"} { // a browser's folder, and a name that has no place
		fake.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: prefix + name}})
	}
	i, bad := 0, 0
	for info, err := range f.List(t.Context(), "") {
		switch {
		case err != nil && info.Name == "a//b":
			bad++
		case err != nil || info.Name != fmt.Sprintf("%04d", i) || info.Size != 1:
			t.Fatalf("%d: %+v, %v", i, info, err)
		default:
			i++
		}
	}
	if i != n || bad != 1 {
		t.Errorf("%d of %d objects and %d bad names listed", i, n, bad)
	}
}
