package rowfile

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas"
	"sentweave/schemas/storage"
)

// WriteRows writes a file of rows and leaves it to be published. Both are nil if there are no rows.
func WriteRows[T schemas.Row](ctx context.Context, folder storage.Folder, name string, rows []T) (*Exclusive, *File, error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	file, err := CreateExclusive(ctx, folder, name)
	if err != nil {
		return nil, nil, err
	}
	shard, err := fill(file, name, rows)
	if err != nil {
		file.Abort()
		return nil, nil, fmt.Errorf("write %s in %s: %w", name, folder, err)
	}
	return file, shard, nil
}

// DescribeRows returns what WriteRows would write.
func DescribeRows[T schemas.Row](name string, rows []T) (*File, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return fill(io.Discard, name, rows)
}

func fill[T schemas.Row](writer io.Writer, name string, rows []T) (*File, error) {
	w := NewWriter[T](writer)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return w.Describe(name), err
}

// companionReaders is the number of companions that are read at once: each takes
// some 4 MB.
const companionReaders = 16

// EachRow hands the rows of files to add, which is called by one goroutine at a time, in
// no order. Many small files are read at once.
func EachRow[T schemas.Row](ctx context.Context, folder storage.Folder, files []File, add func([]parquet.Row) error) error {
	var zero T
	schema := parquet.SchemaOf(zero)
	var mutex sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(companionReaders)
	for _, f := range files {
		group.Go(func() error {
			if err := groupCtx.Err(); err != nil {
				return err
			}
			object, file, err := Open(groupCtx, folder, f, "receipt", buffered)
			if err == nil {
				defer object.Close()
				if !parquet.EqualNodes(file.Schema(), schema) {
					err = fmt.Errorf("%w: its columns are not those of %s", ErrCorrupt, zero.Schema())
				}
			}
			if err != nil {
				return fmt.Errorf("%s in %s: %w", f.Name, folder, err)
			}
			for _, rows := range file.RowGroups() {
				err := ReadGroup(groupCtx, file, rows, func(batch []parquet.Row) error {
					mutex.Lock()
					defer mutex.Unlock()
					return add(batch)
				})
				if err != nil {
					return fmt.Errorf("%s in %s: %w", f.Name, folder, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
