package storage

import (
	"context"
	"fmt"
	"path"
)

// Sweep removes TemporaryFolder and what killed writers left in it, for folders in which
// nobody else writes: a local disk keeps it. On a store without folders there is nothing
// to remove.
func Sweep(ctx context.Context, folder Folder) error {
	var names []string
	for info, err := range folder.List(ctx, TemporaryFolder+"/") {
		if err != nil {
			return fmt.Errorf("list %s in %s: %w", TemporaryFolder, folder, err)
		}
		names = append(names, info.Name)
	}
	for _, name := range names {
		if err := folder.Remove(ctx, name); err != nil {
			return fmt.Errorf("remove %s in %s: %w", name, folder, err)
		}
	}
	if _, local := folder.(*Local); local {
		for _, name := range []string{TemporaryFolder, path.Dir(TemporaryFolder)} {
			_ = folder.Remove(ctx, name) // one that another process writes to is not empty, and stays
		}
	}
	return nil
}
