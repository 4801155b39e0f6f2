// Package export writes the rows of a dataset for programs that do not read
// Parquet: as JSON lines, or one column as lines of text.
package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"sentweave/stages/inspect"
)

// Formats.
const (
	JSONL = "jsonl"
	Text  = "text"
)

// Config says what is written.
type Config struct {
	Format string `help:"Format (${enum}): an object a row, or one column a line." default:"jsonl" enum:"jsonl,text"`
	Column string `help:"Text: the column, such as text_a or sentences.text." placeholder:"COLUMN"`
	Where  string `help:"Export only rows that pass this filter; see inspect." placeholder:"FILTER"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs []error
	if c.Format != JSONL && c.Format != Text {
		errs = append(errs, fmt.Errorf("format %q: want %s or %s", c.Format, JSONL, Text))
	}
	if c.Format == Text && c.Column == "" {
		errs = append(errs, errors.New("format text needs --column, such as --column sentences.text"))
	}
	if c.Format == JSONL && c.Column != "" {
		errs = append(errs, errors.New("column is for --format text; JSON lines have all columns"))
	}
	return errors.Join(errs...)
}

// flushBytes is the size of the pieces that are written.
const flushBytes = 256 << 10

// Write writes the rows of a complete dataset, in order, and returns how many
// rows it took. Faults in the filter or the column come before the first byte.
// A JSON row leaves out optional columns that are absent; see package inspect
// for the values, and Row.AppendLines for the lines of a text.
func Write(ctx context.Context, to io.Writer, d *inspect.Dataset, c Config) (rows int64, err error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	shards, err := d.Shards(ctx)
	if err != nil {
		return 0, err
	}
	schema, err := d.Schema(ctx, shards, d.Plan.Schema)
	if err != nil {
		return 0, err
	}
	filter, err := schema.Filter(c.Where)
	if err != nil {
		return 0, err
	}
	wanted, appendRow, err := c.form(schema)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(to, flushBytes)
	var line []byte
	for row, err := range d.Rows(ctx, shards, schema, wanted.Union(filter.Selection)) {
		if err != nil {
			return rows, err
		}
		if !filter.Holds(row) {
			continue
		}
		line = appendRow(line[:0], row)
		if _, err := out.Write(line); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, out.Flush()
}

// form returns the columns of the format and the function that prints a row.
func (c Config) form(schema *inspect.Schema) (inspect.Selection, func([]byte, *inspect.Row) []byte, error) {
	if c.Format == JSONL {
		all, err := schema.Select()
		return all, func(to []byte, r *inspect.Row) []byte { return append(r.AppendJSON(to, all), '\n') }, err
	}
	column, err := schema.Column(c.Column)
	if err != nil {
		return inspect.Selection{}, nil, err
	}
	if !column.Leaf() {
		return inspect.Selection{}, nil, inspect.Faultf("column %s is a %s; choose one of its columns, such as %s", c.Column, column.Type(), column.Fields[0].Path)
	}
	one, err := schema.Select(c.Column)
	return one, func(to []byte, r *inspect.Row) []byte { return r.AppendLines(to, column) }, err
}
