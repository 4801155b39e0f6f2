package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

func all(string) bool { return true }

// begin returns a cache of its own, and a folder in a bucket with an encoder.
func begin(t *testing.T) (location string, remote storage.Folder) {
	t.Helper()
	t.Setenv(Variable, t.TempDir())
	location = gcstest.Start(t).Folder() + "/encoder"
	remote, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"config.json": "{}", "1_Pooling/config.json": "{1}", "model.safetensors": "weights",
		"_run/x": "not copied"} {
		put(t, remote, name, content)
	}
	return location, remote
}

func put(t *testing.T, remote storage.Folder, name, content string) {
	t.Helper()
	if err := storage.WriteFile(t.Context(), remote, name, []byte(content), storage.Replace); err != nil {
		t.Fatal(err)
	}
}

// fetch returns the names and contents of the copy, which is closed at the end.
func fetch(t *testing.T, location string, want func(string) bool) (*Folder, string) {
	t.Helper()
	f, err := Fetch(t.Context(), location, want)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var files []string
	for info, err := range storage.NewLocal(f.Path).List(t.Context(), "") {
		content, readErr := os.ReadFile(filepath.Join(f.Path, filepath.FromSlash(info.Name)))
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		files = append(files, info.Name+"="+string(content))
	}
	return f, strings.Join(files, " ")
}

func TestFetch(t *testing.T) {
	location, remote := begin(t)
	service := gcstest.Start(t)
	asked := func(do func()) int64 {
		before := service.Requests.Load()
		do()
		return service.Requests.Load() - before
	}

	settings := func(name string) bool { return strings.HasSuffix(name, ".json") }
	small, files := fetch(t, location, settings)
	if files != "1_Pooling/config.json={1} config.json={}" || filepath.Base(small.Path) != "encoder" {
		t.Errorf("%s holds %s", small.Path, files)
	}
	whole, files := fetch(t, location, all)
	if files != "1_Pooling/config.json={1} config.json={} model.safetensors=weights" || whole.Path != small.Path {
		t.Errorf("%s holds %s", whole.Path, files)
	}
	// What is there is not asked for again: one listing.
	if n := asked(func() { fetch(t, location, all) }); n != 1 {
		t.Errorf("%d requests for what is there", n)
	}
	// A file that was cut is fetched again.
	if err := os.WriteFile(filepath.Join(whole.Path, "model.safetensors"), []byte("wei"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, files = fetch(t, location, all); !strings.Contains(files, "=weights") {
		t.Errorf("a cut file stays: %s", files)
	}
	// Another encoder there is another copy, though it has the same size.
	put(t, remote, "model.safetensors", "WEIGHTS")
	other, files := fetch(t, location, all)
	if other.Path == whole.Path || !strings.Contains(files, "=WEIGHTS") {
		t.Errorf("%s holds %s", other.Path, files)
	}
	// A local folder is itself.
	root := t.TempDir()
	if f, err := Fetch(t.Context(), root, all); err != nil || f.Path != root || f.Close() != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := Scratch(root); err != nil || f.Path != root || f.Remove() != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := os.Stat(root); err != nil {
		t.Error("a local folder was removed as if it were a copy")
	}
	for location, want := range map[string]string{service.Folder() + "/no/such": "holds nothing",
		"gs://no-such-bucket/x": "no-such-bucket does not exist"} {
		if _, err := Fetch(t.Context(), location, all); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), location) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", location, err)
		}
	}
}

func TestFetchTogether(t *testing.T) {
	location, _ := begin(t)
	gcstest.Start(t).Unlucky(t, 4, 10)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			f, err := Fetch(context.Background(), location, all)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			if content, err := os.ReadFile(filepath.Join(f.Path, "model.safetensors")); err != nil || string(content) != "weights" {
				t.Errorf("%q, %v", content, err)
			}
		})
	}
	group.Wait()
}

// What was not used for longest goes, but not what is in use.
func TestShrink(t *testing.T) {
	begin(t)
	service := gcstest.Start(t)
	var folders []*Folder
	for i := range 4 {
		location := fmt.Sprintf("%s/%d", service.Folder(), i)
		remote, err := storage.Locate(location)
		if err != nil {
			t.Fatal(err)
		}
		put(t, remote, "x", strings.Repeat("x", 100))
		f, err := Fetch(t.Context(), location, all)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		folders = append(folders, f)
		used := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Dir(f.Path), used, used); err != nil {
			t.Fatal(err)
		}
	}
	left := func(most int64) (list string) {
		t.Helper()
		if err := shrink(most); err != nil {
			t.Fatal(err)
		}
		for i, f := range folders {
			if _, err := os.Stat(f.Path); err == nil {
				list += fmt.Sprint(i)
			}
		}
		return list
	}
	if got := left(0); got != "0123" {
		t.Errorf("all are in use, and %q are left", got)
	}
	for _, i := range []int{0, 1, 3} {
		if err := folders[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := left(400); got != "0123" {
		t.Errorf("there is room, and %q are left", got)
	}
	if got := left(250); got != "23" {
		t.Errorf("%q are left, the two that were used last must be", got)
	}
	if got := left(0); got != "2" {
		t.Errorf("%q are left, 2 is in use", got)
	}
}

// A scratch folder is one process's at a time, and keeps what was left in it.
func TestScratch(t *testing.T) {
	location, _ := begin(t)
	first, err := Scratch(location)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first.Path, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Scratch(location); err == nil || !strings.Contains(err.Error(), "another process on this machine works on "+location) {
		t.Errorf("a second one: %v", err)
	}
	if err := shrink(0); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Scratch(location)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(again.Path, "x")); err != nil {
		t.Error(err)
	}
	if err := again.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(again.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
}

// A large object is copied through small buffers, both ways.
func TestCopiesAreFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it copies 256 MB")
	}
	const size = 256 << 20
	path := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	folder := storage.NewLocal(t.TempDir())
	if err := storage.Upload(t.Context(), path, folder, "large", storage.IfAbsent); err != nil {
		t.Fatal(err)
	}
	if err := storage.Download(t.Context(), folder, "large", path+".copy"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d MB are allocated to copy %d MB twice", grown>>20, size>>20)
	}
	if info, err := os.Stat(path + ".copy"); err != nil || info.Size() != size {
		t.Errorf("%+v, %v", info, err)
	}
}
