package bitext

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	// DecimalComma says that scores may have a comma in the place of a point. Decimal is the mark, a comma or a
	// point, that other numbers of the column have before decimals, or 0: a number in which the other mark may part
	// thousands, such as 1.234 beside 0,5, is rejected.
	DecimalComma bool
	Decimal      byte `json:",omitempty"`
	// Count is the number of all columns; rows that have another one are rejected. Empty values behind them count for nothing.
	Count int
	// Least is the number of columns that a row must have where Count is only that of most rows, else 0. A row of CSV of another
	// length is rejected if a value has a space at its beginning: its text may have a comma that should have been quoted.
	Least int `json:",omitempty"`
	// Names are those of all columns, if a row has them. A row behind it that is the same, as of files that were joined, is rejected.
	Names []string `json:",omitempty"`
	// Backslash says that CSV has backslashes before quotes that are characters.
	Backslash bool `json:",omitempty"`
}

// Table reads tables: columns parted by tabs, without quotes, or CSV as RFC 4180 has it,
// with line feeds in quoted values. Package quoted tells what becomes of a quote that is
// there by mistake.
type Table struct {
	lines  *Lines
	layout Layout
	csv    *quoted.Reader // else nil
	values [][]byte
	line   []byte // of the last row, or the first one of several
	record Record
}

// NewTable returns a reader of a table. A comma, or what is in its place, makes it CSV, of
// which lines must begin with a record; it is 0 for columns that are parted by tabs.
func NewTable(lines *Lines, layout Layout, comma byte) *Table {
	t := &Table{lines: lines, layout: layout}
	if comma != 0 {
		t.csv = quoted.NewReader(lines.Next, comma)
		t.csv.Values, t.csv.MaxBytes = layout.Count, MaxLine
		if t.csv.Backslash = layout.Backslash; layout.Least > 0 {
			t.csv.Values, t.csv.More = layout.Least, true
		}
	}
	return t
}

// Values returns the values of the next row as they are, valid until the next call: of
// the header. Reason is that of a row that cannot be read.
func (t *Table) Values() (values [][]byte, reason, detail string, err error) {
	if t.csv != nil {
		values, fault, err := t.csv.Next()
		t.line = t.csv.Text()
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
	t.line = line
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
		r.Sample = t.line
		return r, nil
	case t.layout.isHeader(values):
		r.fail(Header, "")
		r.Sample = t.line
		return r, nil
	case !t.layout.fits(quoted.Cut(values, t.layout.Count), t.csv != nil):
		r.fail(Columns, strconv.Itoa(len(values))+", not "+strconv.Itoa(t.layout.Count))
		r.Sample = t.line
		return r, nil
	}
	for i, column := range t.layout.Texts {
		r.text(i, values[column])
	}
	if t.layout.Score != NoColumn {
		score := values[t.layout.Score]
		if r.number(score, t.layout.DecimalComma); IsGrouped(string(trim(score)), t.layout.Decimal) {
			r.fail(Number, strconv.Quote(string(score))+" may have thousands or decimals")
		}
	}
	if t.layout.Label != NoColumn {
		r.label(values[t.layout.Label])
	}
	return r, nil
}

// isHeader says that a row is that of the names.
func (l Layout) isHeader(values [][]byte) bool {
	if len(l.Names) == 0 || len(values) < len(l.Names) || string(bytes.TrimPrefix(values[0], mark)) != l.Names[0] {
		return false
	}
	rest := quoted.Cut(values, len(l.Names))[1:]
	return slices.EqualFunc(rest, l.Names[1:], func(value []byte, name string) bool { return string(value) == name })
}

// fits says that a row has the columns that are asked for, each in its place.
func (l Layout) fits(values [][]byte, csv bool) bool {
	switch {
	case len(values) < l.Least:
		return false
	case len(values) == l.Count:
		return true
	case l.Least == 0:
		return false
	}
	near := values[1:min(len(values), l.Least+1)] // where a comma of a text that is asked for puts what follows it
	return !csv || !slices.ContainsFunc(near, func(v []byte) bool { return bytes.HasPrefix(v, []byte{' '}) })
}

// grouped are numbers of which a mark may part the thousands.
var grouped = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}([.,]\d{3})+$`)

// IsGrouped says that a number has marks, other than the one before decimals, that may part its thousands. There is none if
// decimal is 0.
func IsGrouped(text string, decimal byte) bool {
	return decimal != 0 && strings.IndexByte(text, decimal) < 0 && grouped.MatchString(text)
}
