// Package bitext reads texts that translate each other, or that somebody has compared,
// record by record: line-aligned files, of which line n of one translates line n of the
// others, as in the Moses format of OPUS; tables with a text in each of some columns; and
// lines of JSON.
//
// # Behavior
//
// A line ends at a line feed and nowhere else; a carriage return before it belongs to
// the end. U+0085, U+2028 and a carriage return alone are characters of the line: programs
// that take them for ends shift one side against the other. Texts lose the white space
// around them, and a byte order mark at the beginning of a file. A text without anything to see,
// such as one of zero-width spaces, is empty.
//
// # Bad data
//
// A record that cannot be read is a Record with a Reason, and reading goes on with the
// next one, which is still aligned. Errors are those of the source, and errUneven. Memory is
// bounded by MaxLine for each side.
//
// # Determinism
//
// Records are functions of the bytes that are read and of the settings.
package bitext

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/blank"
)

// MaxLine is the longest line that is read, in bytes; of CSV, the longest record.
const MaxLine = 1 << 20

// Reasons of records that cannot be used.
const (
	// TooLong: a line has more than MaxLine bytes.
	TooLong = "line_too_long"
	// InvalidEncoding: a text is not UTF-8.
	InvalidEncoding = "invalid_utf8"
	// Columns: a row of a table has another number of columns than the table.
	Columns = "wrong_columns"
	// Header: a row of a table has the names of the columns again.
	Header = "repeated_header"
	// Quotes: a line of CSV has a quote that does not end in what is a record with it, or
	// something follows its end.
	Quotes = "damaged_quotes"
	// Number: a score or target is not a finite decimal number.
	Number = "no_number"
	// JSON: the line is not a JSON object.
	JSON = "damaged_json"
	// Repeated: a field occurs twice in its object.
	Repeated = "repeated_field"
	// Field: a field is absent, or is of another type; of texts, so that fewer than two are there.
	Field = "no_field"
)

// errUneven: the files that are read beside each other have not equally many lines.
var errUneven = errors.New("the files have not equally many lines")

// Record is a text in several languages, or several texts that belong together.
type Record struct {
	// Texts are valid until the next record is read. All are valid UTF-8 unless there is a
	// Reason; they may be empty. One that is nil is not in the record, as a field that is absent.
	Texts [][]byte
	// Score is NaN where there is none; else it is finite, also as float32.
	Score float64
	// Label is valid until the next record is read.
	Label []byte
	// Reason is "" for a record that was read; Detail says more.
	Reason, Detail string
	// Sample is the beginning of a record that has a Reason, as far as it is not in Texts: its first line, whatever bytes are in it. It
	// is valid until the next record is read.
	Sample []byte
	// Blank is the number of lines before the record's that are passed over.
	Blank int64
}

// begin makes the record empty, with so many texts.
func (r *Record) begin(texts int) {
	if cap(r.Texts) < texts {
		r.Texts = make([][]byte, texts)
	}
	r.Texts = r.Texts[:texts]
	clear(r.Texts)
	r.Score, r.Label, r.Reason, r.Detail, r.Sample, r.Blank = math.NaN(), nil, "", "", nil, 0
}

// fail gives the record a reason, unless it has one.
func (r *Record) fail(reason, detail string) {
	if r.Reason == "" {
		r.Reason, r.Detail = reason, detail
	}
}

// text sets a text.
func (r *Record) text(i int, value []byte) {
	if r.Texts[i] = trim(value); blank.IsBlank(r.Texts[i]) {
		r.Texts[i] = []byte{}
	}
	if !utf8.Valid(value) {
		r.fail(InvalidEncoding, "text "+strconv.Itoa(i+1))
	}
}

// number sets the score.
func (r *Record) number(value []byte, decimalComma bool) {
	x, ok := ParseNumber(string(trim(value)), decimalComma)
	if !ok {
		r.fail(Number, strconv.Quote(string(value[:min(len(value), 40)])))
		return
	}
	r.Score = x
}

// ParseNumber reads a decimal number that is finite as float32. DecimalComma says that it may have a comma in the
// place of its point, and the other of both marks between thousands, as in 1.234,5.
func ParseNumber(text string, decimalComma bool) (x float64, ok bool) {
	if i := strings.LastIndexAny(text, ",."); decimalComma && i > 0 && IsGrouped(text[:i], text[i]) {
		text = strings.NewReplacer(",", "", ".", "").Replace(text[:i]) + text[i:]
	}
	if decimalComma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(float64(float32(x)), 0) &&
		!strings.ContainsAny(text, "xX_") // which Go alone writes
}

// ScoreOfLast makes the last text the score.
func (r *Record) ScoreOfLast() {
	last := len(r.Texts) - 1
	if r.Reason == "" {
		r.number(r.Texts[last], false)
	}
	r.Texts = r.Texts[:last]
}

// label sets the label.
func (r *Record) label(value []byte) {
	r.Label = trim(value)
	if !utf8.Valid(value) {
		r.fail(InvalidEncoding, "the label")
	}
}

// trim cuts the white space around a text.
func trim(b []byte) []byte {
	if n := len(b); n > 0 && b[0] > ' ' && b[0] < utf8.RuneSelf && b[n-1] > ' ' && b[n-1] < utf8.RuneSelf {
		return b
	}
	return bytes.TrimFunc(b, unicode.IsSpace)
}
