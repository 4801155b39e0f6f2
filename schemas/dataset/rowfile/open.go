package rowfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// Damage marks an error of the Parquet reader, unless it is one of the disk.
func Damage(err error) error {
	if disk := (*diskError)(nil); errors.As(err, &disk) || errors.Is(err, ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// diskError tells what the storage could not read from what Parquet could not.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

type shardObject struct{ storage.Object }

func (o shardObject) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 || offset > o.Size() { // asked for by a damaged footer
		return 0, io.ErrUnexpectedEOF
	}
	n, err := o.Object.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = &diskError{err}
	}
	return n, err
}

// Open opens a shard after checking its size and hash, so that no row of a
// damaged file is ever given: reading it twice costs less than a wrong corpus.
// Record names what says so of it; look may put another object in the place of its own.
func Open(
	ctx context.Context,
	folder storage.Folder,
	shard File,
	record string,
	look func(storage.Object) (storage.Object, error),
) (storage.Object, *parquetfile.File, error) {
	object, err := folder.Open(ctx, shard.Name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%w: the shard is missing", ErrCorrupt)
		}
		return nil, nil, err
	}
	if object, err = look(object); err == nil {
		err = Check(object, shard, record)
	}
	if err != nil {
		object.Close()
		return nil, nil, err
	}
	file, err := parquetfile.Open(shardObject{object}, object.Size())
	if err == nil && file.NumRows() != shard.Rows {
		err = fmt.Errorf("it has %d rows, the %s says %d", file.NumRows(), record, shard.Rows)
	}
	if err != nil {
		object.Close()
		return nil, nil, Damage(err)
	}
	return object, file, nil
}

// smallObject is the size up to which an object is held: a service is asked for each of
// the columns otherwise.
const smallObject = 1 << 20

// heldObject is an object whose bytes were read.
type heldObject struct {
	*bytes.Reader
	io.Closer
}

// Unbuffered returns the object as it is.
func Unbuffered(object storage.Object) (storage.Object, error) { return object, nil }

// buffered returns the object with its bytes, if there are few.
func buffered(object storage.Object) (storage.Object, error) {
	if object.Size() > smallObject {
		return object, nil
	}
	data := make([]byte, object.Size())
	if _, err := io.ReadFull(io.NewSectionReader(object, 0, object.Size()), data); err != nil {
		return object, err
	}
	return heldObject{bytes.NewReader(data), object}, nil
}

// HashBuffer is what an object is read through: small for the small, of which there
// are many.
func HashBuffer(object storage.Object) []byte {
	return make([]byte, min(max(object.Size(), 1), 1<<20))
}

// Check compares size and hash of a file with what a record of that name,
// the manifest or a receipt, says of it.
func Check(object storage.Object, shard File, record string) error {
	if object.Size() != shard.Bytes {
		return fmt.Errorf("%w: it has %d bytes, the %s says %d", ErrCorrupt, object.Size(), record, shard.Bytes)
	}
	hash := xxh3.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(object, 0, object.Size()), HashBuffer(object)); err != nil {
		return err
	}
	if got := HashString(hash.Sum64()); got != shard.XXH3 {
		return fmt.Errorf("%w: its xxh3 is %s, the %s says %s", ErrCorrupt, got, record, shard.XXH3)
	}
	return nil
}
