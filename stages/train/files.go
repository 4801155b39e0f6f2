package train

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/workspace"
)

// saved is a folder that nobody else has, from which a model in it can be published at a path.
func saved(w *workspace.Workspace, path string, model Model) (folder string, err error) {
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
	return folder, model.Save(folder)
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

// wayOut adds to an error of the disk what its user can do about it.
func wayOut(err error) error {
	return storage.WayOut(err, " and run the same command again, it goes on from the last checkpoint")
}
