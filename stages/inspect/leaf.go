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
			err := l.fill()
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

// fill decodes the next batch. Texts are parts of the page, which is not released,
// so that they stay as they are.
func (l *leafReader) fill() error {
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
		return nil
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
