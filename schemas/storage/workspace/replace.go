package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"sentweave/schemas/storage"
)

// Replace makes the folder at a location one that a function fills with files. The function gets an empty folder on the
// local disk; after its error nothing has changed.
//
// On the disk the new folder takes the place of the one that is there, as storage.ReplaceFolder does it, and that one is
// deleted. In a bucket the object of the name last, which says that the others are whole, goes first if there is one and
// comes last; objects that the new folder lacks stay.
func Replace(ctx context.Context, location, last string, fill func(folder string) error) (err error) {
	built, err := temporaryPath(location)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(built)) }()
	if err := os.MkdirAll(built, 0o777); err != nil {
		return err
	}
	if err := fill(built); err != nil {
		return err
	}
	if !storage.IsRemote(location) {
		return storage.ReplaceFolder(built, location) // which leaves the old one here
	}
	folder, err := storage.Locate(location)
	if err != nil {
		return err
	}
	if err := folder.Remove(ctx, last); err != nil {
		return err
	}
	var names []string
	for info, err := range storage.NewLocal(built).List(ctx, "") {
		if err != nil {
			return err
		}
		if info.Name != last {
			names = append(names, info.Name)
		}
	}
	for _, name := range append(names, last) {
		if err := storage.Upload(ctx, filepath.Join(built, filepath.FromSlash(name)), folder, name, storage.Replace); err != nil {
			return err
		}
	}
	return nil
}

// temporaryPath is a path of the local disk that nobody has, from which a folder can be renamed to a location on the disk.
func temporaryPath(location string) (string, error) {
	if storage.IsRemote(location) {
		return os.MkdirTemp("", "sentweave-")
	}
	target := filepath.Clean(location)
	return storage.NewLocal(filepath.Dir(target)).Beside().Temporary(filepath.Base(target))
}
