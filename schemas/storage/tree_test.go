package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// fill makes a folder of two files that nobody has synced.
func fill(disk storage.Disk, path string) error {
	for _, dir := range []string{path, filepath.Join(path, "in")} {
		if err := disk.Mkdir(dir); err != nil {
			return err
		}
	}
	for _, name := range []string{"a", "in/b"} {
		file, err := disk.Create(filepath.Join(path, name))
		if err != nil {
			return err
		}
		if _, err := file.Write([]byte("whole")); err != nil {
			return err
		}
	}
	return nil
}

// A folder that is published, and then removed, is whole or absent after a power cut at any step, and as it
// was left where all steps were taken.
func TestPowerCutOfTrees(t *testing.T) {
	for n := 0; ; n++ {
		disk := storagetest.NewDisk()
		steps := 0
		folder := storage.NewLocalOn(disk.View(nil, nil, 0), "/disk").Intercepted(func(storage.Step, string) error {
			if steps++; steps > n {
				return storagetest.ErrCrash
			}
			return nil
		})
		present := func(d *storagetest.Disk) (files int) {
			view := d.View(nil, nil, 0)
			for _, name := range []string{"a", "in/b"} {
				info, err := view.Stat("/disk/made/tree/" + name)
				if err == nil && info.Size() == int64(len("whole")) {
					files++
				} else if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("after %d steps: %s: %v, %v", n, name, info, err)
				}
			}
			return files
		}
		temporary, err := folder.Temporary("made/tree")
		if err == nil {
			err = fill(disk.View(nil, nil, 0), temporary)
		}
		if err == nil {
			err = folder.Publish(temporary, "made/tree")
		}
		after := present(disk.Cut(nil))
		if err == nil && after != 2 || after == 1 {
			t.Errorf("after %d steps: %d of 2 files, %v\n%s", n, after, err, disk)
		}
		if err != nil {
			continue
		}
		if err = folder.RemoveTree("made/tree"); err == nil {
			if left := present(disk.Cut(nil)); left > 0 || n != 5 {
				t.Errorf("%d files are left after %d steps", left, n)
			}
			return
		}
	}
}

// What an Appender has synced outlasts a power cut with the name of the file, also at the end of a file that was there.
func TestPowerCutOfAnAppender(t *testing.T) {
	disk := storagetest.NewDisk()
	for _, line := range []string{"one\n", "two\n"} {
		a, err := storage.NewLocalOn(disk.View(nil, nil, 0), "/disk").Append("logs/x")
		if err == nil {
			_, err = a.Write([]byte(line))
		}
		if err == nil {
			err = a.Sync()
		}
		if err == nil {
			_, err = a.Write([]byte("lost"))
		}
		if err != nil {
			t.Fatal(err)
		}
		disk = disk.Cut(nil)
	}
	data, err := storage.ReadFile(t.Context(), storage.NewLocalOn(disk.View(nil, nil, 0), "/disk"), "logs/x", 100)
	if err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// RemoveTree removes what a link names, not what the link leads to, and nothing is not an error.
func TestRemoveTree(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(other, "x"), nil, 0o666), os.MkdirAll(filepath.Join(root, "a", "b"), 0o777),
		os.Symlink(other, filepath.Join(root, "a", "link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "a", "no/such", "."} {
		if err := storage.NewLocal(root).RemoveTree(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(other, "x")); err != nil {
		t.Error(err)
	}
}
