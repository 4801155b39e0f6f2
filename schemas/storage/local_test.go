package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

func TestLocal(t *testing.T) {
	storagetest.Acceptance(t, func(t *testing.T) storage.Folder {
		return storage.NewLocal(filepath.Join(t.TempDir(), "made", "later"))
	})
}

func TestAtRefusesUnknownSchemes(t *testing.T) {
	for _, location := range []string{"", "s3://bucket/x", "http://host/x"} {
		if _, err := storage.Locate(location); err == nil {
			t.Errorf("At(%q) gives no error", location)
		}
	}
}

// A write that stops at any step leaves the old object or the new one.
func TestLocalCrash(t *testing.T) {
	for n := int64(0); ; n++ {
		root := t.TempDir()
		if err := storage.WriteFile(t.Context(), storage.NewLocal(root), "x", []byte("old"), storage.Replace); err != nil {
			t.Fatal(err)
		}
		folder, steps := storagetest.CrashAt(root, n)
		err := storage.WriteFile(t.Context(), folder, "x", []byte("new"), storage.Replace)
		got, readErr := os.ReadFile(filepath.Join(root, "x"))
		if readErr != nil {
			t.Fatal(readErr)
		}
		if s := string(got); s != "old" && s != "new" {
			t.Errorf("step %d: the object holds %q", n, s)
		}
		if err == nil {
			if steps() != n {
				t.Errorf("a write without fault took %d steps, stopped at %d", steps(), n)
			}
			if n != 5 {
				t.Errorf("a write takes %d steps, want create, write, sync, rename, folder", n)
			}
			return
		}
		if !errors.Is(err, storagetest.ErrCrash) {
			t.Errorf("step %d: %v", n, err)
		}
	}
}

func TestLocalModeObeysUmask(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	root := t.TempDir()
	if err := storage.WriteFile(t.Context(), storage.NewLocal(root), "x", nil, storage.Replace); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o640 {
		t.Errorf("mode %o, want 640", got)
	}
}

func TestLocalReadsOnlyRegularFiles(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Skip("skipped: named pipes are not to be had:", err)
	}
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(root)
	if _, err := folder.Open(t.Context(), "pipe"); err == nil {
		t.Error("a named pipe was opened")
	}
	if _, err := folder.Open(t.Context(), "loop"); err == nil {
		t.Error("a folder was opened")
	}
	var names []string
	for info, err := range folder.List(t.Context(), "") {
		names = append(names, info.Name)
		if !errors.Is(err, storage.ErrIrregular) || !strings.Contains(err.Error(), filepath.Join(root, info.Name)) {
			t.Errorf("listed %v, %v", info, err)
		}
	}
	if !slices.Equal(names, []string{"loop", "pipe"}) {
		t.Errorf("listed %v: nothing may be left out silently", names)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	if err := storage.WriteFile(t.Context(), folder, "x", make([]byte, 100), storage.Replace); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.ReadFile(t.Context(), folder, "x", 99); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
