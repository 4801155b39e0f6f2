// Package export writes the rows of a dataset for programs that do not read
// Parquet: as JSON lines, one column as lines of text or as a matrix of NumPy, or translations as TMX.
package export

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/stages/inspect"
)

// Formats.
const (
	jsonl = "jsonl"
	text  = "text"
	npy   = "npy"
	TMX   = "tmx"
)

// Config says what is written.
type Config struct {
	Format string `help:"Format (${enum}): an object a row, a column a line, a column of vectors as a matrix of NumPy, or a memory of translations that are ok or of bitext." default:"jsonl" enum:"jsonl,text,npy,tmx"`
	Column string `help:"Text and npy: the column, such as text_a or sentences.text; npy takes vector if none is given." placeholder:"COLUMN"`
	Where  string `help:"Export only rows that pass this filter; see inspect." placeholder:"FILTER"`
	Codes  string `help:"Npy: codes of vectors (${enum}), with the share of nearest neighbours that they keep: a signed byte for each number, its range cut into 255 steps, or a bit, 1 above 0, eight to a byte, as sentence-transformers' int8 and ubinary." default:"none" enum:"none,int8,binary"`
	Ranges string `help:"Codes int8: dataset of embeddings whose ranges are taken, such as the documents of queries; the rows' own if none is given." placeholder:"DIR"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	formats := []string{jsonl, text, npy, TMX}
	errs.Check(slices.Contains(formats, c.Format), "format %q: want one of %s", c.Format, strings.Join(formats, ", "))
	errs.Check(c.Format != text || c.Column != "", "format text needs --column, such as --column sentences.text")
	ofColumn := c.Format == text || c.Format == npy
	errs.Check(ofColumn || c.Column == "", "--column is for --format text and npy; %s has its own columns", c.Format)
	codes := cmp.Or(c.Codes, noCodes)
	errs.Check(slices.Contains([]string{noCodes, int8Codes, bitCodes}, codes), "codes %q: want none, int8 or binary", codes)
	errs.Check(c.Format == npy || codes == noCodes, "--codes is for --format npy")
	errs.Check(c.Ranges == "" || c.Codes == int8Codes, "--ranges is for --codes int8")
	return errs.Err()
}

// flushBytes is the size of the pieces that are written.
const flushBytes = 256 << 10

// Counts counts what was written.
type Counts struct {
	Rows int64
	// Replaced counts characters that the format cannot hold, for which others stand:
	// see tmx.Writer.
	Replaced int64
	// Codes says what codes of vectors keep; nil where none were made.
	Codes *Codes
}

// Write writes the rows of a complete dataset, in order. Faults in the filter or the
// column come before the first byte.
// A JSON row leaves out optional columns that are absent; see package inspect
// for the values, and Row.AppendLines for the lines of a text.
func Write(ctx context.Context, output io.Writer, d *inspect.Dataset, c Config) (counts Counts, err error) {
	if err := c.Validate(); err != nil {
		return counts, err
	}
	var memory memory
	if c.Format == TMX {
		if memory, err = memoryOf(d.Plan.Schema); err != nil {
			return counts, err
		}
	}
	table, err := d.Table(ctx)
	if err != nil {
		return counts, err
	}
	filter, err := table.Filter(ctx, c.Where)
	if err != nil {
		return counts, err
	}
	if c.Format == TMX {
		return memory.write(ctx, output, table, filter)
	}
	if c.Format == npy {
		m := matrix{table: table, column: cmp.Or(c.Column, vectorColumn), filter: filter, rows: d.Manifest.Rows}
		m.codes = cmp.Or(c.Codes, noCodes)
		if c.Ranges != "" {
			if m.ranges, err = rangesOf(ctx, c.Ranges); err != nil {
				return counts, err
			}
		}
		return m.write(ctx, output)
	}
	selection, appendRow, err := c.form(table.Schema)
	if err != nil {
		return counts, err
	}
	buffered := bufio.NewWriterSize(output, flushBytes)
	var line []byte
	for row, err := range table.Rows(ctx, selection.Union(filter.Selection)) {
		if err != nil {
			return counts, err
		}
		if !filter.Holds(row) {
			continue
		}
		line = appendRow(line[:0], row)
		if _, err := buffered.Write(line); err != nil {
			return counts, err
		}
		counts.Rows++
	}
	return counts, buffered.Flush()
}

// form returns the columns of the format and the function that prints a row.
func (c Config) form(schema *inspect.Schema) (inspect.Selection, func([]byte, *inspect.Row) []byte, error) {
	if c.Format == jsonl {
		selection, err := schema.Select()
		return selection, func(dst []byte, r *inspect.Row) []byte { return append(r.AppendJSON(dst, selection), '\n') }, err
	}
	column, err := schema.Column(c.Column)
	if err != nil {
		return inspect.Selection{}, nil, err
	}
	if !column.Leaf() {
		return inspect.Selection{}, nil, inspect.Faultf("column %s is a %s; choose one of its columns, such as %s", c.Column, column.Type(),
			column.Fields[0].Path)
	}
	selection, err := schema.Select(c.Column)
	return selection, func(dst []byte, r *inspect.Row) []byte { return r.AppendLines(dst, column) }, err
}
