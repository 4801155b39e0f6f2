package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// copyBuffer is what a file is copied through, whatever its size.
const copyBuffer = 1 << 20

// Upload publishes the file at a local path as an object.
func Upload(ctx context.Context, path string, folder Folder, name string, condition Condition) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w, err := folder.Create(ctx, name, condition)
	if err != nil {
		return err
	}
	defer w.Abort()
	// Not io.Copy, which reads by 32 KiB, or leaves the size to the file.
	if _, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{file}, make([]byte, copyBuffer)); err != nil {
		return fmt.Errorf("write %s in %s: %w", name, folder, err)
	}
	return w.Commit()
}

// Download makes the file at a local path a copy of an object, whole or not at all,
// and its folder, if need be. It is not synced, because it can be downloaded again.
func Download(ctx context.Context, folder Folder, name, path string) (err error) {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temporary := path + "." + rand.Text()
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // after the rename there is nothing left to remove
	source := struct{ io.Reader }{io.NewSectionReader(object, 0, object.Size())}
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, source, make([]byte, copyBuffer))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("copy %s in %s to %s: %w", name, folder, path, err)
	}
	return os.Rename(temporary, path)
}
