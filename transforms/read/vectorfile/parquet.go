package vectorfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/parquetfile"
)

// openParquet reads a column of lists of numbers.
func openParquet(file io.ReaderAt, size int64, o Options) (v Vectors, err error) {
	f, err := parquetfile.Open(file, size)
	if err != nil {
		return v, err
	}
	t := table{File: f, ids: -1}
	err = parquetfile.Guard(func() error {
		v.Rows = f.NumRows()
		return t.find(o)
	})
	v.each = func(yield func(Row) error) error {
		for _, group := range f.RowGroups() {
			if err := t.group(group, yield); err != nil {
				return err
			}
		}
		return nil
	}
	return v, err
}

type table struct {
	*parquetfile.File
	vectors, ids int // columns; that of ids is negative without
	number       parquetfile.ToNumber
}

// find sets the columns.
func (t *table) find(o Options) (err error) {
	names := usual
	if o.Column != "" {
		names = []string{o.Column}
	}
	t.vectors = -1
	for i, path := range t.Schema().Columns() {
		leaf, _ := t.Schema().Lookup(path...)
		switch {
		case t.vectors < 0 && leaf.MaxRepetitionLevel == 1 && slices.Contains(names, path[0]):
			t.vectors = i
		case o.IDs != "" && leaf.MaxRepetitionLevel == 0 && strings.Join(path, ".") == o.IDs:
			t.ids = i
		}
	}
	if t.vectors < 0 {
		return fmt.Errorf("it has no column of lists of numbers named %q", names)
	}
	if o.IDs != "" && t.ids < 0 {
		return fmt.Errorf("it has no column %q that holds one value a row", o.IDs)
	}
	if t.number, err = t.Numbers(t.vectors); err != nil {
		return fmt.Errorf("the column of vectors holds %w; numbers are wanted", err)
	}
	return nil
}

// group reads a row group.
func (t *table) group(group parquet.RowGroup, yield func(Row) error) error {
	columns, err := parquetfile.Columns(group, []int{t.vectors, t.ids})
	defer func() {
		for _, c := range columns {
			c.Close()
		}
	}()
	if err != nil {
		return err
	}
	var r Row
	begun := false
	complete := func() error {
		if !begun {
			return nil
		}
		if t.ids >= 0 {
			id, err := columns[1].Next()
			if err != nil {
				return err
			}
			if r.ID = idOf(id); r.ID == "" {
				return errors.New("a row has no id")
			}
		}
		return yield(r)
	}
	for range group.ColumnChunks()[t.vectors].NumValues() {
		v, err := columns[0].Next()
		if err != nil {
			return err
		}
		if v.RepetitionLevel() == 0 {
			if err := complete(); err != nil {
				return err
			}
			t.Next()
			if r.Vector, begun = r.Vector[:0], true; v.IsNull() { // of a list that is null, or empty
				continue
			}
		}
		if v.IsNull() || len(r.Vector) > maxNumbers {
			return fmt.Errorf("a vector has a null, or more than %d numbers", maxNumbers)
		}
		r.Vector = append(r.Vector, float32(t.number(v)))
	}
	return complete()
}

// idOf is a text, or an integer as it is written.
func idOf(v parquet.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.ByteArray:
		return string(v.ByteArray())
	case v.Kind() == parquet.Int32:
		return strconv.Itoa(int(v.Int32()))
	case v.Kind() == parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	}
	return ""
}
