package storage

import (
	"context"
	"errors"
	"io/fs"
)

// File is an object to write.
type File struct {
	Name string
	Data []byte
}

// WriteFiles publishes files that belong together, in their order, and replaces those that are there. All
// are written before the first has its name, so that a full disk changes nothing. Where one
// cannot be published all the same, those that were not there before are removed again.
func WriteFiles(ctx context.Context, folder Folder, files []File) (err error) {
	writers := make([]Writer, len(files))
	absent := make([]bool, len(files))
	for i, f := range files {
		_, err := folder.Stat(ctx, f.Name)
		absent[i] = errors.Is(err, fs.ErrNotExist)
		if writers[i], err = folder.Create(ctx, f.Name, Replace); err != nil {
			return err
		}
		defer writers[i].Abort()
		if _, err := writers[i].Write(f.Data); err != nil {
			return err
		}
	}
	for i, w := range writers {
		if err := w.Commit(); err != nil {
			for k := range i + 1 {
				if absent[k] {
					err = errors.Join(err, folder.Remove(context.WithoutCancel(ctx), files[k].Name))
				}
			}
			return err
		}
	}
	return nil
}
