// Package journal keeps what an attempt of a unit must not fetch again, such as answers that were paid for.
package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/storage"
)

// maxJournalEntry bounds an entry, in bytes.
const maxJournalEntry = 64 << 20

// Journal keeps results that an attempt of a unit must not fetch again, such as
// answers that were paid for, until the unit is committed. Each entry is an object of
// its own. It is durable when Write returns, on a disk and in a bucket, however the
// attempt ends. Many goroutines and several attempts may use a journal at once.
type Journal struct {
	folder storage.Folder
	prefix string
}

// New returns the journal of a unit.
func New(folder storage.Folder, unit int) *Journal {
	return &Journal{folder: folder, prefix: fmt.Sprintf("%s%05d/", layout.JournalFolder, unit)}
}

// Lock keeps other attempts of the unit out until unlock is called or the process
// ends, so that no two attempts fetch the same result. When their turn comes, they may
// find the unit committed. Lock works on a disk only. In a bucket no lock ends with
// its process, so attempts run side by side.
func (j *Journal) Lock(ctx context.Context) (unlock func(), err error) {
	local, ok := j.folder.(interface {
		Lock(ctx context.Context, name string) (unlock func(), err error)
	})
	if !ok {
		return func() {}, nil
	}
	return local.Lock(ctx, strings.TrimSuffix(j.prefix, "/")+".lock")
}

// Write adds an entry. It does not replace an entry that another attempt has written.
func (j *Journal) Write(ctx context.Context, entry []byte) error {
	name := j.prefix + rowfile.HashString(xxh3.Hash(entry))
	if err := storage.WriteFile(ctx, j.folder, name, entry, storage.IfAbsent); err != nil && !errors.Is(err, fs.ErrExist) {
		return rowfile.WayOut(err)
	}
	return nil
}

// atOnce is the number of objects that are read at once: in a bucket each takes tens of
// milliseconds.
const atOnce = 64

// Entries yields the entries in the order of their hashes, which is the same for every
// reader.
func (j *Journal) Entries(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var names []string
		bytes := int64(0)
		flush := func() bool {
			entries, err := j.read(ctx, names)
			names, bytes = names[:0], 0
			if err != nil {
				yield(nil, err)
				return false
			}
			for _, entry := range entries {
				if entry != nil && !yield(entry, nil) {
					return false
				}
			}
			return true
		}
		for info, err := range j.folder.List(ctx, j.prefix) {
			if err != nil {
				yield(nil, err)
				return
			}
			names, bytes = append(names, info.Name), bytes+info.Size
			if (len(names) == atOnce || bytes >= maxJournalEntry) && !flush() {
				return
			}
		}
		flush()
	}
}

// read returns entries, nil for one that is no longer there.
func (j *Journal) read(ctx context.Context, names []string) ([][]byte, error) {
	entries := make([][]byte, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			entry, err := storage.ReadFile(ctx, j.folder, name, maxJournalEntry)
			switch {
			case errors.Is(err, fs.ErrNotExist): // another attempt has committed and removes it
				return nil
			case err == nil && rowfile.HashString(xxh3.Hash(entry)) != strings.TrimPrefix(name, j.prefix):
				return fmt.Errorf("%s in %s is damaged: delete that file, and the same command obtains its entries again", name, j.folder)
			}
			entries[i] = entry
			return err
		})
	}
	return entries, group.Wait()
}

// Remove deletes the entries of a unit that is committed.
func (j *Journal) Remove(ctx context.Context) error {
	var entries []storage.Info
	for info, err := range j.folder.List(ctx, j.prefix) {
		if err != nil {
			return err
		}
		entries = append(entries, info)
	}
	return storage.RemoveVersions(ctx, j.folder, entries)
}
