package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/dataset"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// columns that are read; the first four must be there.
const (
	columnText = iota
	columnTranslation
	columnSource
	columnTarget
	columnKey
	columnEngine
	columnModel
	columnOptions
	columnStatus
	columnReason
	columnCount
)

var columnNames = [columnCount]string{"text", "translation", "source_language", "target_language", "key", "engine", "model", "options_xxh3",
	"status", "reason"}

// errColumns: a Parquet file holds something else.
var errColumns = errors.New("it is not a table of translations")

// table is an open Parquet file.
type table struct {
	storage.Object
	file    *parquetfile.File
	columns [columnCount]int // their numbers, -1 for those that are absent
}

// openTable opens a Parquet file and finds its columns, which must be plain texts.
func openTable(ctx context.Context, folder storage.Folder, name string) (*table, error) {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &table{Object: object}
	err = parquetfile.Guard(func() (err error) {
		if t.file, err = parquetfile.Open(object, object.Size()); err != nil {
			return err
		}
		var missing []string
		for i, column := range columnNames {
			t.columns[i] = -1
			leaf, ok := t.file.Schema().Lookup(column)
			if ok && leaf.Node.Leaf() && leaf.MaxRepetitionLevel == 0 && leaf.Node.Type().Kind() == parquet.ByteArray {
				t.columns[i] = leaf.ColumnIndex
			} else if i <= columnTarget || ok {
				missing = append(missing, column)
			}
		}
		if len(missing) > 0 {
			err = fmt.Errorf("%w: it has no column of texts %s", errColumns, strings.Join(missing, ", "))
		}
		return err
	})
	if err != nil {
		object.Close()
		return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
	}
	return t, nil
}

// tableRow is a row by its columns; an absent value is empty.
type tableRow [columnCount]string

// The bytes of a row: of its texts together, and of each other column.
const (
	maxTexts = 16 << 20
	maxName  = 4 << 10
)

// tooLarge returns what a row has too much of, and how much that is.
func (r *tableRow) tooLarge() (what string, size int) {
	if size := len(r[columnText]) + len(r[columnTranslation]); size > maxTexts {
		return "texts", size
	}
	for i := columnSource; i < columnCount; i++ {
		if len(r[i]) > maxName {
			return columnNames[i], len(r[i])
		}
	}
	return "", 0
}

// rows calls use for each row of the row groups [from, to), with its number in the file.
func (t *table) rows(ctx context.Context, from, to int64, use func(number int64, row tableRow) error) error {
	groups := t.file.RowGroups()
	if from < 0 || from > to || to > int64(len(groups)) {
		return fmt.Errorf("row groups %d to %d are asked for, it has %d; `sentweave memories` with --overwrite makes the dataset anew",
			from, to, len(groups))
	}
	var number int64
	for _, group := range groups[:from] {
		number += group.NumRows()
	}
	for i, group := range groups[from:to] {
		if err := t.group(ctx, group, max(leastGroup, mostExpansion*t.file.GroupBytes(int(from)+i)), number, use); err != nil {
			return err
		}
		number += group.NumRows()
	}
	return nil
}

// A row group may have values of leastGroup bytes, or mostExpansion times those that it
// takes in the file: one long value may be in any number of its rows.
const (
	leastGroup    = 64 << 20
	mostExpansion = 64
)

// group reads a row group whose values have limit bytes at most.
func (t *table) group(ctx context.Context, group parquet.RowGroup, limit, first int64, use func(number int64, row tableRow) error) error {
	readers, err := parquetfile.Columns(group, t.columns[:])
	defer func() {
		for _, r := range readers {
			r.Close()
		}
	}()
	if err != nil {
		return err
	}
	remaining := limit
	for i := range group.NumRows() {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.file.Next()
		var row tableRow
		for column, r := range readers {
			if r == nil {
				continue
			}
			if row[column], err = next(r); err != nil {
				return fmt.Errorf("column %s, row %d: %w", columnNames[column], first+i, err)
			}
			if remaining -= int64(len(row[column])); remaining < 0 {
				return fmt.Errorf("the values of its row group that ends at row %d have more than %d bytes, %d times those that they take in the file; "+
					"write the file anew without the texts that are repeated", first+group.NumRows(), limit, mostExpansion)
			}
		}
		if err := use(first+i, row); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next text of a column; a null is empty.
func next(column *parquetfile.Column) (string, error) {
	v, err := column.Next()
	switch {
	case err != nil || v.IsNull():
		return "", err
	case v.Kind() != parquet.ByteArray:
		return "", fmt.Errorf("%w: a value of another type", dataset.ErrCorrupt)
	}
	return string(v.ByteArray()), nil
}
