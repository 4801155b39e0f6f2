package storage_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// An object whose write failed is not published, even if the caller passes over
// the error and the disk works again.
func TestFailedWriteIsNotPublished(t *testing.T) {
	root := t.TempDir()
	folder, _ := storagetest.FailAt(root, 2, syscall.ENOSPC) // create, write, write
	w, err := folder.Create(t.Context(), "x", storage.Replace)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i, want := range []error{nil, syscall.ENOSPC, syscall.ENOSPC} {
		if _, err := w.Write([]byte("1234")); !errors.Is(err, want) {
			t.Errorf("write %d: %v, want %v", i, err, want)
		}
	}
	if err := w.Commit(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("commit: %v", err)
	}
	for info, err := range folder.List(t.Context(), "") {
		t.Errorf("left: %v, %v", info, err)
	}
	if err := storage.WriteFile(t.Context(), folder, "x", []byte("1234"), storage.Replace); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A step that fails once leaves the old object or the new one and no temporary
// file, and the same write works the next time.
func TestEveryStepMayFailOnce(t *testing.T) {
	for _, condition := range []storage.Condition{storage.Replace, storage.IfAbsent} {
		for n := int64(0); ; n++ {
			root := t.TempDir()
			folder, steps := storagetest.FailAt(root, n, syscall.ENOSPC)
			err := storage.WriteFile(t.Context(), folder, "a/x", []byte("new"), condition)
			if err == nil {
				if steps() != n {
					t.Errorf("no error at step %d of %d", n, steps())
				}
				break
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("step %d: %v", n, err)
			}
			for info, err := range folder.List(t.Context(), "_run/") {
				t.Errorf("step %d leaves %v, %v", n, info, err)
			}
			err = storage.WriteFile(t.Context(), folder, "a/x", []byte("new"), condition)
			if err != nil && !(condition == storage.IfAbsent && errors.Is(err, fs.ErrExist)) {
				t.Errorf("step %d, then again: %v", n, err)
			}
			if got, err := os.ReadFile(filepath.Join(root, "a/x")); err != nil || string(got) != "new" {
				t.Errorf("step %d, then again: %q, %v", n, got, err)
			}
		}
	}
}

// Folders are made by many writers at once.
func TestWritersMakeFoldersTogether(t *testing.T) {
	for range 20 {
		root := filepath.Join(t.TempDir(), "a", "b")
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				if err := storage.WriteFile(t.Context(), storage.NewLocal(root), fmt.Sprint("c/d/e/", i), nil,
					storage.Replace); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
}

func TestFileInTheWayOfAFolder(t *testing.T) {
	root := t.TempDir()
	folder := storage.NewLocal(root)
	if err := storage.WriteFile(t.Context(), folder, "a", nil, storage.Replace); err != nil {
		t.Fatal(err)
	}
	err := storage.WriteFile(t.Context(), folder, "a/b", nil, storage.Replace)
	if !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), filepath.Join(root, "a")) {
		t.Errorf("got %v", err)
	}
}

// An entry that cannot be looked at is yielded by name, and the listing goes on.
func TestListNamesDanglingLinks(t *testing.T) {
	root := t.TempDir()
	folder := storage.NewLocal(root)
	for name, target := range map[string]string{"a": "nowhere", "b": "b", "d": "c"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "c"), []byte("1234"), 0o666); err != nil {
		t.Fatal(err)
	}
	var got []string
	for info, err := range folder.List(t.Context(), "") {
		what := "ok"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			what = "absent"
		case errors.Is(err, syscall.ELOOP):
			what = "loop"
		case err != nil:
			what = err.Error()
		}
		got = append(got, fmt.Sprint(info.Name, " ", info.Size, " ", what))
	}
	if want := "a 0 absent, b 0 loop, c 4 ok, d 4 ok"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The size of an open object is that of what was opened, while others replace it.
func TestOpenWhileReplaced(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	contents := []string{"short", strings.Repeat("long", 1000)}
	if err := storage.WriteFile(t.Context(), folder, "x", []byte(contents[0]), storage.Replace); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if err := storage.WriteFile(t.Context(), folder, "x", []byte(contents[i%2]), storage.Replace); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 500 {
		data, err := storage.ReadFile(t.Context(), folder, "x", 1<<20)
		if err != nil || string(data) != contents[0] && string(data) != contents[1] {
			t.Errorf("%d bytes, %v", len(data), err)
			break
		}
	}
	close(stop)
	group.Wait()
}
