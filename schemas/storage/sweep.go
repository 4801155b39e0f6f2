package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"golang.org/x/sync/errgroup"
)

// removals is the number of objects that are removed at once: in a bucket each takes
// tens of milliseconds.
const removals = 64

// RemoveVersions deletes the versions of objects that List returned, as RemoveVersion
// does, many at once. On a disk the deletion survives a power cut.
func RemoveVersions(ctx context.Context, folder Folder, objects []Info) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(removals)
	for _, o := range objects {
		group.Go(func() error { return folder.RemoveVersion(groupCtx, o.Name, o.Version) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	local, ok := folder.(*Local)
	if !ok {
		return nil
	}
	synced := map[string]bool{}
	for _, o := range objects {
		dir := path.Dir(o.Name)
		if synced[dir] {
			continue
		}
		synced[dir] = true
		if err := local.syncFolder(local.path(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Sweep removes TemporaryFolder and the files that killed writers left in it, which a
// local disk keeps. No other process may write in the folder meanwhile. On a store
// without folders there is nothing to remove.
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
