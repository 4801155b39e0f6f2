package rowfile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/parquetfile"
)

// This file is the boundary to parquet-go for reading. The library checks most
// of what it reads but not all. Damaged levels, dictionaries and lengths make it
// index past the end of its buffers, which is a panic; a value of another type
// than its column makes it take a number for a pointer, which ends the process.
// No shard of ours gets here with other bytes than were written, as Open
// compares the hash; but a file that somebody else made, or that was damaged
// before it was hashed, must be an error and not the end of a worker that runs
// other units. So calls are guarded, and rows are checked before their values
// are used.

// ReadBatch is the number of rows decoded at once.
const ReadBatch = 16

// ReadGroup hands over the rows of a row group of the file, a batch at a time. The
// batch and what its values point to are reused.
func ReadGroup(ctx context.Context, file *parquetfile.File, group parquet.RowGroup, use func([]parquet.Row) error) error {
	var reader parquet.Rows
	var shape rowShape
	err := parquetfile.Guard(func() (err error) {
		reader = group.Rows()
		shape, err = shapeOf(group.Schema())
		return err
	})
	if err != nil {
		return Damage(err)
	}
	defer parquetfile.Guard(reader.Close)
	batch := make([]parquet.Row, ReadBatch)
	var rows int64
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 0
		file.Next()
		err := parquetfile.Guard(func() (err error) {
			n, err = reader.ReadRows(batch)
			return err
		})
		for _, row := range batch[:n] {
			if err := shape.check(row); err != nil {
				return fmt.Errorf("%w: row %d of a row group: %w", ErrCorrupt, rows, err)
			}
			rows++
		}
		if err := use(batch[:n]); err != nil {
			return err
		}
		switch {
		case err == io.EOF && rows == group.NumRows():
			return nil
		case err == io.EOF:
			return fmt.Errorf("%w: a row group of %d rows gives %d", ErrCorrupt, group.NumRows(), rows)
		case err != nil:
			return Damage(err)
		case n == 0: // it would go on like this forever
			return Damage(io.ErrNoProgress)
		}
	}
}

// rowShape is what the values of every row of a schema look like.
type rowShape []columnShape

type columnShape struct {
	kind                   parquet.Kind
	definition, repetition int // the highest levels
}

func shapeOf(schema *parquet.Schema) (rowShape, error) {
	var shape rowShape
	for _, path := range schema.Columns() {
		leaf, ok := schema.Lookup(path...)
		if !ok || leaf.ColumnIndex != len(shape) {
			return nil, fmt.Errorf("column %v has no place", path)
		}
		shape = append(shape, columnShape{leaf.Node.Type().Kind(), leaf.MaxDefinitionLevel, leaf.MaxRepetitionLevel})
	}
	return shape, nil
}

// maxRow bounds the bytes of a row's values: a list may hold a long text of a
// dictionary any number of times.
const maxRow = 256 << 20

var errShape = errors.New("its values do not fit the columns")

// check asks for every column in its order, each beginning with a value of
// repetition level 0, and for values of the column's type and levels.
func (s rowShape) check(row parquet.Row) error {
	column, size := -1, 0
	for i := range row {
		v := &row[i]
		if v.RepetitionLevel() == 0 {
			column++
		}
		if column < 0 || column >= len(s) || v.Column() != column {
			return errShape
		}
		c := &s[column]
		if v.RepetitionLevel() > c.repetition || v.DefinitionLevel() > c.definition {
			return errShape
		}
		if present := v.DefinitionLevel() == c.definition; v.IsNull() == present || present && v.Kind() != c.kind {
			return errShape
		}
		if c.kind == parquet.ByteArray || c.kind == parquet.FixedLenByteArray {
			size += len(v.ByteArray())
		}
	}
	if size > maxRow {
		return fmt.Errorf("its values have %d bytes, more than the %d that are read", size, maxRow)
	}
	if column != len(s)-1 {
		return errShape
	}
	return nil
}
