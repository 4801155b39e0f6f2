package units

import (
	"cmp"
	"context"
	"errors"

	"sentweave/schemas/storage"
)

// What becomes of files that cannot be opened; empty is unreadableFail.
const (
	unreadableFail = "fail"
	UnreadableSkip = "skip"
)

// Unreadable is the flag of pipelines that read files of others. It is not part of a plan,
// which names the files that are read.
type Unreadable struct {
	Unreadable string `help:"What becomes of files that cannot be opened (${enum}): the command fails before any work, or they are left out and counted in a note." default:"fail" enum:"fail,skip" group:"Input" json:"-"`
}

// UnreadableFault returns an error for a value that is unknown.
func (u Unreadable) UnreadableFault() error {
	return OneOf("unreadable", cmp.Or(u.Unreadable, unreadableFail), unreadableFail, UnreadableSkip)
}

// Leaves says whether a file is to be left out, as it cannot be opened, or gives no byte where it has some, as of a web server
// that refuses it only when it is read. Where such files are
// not left out, it opens none: the reader says what is wrong.
func (u Unreadable) Leaves(ctx context.Context, folder storage.Folder, name string) (bool, error) {
	if u.Unreadable != UnreadableSkip {
		return false, nil
	}
	object, err := folder.Open(ctx, name)
	if err == nil {
		if size := object.Size(); size > 0 { // not the first byte, at which a stream of the whole file would begin
			_, err = object.ReadAt(make([]byte, 1), min(size-1, 1))
		}
		err = errors.Join(err, object.Close())
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if errors.Is(err, storage.ErrUnavailable) { // now: it is not to be missed for good
		return false, err
	}
	return err != nil, nil
}
