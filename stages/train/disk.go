package train

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// disk makes every change to the output, so that tests can stop at each.
type disk struct {
	root      string // of the encoder; the folder of its training stands beside it
	intercept func(step, path string) error
	unsynced  bool
	mirror    *mirror // repeats what lasts elsewhere; nil for an output on the disk
}

func (d *disk) before(step, path string) error {
	if d.intercept == nil {
		return nil
	}
	return d.intercept(step, path)
}

// scratch returns a path that nobody has, on the file system of another path.
func (d *disk) scratch(path string) (string, error) {
	folder := d.root
	if strings.HasPrefix(path, d.root+Suffix+string(filepath.Separator)) {
		folder += Suffix
	}
	folder = filepath.Join(folder, temporaryFolder)
	if err := d.makeFolder(folder); err != nil {
		return "", err
	}
	return filepath.Join(folder, filepath.Base(path)+"."+rand.Text()), nil
}

// saved is a folder that nobody else has, on the file system of a path, with a model in it.
func (d *disk) saved(path string, model Model) (folder string, err error) {
	if folder, err = d.scratch(path); err != nil {
		return "", err
	}
	defer func() {
		if err != nil { // a full disk gets its room back
			_ = d.removeAll(folder)
		}
	}()
	if err := errors.Join(d.makeFolder(folder), d.before("save", folder)); err != nil {
		return "", err
	}
	return folder, model.Save(folder)
}

// write makes a file appear whole or not at all, and durable.
func (d *disk) write(path string, source io.Reader) error {
	temporary, err := d.scratch(path)
	if err != nil {
		return err
	}
	if err := d.before("write", path); err != nil {
		return err
	}
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // after the rename there is nothing left to remove
	_, err = io.Copy(file, source)
	if err == nil {
		err = d.sync(file)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := d.makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return d.rename(temporary, path)
}

// makeFolder is os.MkdirAll that makes the new folders durable.
func (d *disk) makeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := d.makeFolder(parent); err != nil {
			return err
		}
	}
	if err := d.before("make folder", path); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.syncPath(filepath.Dir(path))
}

// rename is durable.
func (d *disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if err := d.syncPath(filepath.Dir(to)); err != nil {
		return err
	}
	return d.mirror.put(to)
}

func (d *disk) removeAll(path string) error {
	if err := d.before("remove", path); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return d.mirror.remove(path)
}

// readWhole reads the record of a folder and checks the files that it names; where
// they lie in a bucket, which they do not leave damaged, by their sizes.
func (d *disk) readWhole(ctx context.Context, folder string) (*Record, error) {
	if d.mirror == nil {
		return readWhole(folder)
	}
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	sizes, err := d.mirror.sizes(ctx)
	if err != nil {
		return nil, err
	}
	return r, r.checkSizes(d.mirror.name(folder), sizes)
}

// names lists what stands in a folder.
func (d *disk) names(folder string) ([]string, error) {
	if d.mirror != nil {
		return d.mirror.names(folder)
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// hashTree returns the files below a folder in the order of their names, with
// their hashes, and syncs them and their folders.
func (d *disk) hashTree(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := d.syncPath(path); err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := hashFile(path)
		f.Name = filepath.ToSlash(name)
		files = append(files, f)
		return err
	})
	return files, err
}

func hashFile(path string) (File, error) {
	file, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	h := xxh3.New()
	n, err := io.CopyBuffer(h, file, make([]byte, 128<<10))
	return File{Bytes: n, XXH3: dataset.HashString(h.Sum64())}, err
}

func (d *disk) syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(file), file.Close())
}

func (d *disk) sync(file *os.File) error {
	if d.unsynced {
		return nil
	}
	return file.Sync()
}

// wayOut adds to an error of the disk what its user can do about it.
func wayOut(err error) error {
	return storage.WayOut(err, " and run the same command again, it goes on from the last checkpoint")
}
