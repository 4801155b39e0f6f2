package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
)

// guarded calls into parquet-go. The library checks most of what it reads but
// not all: damaged levels, dictionaries and lengths make it index past the end
// of its buffers. No shard of ours gets here with other bytes than were written,
// as openShard compares the hash; a file that was made by somebody else, or by a
// broken disk at the time of writing, must still be an error and not the end of
// a worker that runs other units.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: the Parquet reader stopped: %v", ErrCorrupt, p)
		}
	}()
	return call()
}

// readRows is guarded for calls that read rows, whose errors other than the end
// mean damage. A call that gives nothing and no error would loop forever.
func readRows(read func() (int, error)) (n int, err error) {
	err = guarded(func() (err error) {
		n, err = read()
		return err
	})
	switch {
	case err == nil && n == 0:
		err = io.ErrNoProgress
	case err == nil || err == io.EOF:
		return n, err
	}
	return n, damage(err)
}

// damage marks an error of the Parquet reader, unless it is one of the disk.
func damage(err error) error {
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

func checkCount(rows int64, group parquet.RowGroup) error {
	if rows != group.NumRows() {
		return fmt.Errorf("%w: a row group of %d rows gives %d", ErrCorrupt, group.NumRows(), rows)
	}
	return nil
}

// openShard opens a shard after checking its size and hash, so that no row of a
// damaged file is ever given: reading it twice costs less than a wrong corpus.
func openShard(ctx context.Context, folder storage.Folder, shard Shard) (storage.Object, *parquet.File, error) {
	object, err := folder.Open(ctx, shard.Name)
	if err != nil {
		if isAbsent(err) {
			return nil, nil, fmt.Errorf("%w: the shard is missing", ErrCorrupt)
		}
		return nil, nil, err
	}
	if err := checkShard(object, shard); err != nil {
		object.Close()
		return nil, nil, err
	}
	var file *parquet.File
	err = guarded(func() (err error) {
		file, err = parquet.OpenFile(shardObject{object}, object.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(256<<10))
		if err == nil && file.NumRows() != shard.Rows {
			err = fmt.Errorf("it has %d rows, the manifest says %d", file.NumRows(), shard.Rows)
		}
		return err
	})
	if err != nil {
		object.Close()
		return nil, nil, damage(err)
	}
	return object, file, nil
}

func checkShard(object storage.Object, shard Shard) error {
	if object.Size() != shard.Bytes {
		return fmt.Errorf("%w: it has %d bytes, the manifest says %d", ErrCorrupt, object.Size(), shard.Bytes)
	}
	hash := xxh3.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(object, 0, object.Size()), make([]byte, 1<<20)); err != nil {
		return err
	}
	if got := HashString(hash.Sum64()); got != shard.XXH3 {
		return fmt.Errorf("%w: its xxh3 is %s, the manifest says %s", ErrCorrupt, got, shard.XXH3)
	}
	return nil
}
