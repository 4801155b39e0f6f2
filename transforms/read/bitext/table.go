package bitext

import (
	"bytes"
	"errors"
	"strconv"

	"sentweave/transforms/read/quoted"
)

// NoColumn stands for a column that a table does not have.
const NoColumn = -1

// Layout says what the columns of a table are, counted from 0.
type Layout struct {
	// Texts are the columns of the texts.
	Texts []int
	// Score and Label are columns, or None.
	Score, Label int
	// DecimalComma says that scores may have a comma in the place of a point.
	DecimalComma bool
	// Count is the number of all columns; rows that have another one are rejected.
	Count int
}

// Table reads tables: columns parted by tabs, without quotes, or CSV as RFC 4180 has it,
// with line feeds in quoted values. Package quoted tells what becomes of a quote that is
// there by mistake.
type Table struct {
	lines  *Lines
	layout Layout
	csv    *quoted.Reader // else nil
	values [][]byte
	record Record
}

// NewTable returns a reader of a table. A comma, or what stands in its place, makes it CSV, of
// which lines must begin with a record; it is 0 for columns that are parted by tabs.
func NewTable(lines *Lines, layout Layout, comma byte) *Table {
	t := &Table{lines: lines, layout: layout}
	if comma != 0 {
		t.csv = quoted.NewReader(lines.Next, comma)
		t.csv.Values, t.csv.MaxBytes = layout.Count, MaxLine
	}
	return t
}

// Values returns the values of the next row as they are, valid until the next call: of
// the header. Reason is that of a row that cannot be read.
func (t *Table) Values() (values [][]byte, reason, detail string, err error) {
	if t.csv != nil {
		values, fault, err := t.csv.Next()
		switch {
		case err != nil:
			return nil, "", "", err
		case errors.Is(fault, quoted.ErrLong):
			return nil, TooLong, "", nil
		case fault != nil:
			return nil, Quotes, fault.Error(), nil
		}
		return values, "", "", nil
	}
	line, tooLong, err := t.lines.Next()
	switch {
	case err != nil:
		return nil, "", "", err
	case tooLong:
		return nil, TooLong, "", nil
	}
	for t.values = t.values[:0]; ; {
		value, rest, ok := bytes.Cut(line, []byte{'\t'})
		t.values = append(t.values, value)
		if !ok {
			return t.values, "", "", nil
		}
		line = rest
	}
}

// Next returns the next row, valid until the next call, and io.EOF after the last one.
func (t *Table) Next() (*Record, error) {
	r := &t.record
	r.begin(len(t.layout.Texts))
	values, reason, detail, err := t.Values()
	switch {
	case err != nil:
		return nil, err
	case reason != "":
		r.fail(reason, detail)
		return r, nil
	case len(values) != t.layout.Count:
		r.fail(Columns, strconv.Itoa(len(values))+", not "+strconv.Itoa(t.layout.Count))
		return r, nil
	}
	for i, column := range t.layout.Texts {
		r.text(i, values[column])
	}
	if t.layout.Score != NoColumn {
		r.number(values[t.layout.Score], t.layout.DecimalComma)
	}
	if t.layout.Label != NoColumn {
		r.label(values[t.layout.Label])
	}
	return r, nil
}
