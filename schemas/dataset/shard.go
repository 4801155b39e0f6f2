package dataset

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// shardWriter writes rows of one type as Parquet. Rows are handed to parquet-go
// one by one, so that the same rows give the same bytes however they come: where
// a page ends depends on how rows are batched. Nothing of a row is kept after
// Write. Memory is one row group.
type shardWriter[T schemas.Row] struct {
	out     countingWriter
	schema  schemas.Schema
	writer  *parquet.GenericWriter[T]
	row     []T // one row: the hasher reads it in its place
	hasher  *rowHasher
	count   int64
	content uint64
	inGroup int
	closed  bool
	// err is the first error: after it the file lacks rows and must not be published.
	err error
}

type countingWriter struct {
	to    io.Writer
	hash  *xxh3.Hasher
	bytes int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.hash.Write(p[:n])
	c.bytes += int64(n)
	return n, err
}

func newShardWriter[T schemas.Row](writer io.Writer) *shardWriter[T] {
	w := &shardWriter[T]{out: countingWriter{to: writer, hash: xxh3.New()}, row: make([]T, 1)}
	w.schema = w.row[0].Schema()
	w.writer = parquet.NewGenericWriter[T](&w.out, writerOptions(w.schema)...)
	w.hasher, w.err = newRowHasher(&w.row[0])
	return w
}

// Write adds a row. An invalid one is a fault of the caller and an error. After
// an error every later call returns it.
func (w *shardWriter[T]) Write(row T) error {
	if w.err == nil {
		w.err = w.write(row)
	}
	return w.err
}

func (w *shardWriter[T]) write(row T) error {
	if w.closed {
		return fmt.Errorf("row %d comes after the end of the shard", w.count)
	}
	if err := row.Validate(); err != nil {
		return fmt.Errorf("row %d is no valid %s: %w", w.count, w.schema, err)
	}
	w.row[0] = row
	w.content += w.hasher.sum()
	if _, err := w.writer.Write(w.row); err != nil {
		return err
	}
	w.count++
	w.inGroup++
	if w.inGroup == w.schema.RowGroup {
		w.inGroup = 0
		return w.writer.Flush()
	}
	return nil
}

// Close writes the footer. It does not close the underlying writer.
func (w *shardWriter[T]) Close() error {
	if w.err == nil && !w.closed {
		w.closed = true
		w.err = w.writer.Close()
	}
	return w.err
}

// describe returns the facts of the closed file.
func (w *shardWriter[T]) describe(name string) *Shard {
	return &Shard{Name: name, Rows: w.count, Bytes: w.out.bytes, XXH3: HashString(w.out.hash.Sum64())}
}
