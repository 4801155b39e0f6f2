package inspect

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/dataset"
)

// valueBatch is the number of values of a column that are decoded at once.
const valueBatch = 1024

// leafReader reads a leaf of one row group record by record.
type leafReader struct {
	pages  parquet.Pages
	values parquet.ValueReader
	batch  []parquet.Value
	at     int
	arena  []byte
	flat   bool // a value a record
}

func newLeafReader(chunk parquet.ColumnChunk, c *Column) *leafReader {
	return &leafReader{pages: chunk.Pages(), batch: make([]parquet.Value, 0, valueBatch), flat: c.depth == 0}
}

// next appends the values of the next record to record, or returns io.EOF.
func (l *leafReader) next(record []parquet.Value) ([]parquet.Value, error) {
	start := len(record)
	for {
		if l.at == len(l.batch) {
			// The bytes of a record that goes on must outlive the batch.
			err := l.fill(len(record) > start)
			if err == io.EOF && len(record) > start {
				return record, nil
			}
			if err != nil {
				return record, err
			}
		}
		if l.flat {
			record = append(record, l.batch[l.at])
			l.at++
			return record, nil
		}
		for ; l.at < len(l.batch); l.at++ {
			v := l.batch[l.at]
			if v.RepetitionLevel() == 0 && len(record) > start {
				return record, nil
			}
			record = append(record, v)
		}
	}
}

// fill decodes the next batch. The bytes of texts are copied, since the buffers
// of a page are used again.
func (l *leafReader) fill(keep bool) error {
	for {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if err != nil {
				return err
			}
			l.values = page.Values()
		}
		n, err := l.values.ReadValues(l.batch[:valueBatch])
		if err == io.EOF {
			l.values = nil
		} else if err != nil {
			return err
		}
		if n == 0 {
			if err == nil {
				return io.ErrNoProgress
			}
			continue
		}
		l.batch, l.at = l.batch[:n], 0
		l.copyBytes(keep)
		return nil
	}
}

func (l *leafReader) copyBytes(keep bool) {
	size := 0
	for _, v := range l.batch {
		if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
			size += len(v.ByteArray())
		}
	}
	if size == 0 {
		return
	}
	if keep || cap(l.arena) < size {
		l.arena = make([]byte, 0, size+size/4)
	}
	l.arena = l.arena[:0]
	for i, v := range l.batch {
		if k := v.Kind(); k != parquet.ByteArray && k != parquet.FixedLenByteArray {
			continue
		}
		from := len(l.arena)
		l.arena = append(l.arena, v.ByteArray()...)
		l.batch[i] = parquet.ByteArrayValue(l.arena[from:len(l.arena):len(l.arena)]).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	}
}

func (l *leafReader) close() error { return l.pages.Close() }

// guarded calls into parquet-go, which checks most of what it reads but not all:
// a file that is damaged must be an error and not the end of the program.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: the Parquet reader stopped: %v", dataset.ErrCorrupt, p)
		}
	}()
	err = call()
	if err != nil && err != io.EOF && !errors.Is(err, dataset.ErrCorrupt) {
		err = fmt.Errorf("%w: %w", dataset.ErrCorrupt, err)
	}
	return err
}
