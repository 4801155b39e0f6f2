package checkpoint

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage/workspace"
)

// File is a file of a folder, as a record tells of it.
type File struct {
	// Name is relative to the folder, with slashes.
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	XXH3  string `json:"xxh3"`
}

// in is the path of the file in a folder.
func (f File) in(folder string) string { return filepath.Join(folder, filepath.FromSlash(f.Name)) }

// matches says whether a file is byte for byte the one that is told of.
func (f File) matches(path string) bool {
	found, err := hashFile(path)
	return err == nil && found.Bytes == f.Bytes && found.XXH3 == f.XXH3
}

// Exclude returns the files but for those of some names.
func Exclude(files []File, names []string) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return slices.Contains(names, f.Name) })
}

// CheckFiles compares the files of a folder with what a record of a name says. Its error matches dataset.ErrCorrupt
// where a file is missing or another one.
func CheckFiles(folder, record string, files []File) error {
	var errs fault.List
	for _, want := range files {
		got, err := hashFile(want.in(folder))
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs.Addf("%w: %s is missing", dataset.ErrCorrupt, want.Name)
		case err != nil:
			errs.Add(err)
		case got.Bytes != want.Bytes:
			errs.Addf("%w: %s has %d bytes, %s says %d", dataset.ErrCorrupt, want.Name, got.Bytes, record, want.Bytes)
		case got.XXH3 != want.XXH3:
			errs.Addf("%w: the xxh3 of %s is %s, %s says %s", dataset.ErrCorrupt, want.Name, got.XXH3, record, want.XXH3)
		}
	}
	return errs.Err()
}

// CheckSizes is CheckFiles by the sizes of paths alone: objects in a bucket appear whole.
func CheckSizes(folder, record string, files []File, sizes map[string]int64) error {
	var errs fault.List
	for _, f := range files {
		if size, ok := sizes[f.in(folder)]; !ok || size != f.Bytes {
			errs.Addf("%w: %s is missing, or its size is not the %d bytes that %s says", dataset.ErrCorrupt, f.Name, f.Bytes, record)
		}
	}
	return errs.Err()
}

// Saved is a folder that nobody else has and a function has filled, from which it can be published at a path.
func Saved(w *workspace.Workspace, path string, save func(folder string) error) (folder string, err error) {
	if folder, err = w.Temporary(path); err != nil {
		return "", err
	}
	defer func() {
		if err != nil { // a full disk gets its room back
			_ = w.RemoveAll(folder)
		}
	}()
	if err := os.Mkdir(folder, 0o777); err != nil {
		return "", err
	}
	return folder, save(folder)
}

// hashTree returns the files below a folder in the order of their names, with their hashes.
func hashTree(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
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
