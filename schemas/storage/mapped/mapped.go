// Package mapped gives large files as bytes without reading them.
package mapped

import (
	"context"
	"fmt"
	"io"
	"os"

	"sentweave/schemas/storage"
)

// Content returns the content of a file, which is not to be changed, for as long as the process runs. A file of this machine is mapped: its
// parts are read when they are first used, and the system may drop them from memory again. Such a file must not become shorter meanwhile,
// or the process ends. Another file is read whole.
func Content(ctx context.Context, location string) ([]byte, error) {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if !storage.IsRemote(location) && object.Size() > 0 {
		file, err := os.Open(location)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if data, err := mapFile(file, object.Size()); err == nil {
			return data, nil
		}
	}
	data := make([]byte, object.Size())
	if _, err := io.ReadFull(io.NewSectionReader(object, 0, object.Size()), data); err != nil {
		return nil, fmt.Errorf("read %s: %w", location, err)
	}
	return data, nil
}
