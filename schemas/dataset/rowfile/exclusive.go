package rowfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
)

// Exclusive is a file that appears where nothing stood when it was begun, or in the
// place of what stood there then, which an attempt has left that did not come to its
// receipt.
type Exclusive struct {
	storage.Writer
	folder storage.Folder
	Name   string
	// before says that something stood there.
	before bool
	// Stands is the version of what Publish has published or found.
	Stands string
}

// Copy writes a file of a folder, byte for byte. The error matches ErrCorrupt unless the bytes that were written are those
// that the manifest names.
func Copy(ctx context.Context, w io.Writer, folder storage.Folder, file File) error {
	object, err := folder.Open(ctx, file.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	out := CountingWriter{To: w, Hash: xxh3.New()}
	source := struct{ io.Reader }{io.NewSectionReader(object, 0, object.Size())}
	if _, err := io.CopyBuffer(&out, source, HashBuffer(object)); err != nil {
		return err
	}
	if got := HashString(out.Hash.Sum64()); out.Bytes != file.Bytes || got != file.XXH3 {
		return fmt.Errorf("%w: it has %d bytes with xxh3 %s, the manifest says %d with %s", ErrCorrupt, out.Bytes, got, file.Bytes,
			file.XXH3)
	}
	return nil
}

// CreateExclusive begins a file, and notes what is in its place.
func CreateExclusive(ctx context.Context, folder storage.Folder, name string) (*Exclusive, error) {
	f := &Exclusive{folder: folder, Name: name}
	condition := storage.IfAbsent
	info, err := folder.Stat(ctx, name)
	switch {
	case err == nil:
		f.before, condition = true, storage.IfVersion(info.Version)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f.Writer, err = folder.Create(ctx, name, condition)
	return f, err
}

// Publish commits the file. If one with the same bytes is there already, that one
// stays; another one that came meanwhile is an error that matches ErrUnequal, and one
// that went, as spill files do once all is done, one that matches fs.ErrNotExist.
func (f *Exclusive) Publish(ctx context.Context, shard *File) error {
	if f.before {
		if equal, err := f.find(ctx, shard); equal || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err := f.Commit()
	if err == nil {
		f.Stands = f.Version()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.other(ctx, shard)
}

// other compares what is there in the place of the file.
func (f *Exclusive) other(ctx context.Context, shard *File) error {
	equal, err := f.find(ctx, shard)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s in %s was removed while this attempt ran: run the same command again: %w", f.Name, f.folder, err)
	}
	if err == nil && !equal {
		err = fmt.Errorf("%s in %s: %w: another attempt wrote other bytes while this one ran; run the same command again, and with one build of the program at a time",
			f.Name, f.folder, ErrUnequal)
	}
	return err
}

// find says whether the file that is there has the bytes of this one.
func (f *Exclusive) find(ctx context.Context, shard *File) (bool, error) {
	info, err := f.folder.Stat(ctx, f.Name) // the version before the content
	if err != nil {
		return false, err
	}
	object, err := f.folder.Open(ctx, f.Name)
	if err != nil {
		return false, err
	}
	defer object.Close()
	switch err := Check(object, *shard, "attempt"); {
	case errors.Is(err, ErrCorrupt):
		return false, nil
	case err != nil:
		return false, err
	}
	f.Stands = info.Version
	return true, storage.Sync(f.folder, f.Name)
}

// Stays returns an error, as Publish does, unless what Publish left still stands.
func (f *Exclusive) Stays(ctx context.Context, shard *File) error {
	if info, err := f.folder.Stat(ctx, f.Name); err == nil && info.Version == f.Stands {
		return nil
	}
	return f.other(ctx, shard)
}
