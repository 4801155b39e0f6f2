package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sentweave/schemas/storage/filelock"
)

// entry is a folder that may be removed.
type entry struct {
	path  string
	bytes int64
	used  time.Time
}

// MakeRoom removes what was not used for longest, so that need bytes more fit.
func MakeRoom(need int64) error { return shrink(bytes - need) }

// shrink removes entries until the others take at most so many bytes, or are in use.
func shrink(limit int64) error {
	root, err := Root()
	if err != nil {
		return err
	}
	var entries []entry
	total := int64(0)
	for _, part := range []string{copies, scratch, persistent} {
		folders, err := os.ReadDir(filepath.Join(root, part))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, f := range folders {
			e := entry{path: filepath.Join(root, part, f.Name())}
			info, err := f.Info()
			if err != nil { // removed just now
				continue
			}
			e.used, e.bytes = info.ModTime(), size(e.path)
			total += e.bytes
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range entries {
		if total <= limit {
			return nil
		}
		removed, err := e.remove()
		if err != nil {
			return err
		}
		if removed {
			total -= e.bytes
		}
	}
	return nil
}

// quiet is how long nobody has opened an entry that is removed where the file system has no locks to
// tell whether it is in use.
const quiet = 7 * 24 * time.Hour

// remove deletes an entry, unless a process uses it.
func (e entry) remove() (bool, error) {
	folder, err := os.Open(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer folder.Close()
	locked, err := filelock.Lock(folder, filelock.Exclusive, false)
	switch {
	case errors.Is(err, filelock.ErrBusy), err == nil && !locked && time.Since(e.used) < quiet:
		return false, nil
	case err != nil:
		return false, err
	}
	return true, os.RemoveAll(e.path)
}

// size sums the files of a folder; what goes meanwhile counts for nothing.
func size(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
