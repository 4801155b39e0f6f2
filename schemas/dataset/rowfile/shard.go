package rowfile

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

// Writer writes rows of one type as Parquet. Rows are handed to parquet-go
// one by one, so that the same rows give the same bytes however they come: where
// a page ends depends on how rows are batched. Nothing of a row is kept after
// Write. Memory is one row group.
type Writer[T schemas.Row] struct {
	out    CountingWriter
	schema schemas.Schema
	writer *parquet.GenericWriter[T]
	row    []T // one row: the hasher reads it in its place
	hasher *rowHasher
	count  int64
	// Content is the sum of the hashes of the rows.
	Content uint64
	inGroup int
	closed  bool
	// err is the first error: after it the file lacks rows and must not be published.
	err error
}

// CountingWriter counts and hashes what goes through it.
type CountingWriter struct {
	To    io.Writer
	Hash  *xxh3.Hasher
	Bytes int64
}

// Write implements io.Writer.
func (c *CountingWriter) Write(p []byte) (int, error) {
	n, err := c.To.Write(p)
	c.Hash.Write(p[:n])
	c.Bytes += int64(n)
	return n, err
}

// NewWriter writes rows to a writer, which Close leaves open.
func NewWriter[T schemas.Row](writer io.Writer) *Writer[T] {
	w := &Writer[T]{out: CountingWriter{To: writer, Hash: xxh3.New()}, row: make([]T, 1)}
	w.schema = w.row[0].Schema()
	w.writer = parquet.NewGenericWriter[T](&w.out, writerOptions(w.schema)...)
	w.hasher, w.err = newRowHasher(&w.row[0])
	return w
}

// Write adds a row. An invalid one is a fault of the caller and an error. After
// an error every later call returns it.
func (w *Writer[T]) Write(row T) error {
	if w.err == nil {
		w.err = w.write(row)
	}
	return w.err
}

func (w *Writer[T]) write(row T) error {
	if w.closed {
		return fmt.Errorf("row %d comes after the end of the shard", w.count)
	}
	if err := row.Validate(); err != nil {
		return fmt.Errorf("row %d is not a valid %s: %w", w.count, w.schema, err)
	}
	w.row[0] = row
	w.Content += w.hasher.sum()
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
func (w *Writer[T]) Close() error {
	if w.err == nil && !w.closed {
		w.closed = true
		w.err = w.writer.Close()
	}
	return w.err
}

// Describe returns the facts of the closed file.
func (w *Writer[T]) Describe(name string) *File {
	return &File{Name: name, Rows: w.count, Bytes: w.out.Bytes, XXH3: HashString(w.out.Hash.Sum64())}
}
