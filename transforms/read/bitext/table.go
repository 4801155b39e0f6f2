package bitext

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
)

// None stands for a column that a table does not have.
const None = -1

// Layout says what the columns of a table are, counted from 0.
type Layout struct {
	// Texts are the columns of the texts.
	Texts []int
	// Score and Label are columns, or None.
	Score, Label int
	// Count is the number of all columns; rows that have another one are rejected.
	Count int
}

// Table reads tables: columns parted by tabs, without quotes, or CSV as RFC 4180 has it,
// with line feeds in quoted values.
type Table struct {
	lines  *Lines
	layout Layout
	comma  []byte // of CSV, else nil
	values [][]byte
	joined []byte // a record of several lines
	row    []byte // the values of a row with quotes
	record Record
}

// NewTable returns a reader of a table. A comma, or what stands in its place, makes it CSV, of
// which lines must begin with a record; it is 0 for columns that are parted by tabs.
func NewTable(lines *Lines, layout Layout, comma byte) *Table {
	t := &Table{lines: lines, layout: layout}
	if comma != 0 {
		t.comma = []byte{comma}
	}
	return t
}

// Comma returns what parts the values of CSV, by the beginning of a file: a comma, or, if its first
// record has none, the semicolon or tab that spreadsheets write where numbers have a comma.
func Comma(head []byte) byte {
	quoted, comma := false, byte(0)
	for _, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			return c
		case c == '\n':
			return cmp.Or(comma, ',')
		case comma == 0 && (c == ';' || c == '\t'):
			comma = c
		}
	}
	return cmp.Or(comma, ',')
}

// Values returns the values of the next row as they are, valid until the next call: of
// the header. Reason is that of a row that cannot be read.
func (t *Table) Values() (values [][]byte, reason, detail string, err error) {
	line, tooLong, err := t.lines.Next()
	switch {
	case err != nil:
		return nil, "", "", err
	case tooLong:
		return nil, TooLong, "", nil
	}
	t.values = t.values[:0]
	if t.comma == nil {
		for {
			value, rest, more := bytes.Cut(line, []byte{'\t'})
			t.values = append(t.values, value)
			if !more {
				return t.values, "", "", nil
			}
			line = rest
		}
	}
	return t.csvValues(line)
}

// csvValues parts a record of CSV, which may go on in the lines that follow.
func (t *Table) csvValues(line []byte) (values [][]byte, reason, detail string, err error) {
	if open := quotes(line)%2 != 0; open { // or a quote is misplaced
		t.joined = append(t.joined[:0], line...)
		for open {
			next, tooLong, err := t.lines.Next()
			switch {
			case err == io.EOF:
				return nil, Quotes, "a quote is open at the end of the file", nil
			case err != nil:
				return nil, "", "", err
			case tooLong || len(t.joined)+len(next) > MaxLine:
				return nil, Quotes, fmt.Sprintf("a quote is open for more than %d bytes", MaxLine), nil
			}
			t.joined = append(append(t.joined, '\n'), next...)
			open = quotes(next)%2 == 0
		}
		line = t.joined
	}
	t.row = t.row[:0]
	if cap(t.row) < len(line) {
		t.row = make([]byte, 0, 2*len(line))
	}
	for {
		if len(line) == 0 || line[0] != '"' {
			value, rest, more := bytes.Cut(line, t.comma)
			if bytes.IndexByte(value, '"') >= 0 {
				return nil, Quotes, "a quote stands within a value", nil
			}
			t.values = append(t.values, value)
			if !more {
				return t.values, "", "", nil
			}
			line = rest
			continue
		}
		line = line[1:]
		start := len(t.row)
		for {
			i := bytes.IndexByte(line, '"')
			if i < 0 {
				return nil, Quotes, "a quote is open", nil
			}
			t.row = append(t.row, line[:i]...)
			line = line[i+1:]
			if len(line) == 0 || line[0] != '"' {
				break
			}
			t.row, line = append(t.row, '"'), line[1:]
		}
		t.values = append(t.values, t.row[start:len(t.row):len(t.row)])
		switch {
		case len(line) == 0:
			return t.values, "", "", nil
		case line[0] != t.comma[0]:
			return nil, Quotes, "something follows a quoted value", nil
		}
		line = line[1:]
	}
}

func quotes(line []byte) int { return bytes.Count(line, []byte{'"'}) }

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
	if t.layout.Score != None {
		r.number(values[t.layout.Score])
	}
	if t.layout.Label != None {
		r.label(values[t.layout.Label])
	}
	return r, nil
}
