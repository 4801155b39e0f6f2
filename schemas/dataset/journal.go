package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
)

// journalFolder holds the journals of units, each in a folder of its own.
const journalFolder = "_run/journal/"

// maxJournalEntry bounds an entry, in bytes.
const maxJournalEntry = 64 << 20

// Journal keeps what an attempt of a unit has got and must not get again, such as
// answers that were paid for, until the unit is committed. Each entry is an object
// of its own: durable when Write returns, on a disk as in a bucket, whatever ends
// the attempt. It may be used by many goroutines, and by several attempts at once.
type Journal struct {
	folder storage.Folder
	prefix string
}

// Journal returns the journal of a unit. The plan must be that of the folder.
func (p *Plan) Journal(folder storage.Folder, unit int) *Journal {
	return &Journal{folder: folder, prefix: fmt.Sprintf("%s%05d/", journalFolder, unit)}
}

// Lock keeps other attempts of the unit out until unlock is called or the process
// ends, so that two do not get the same thing; they may find the unit committed when
// their turn comes. It does so on a disk: in a bucket, where no lock ends with its
// process, attempts run side by side.
func (j *Journal) Lock(ctx context.Context) (unlock func(), err error) {
	local, ok := j.folder.(interface {
		Lock(ctx context.Context, name string) (unlock func(), err error)
	})
	if !ok {
		return func() {}, nil
	}
	return local.Lock(ctx, strings.TrimSuffix(j.prefix, "/")+".lock")
}

// Write adds an entry. An entry that is there already, from another attempt, is
// left alone.
func (j *Journal) Write(ctx context.Context, entry []byte) error {
	name := j.prefix + HashString(xxh3.Hash(entry))
	if err := storage.WriteFile(ctx, j.folder, name, entry, storage.IfAbsent); err != nil && !errors.Is(err, fs.ErrExist) {
		return wayOut(err)
	}
	return nil
}

// Entries yields the entries in the order of their hashes, which is the same for all
// who read.
func (j *Journal) Entries(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for info, err := range j.folder.List(ctx, j.prefix) {
			if err != nil {
				yield(nil, err)
				return
			}
			entry, err := storage.ReadFile(ctx, j.folder, info.Name, maxJournalEntry)
			if errors.Is(err, fs.ErrNotExist) { // another attempt has committed and removes it
				continue
			}
			if err == nil && HashString(xxh3.Hash(entry)) != strings.TrimPrefix(info.Name, j.prefix) {
				err = fmt.Errorf("%s in %s is damaged: delete it, and what it tells is got again", info.Name, j.folder)
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// Remove deletes the entries of a unit that is committed.
func (j *Journal) Remove(ctx context.Context) error { return removeAll(ctx, j.folder, j.prefix) }

// removeAll deletes the objects whose names begin with one of the prefixes.
func removeAll(ctx context.Context, folder storage.Folder, prefixes ...string) error {
	var names []string
	for _, prefix := range prefixes {
		for info, err := range folder.List(ctx, prefix) {
			if err != nil {
				return err
			}
			names = append(names, info.Name)
		}
	}
	for _, name := range names {
		if err := folder.Remove(ctx, name); err != nil && !isAbsent(err) {
			return err
		}
	}
	return nil
}
