package parquetfile

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Column reads the values of a column of a row group, one after another. Beside it, Next of the
// file has to be called before each row.
type Column struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	batch  [256]parquet.Value
	left   []parquet.Value
}

// Columns returns readers of columns of a row group, by their numbers; that of a negative
// number is nil. Close closes them.
func Columns(group parquet.RowGroup, numbers []int) (columns []*Column, err error) {
	columns = make([]*Column, len(numbers))
	return columns, Guard(func() error {
		chunks := group.ColumnChunks()
		for i, number := range numbers {
			if number >= 0 {
				columns[i] = &Column{pages: chunks[number].Pages()}
			}
		}
		return nil
	})
}

// Next returns the next value, which may be null and is valid until the next call. It is an error if there is none.
func (c *Column) Next() (parquet.Value, error) {
	for len(c.left) == 0 {
		if err := Guard(c.fill); err != nil {
			return parquet.Value{}, err
		}
	}
	v := c.left[0]
	c.left = c.left[1:]
	return v, nil
}

// fill reads some values of the page, or the next page.
func (c *Column) fill() (err error) {
	if c.values == nil {
		parquet.Release(c.page) // no value of which is left
		if c.page, err = c.pages.ReadPage(); errors.Is(err, io.EOF) {
			return damaged("it has fewer values than rows")
		} else if err != nil {
			return err
		}
		c.values = c.page.Values()
	}
	n, err := c.values.ReadValues(c.batch[:])
	c.left = c.batch[:n]
	if n == 0 || err != nil {
		c.values = nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// Close releases what the reader holds; that of nil does nothing.
func (c *Column) Close() {
	if c == nil {
		return
	}
	_ = Guard(func() error {
		parquet.Release(c.page)
		return c.pages.Close()
	})
}
