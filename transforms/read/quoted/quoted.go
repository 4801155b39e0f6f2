// Package quoted reads records of CSV (RFC 4180) off lines: values between separators that
// may be quoted, and then hold separators, line ends and, doubled, quotes.
//
// # Bad data
//
// A quote that is there by mistake would take all records up to the next one with it. Where
// the lines of a record together are none, have another number of values than other records, or
// are mostly records by themselves, the first of them is a fault, and the next one
// begins a record. Lines of a value are none if the first or the last of them, read with its quotes as characters,
// has another number of values, or if their separators are marks of prose, as those of verses are: before a space, or at the
// end of the line. Memory is that of a record. Each line is read twice at most.
package quoted

import (
	"bytes"
	"errors"
	"io"
)

// Faults of records.
var (
	errOpen   = errors.New("a quote that the line does not close, and what follows is not a record with it")
	errWithin = errors.New("a quote is within a value")
	errSpace  = errors.New("a space is before the quote that a value begins with: it must follow the separator at once")
	errBehind = errors.New("something follows a quoted value")
	errReturn = errors.New("a carriage return without a line feed follows a quoted value: the line may be several rows")
	// ErrLong is the fault of a line that is too long for its source.
	ErrLong = errors.New("the line is too long")
)

// Lines gives the next line without its end, or io.EOF; tooLong says that it is cut. A line
// is good until the next one.
type Lines func() (line []byte, tooLong bool, err error)

// Reader reads records. It is not safe for concurrent use.
type Reader struct {
	// Values is the number of values of a record, which decides whether lines that a
	// quote joins are one; 0 takes that of the first record. Empty values behind them, as a
	// separator at the end of a line makes them, are left out.
	Values int
	// More says that records may have more values, too.
	More bool
	// Backslash says that a backslash comes before a quote, a separator or a backslash that is a character, as Spark and
	// MySQL write them.
	Backslash bool
	// MaxBytes is the size of the largest record of several lines.
	MaxBytes int
	// SkipBlank passes over lines without anything where a record would begin.
	SkipBlank bool

	lines  Lines
	comma  []byte
	back   []line // that were read beyond a fault, the next one last
	number int    // of the last line that was used up
	line   int
	text   []byte // of that line
	values [][]byte
	row    []byte // the values with quotes
	quoted int    // how many these are
}

// line is a line that is kept.
type line struct {
	text    []byte
	tooLong bool
}

// NewReader returns a reader of lines with a separator.
func NewReader(lines Lines, comma byte) *Reader {
	return &Reader{lines: lines, comma: []byte{comma}, MaxBytes: 1 << 20}
}

// Line is the number of the line where the last record began, from 1.
func (r *Reader) Line() int { return r.line }

// Text is the line where the last record began, good until the next call.
func (r *Reader) Text() []byte { return r.text }

func (r *Reader) next() (text []byte, tooLong bool, err error) {
	if n := len(r.back); n > 0 {
		l := r.back[n-1]
		r.back = r.back[:n-1]
		r.number++
		return l.text, l.tooLong, nil
	}
	if text, tooLong, err = r.lines(); err == nil {
		r.number++
	}
	return text, tooLong, err
}

// Next returns the values of the next record, good until the next call, or its fault. An error
// is that of the lines: io.EOF after the last record.
func (r *Reader) Next() (values [][]byte, fault, err error) {
	text, tooLong, err := r.next()
	for err == nil && r.SkipBlank && len(text) == 0 {
		text, tooLong, err = r.next()
	}
	if err != nil {
		return nil, nil, err
	}
	switch r.line, r.text = r.number, text; {
	case tooLong:
		return nil, ErrLong, nil
	case !r.open(text):
		values, fault = r.split(text)
	default:
		if values, err = r.join(text); err != nil {
			return nil, nil, err
		}
		if values == nil {
			return nil, errOpen, nil
		}
	}
	if r.Values == 0 && fault == nil {
		r.Values = len(values)
	}
	return values, fault, nil
}

// join reads a record that goes on in the lines that follow; nil if it is none.
func (r *Reader) join(first []byte) ([][]byte, error) {
	joined := bytes.Clone(first)
	r.text = joined[:len(first):len(first)] // which stays, while the lines that follow take the place of the first
	ends := []int{len(joined)}              // of the lines
	tooLong := false
	for open := true; open && !tooLong && len(joined) <= r.MaxBytes; {
		text, long, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		joined = append(append(joined, '\n'), text...)
		ends, tooLong = append(ends, len(joined)), long
		open = !r.open(text)
	}
	if !r.open(joined) && !tooLong && len(joined) <= r.MaxBytes && !r.records(joined, ends) {
		if values, fault := r.split(joined); fault == nil && r.fits(len(values)) {
			return values, nil
		}
	}
	for i := len(ends) - 1; i > 0; i-- {
		r.back = append(r.back, line{joined[ends[i-1]+1 : ends[i] : ends[i]], tooLong && i == len(ends)-1})
	}
	r.number -= len(ends) - 1
	return nil, nil
}

// fewRecords are as many lines as may by chance have the separators of a record each.
const fewRecords = 8

// records says that the lines are records by themselves, of which the first and the last have a quote that is there by mistake.
func (r *Reader) records(joined []byte, ends []int) bool {
	if r.Values < 2 || len(ends)-2 < fewRecords {
		return false
	}
	last := ends[len(ends)-2] // where the line before the last one ends
	for _, edge := range [][]byte{joined[:ends[0]], joined[last+1:]} {
		if !r.fits(bytes.Count(edge, r.comma) + 1) {
			return false
		}
	}
	if isProse(joined[ends[0]:last+1], r.comma[0]) && !isProse(joined[last:], r.comma[0]) {
		return false
	}
	for i := 1; i < len(ends)-1; i++ {
		if values, fault := r.split(joined[ends[i-1]+1 : ends[i]]); fault != nil || !r.fits(len(values)) {
			return false
		}
	}
	return true
}

// fits says that a record may have n values.
func (r *Reader) fits(n int) bool { return r.Values == 0 || n == r.Values || r.More && n > r.Values }

// Cut leaves out empty values behind the first n.
func Cut(values [][]byte, n int) [][]byte {
	for len(values) > n && len(values[len(values)-1]) == 0 {
		values = values[:len(values)-1]
	}
	return values
}

// isProse says that most of the separators in some lines come before a space or the end of a line.
func isProse(lines []byte, comma byte) bool {
	marks := bytes.Count(lines, []byte{comma, ' '}) + bytes.Count(lines, []byte{comma, '\n'})
	return 2*marks > bytes.Count(lines, []byte{comma})
}

// split parts a record into its values.
func (r *Reader) split(text []byte) (values [][]byte, fault error) {
	if values, fault = r.parts(text); r.Values > 0 {
		values = Cut(values, r.Values)
	}
	return values, fault
}

func (r *Reader) parts(text []byte) (values [][]byte, fault error) {
	r.values, r.row, r.quoted = r.values[:0], r.row[:0], 0
	if cap(r.row) < len(text) {
		r.row = make([]byte, 0, 2*len(text))
	}
	for {
		start := len(r.row)
		if len(text) == 0 || text[0] != '"' {
			value, end := text, r.until(text, r.comma[0])
			if end >= 0 {
				value = text[:end]
			}
			switch i := r.until(value, '"'); {
			case i > 0 && len(bytes.TrimLeft(value[:i], " ")) == 0:
				return nil, errSpace
			case i >= 0:
				return nil, errWithin
			}
			if r.Backslash {
				r.row = r.literal(r.row, value)
				value = r.row[start:len(r.row):len(r.row)]
			}
			if r.values = append(r.values, value); end < 0 {
				return r.values, nil
			}
			text = text[end+1:]
			continue
		}
		text = text[1:]
		r.quoted++
		for {
			i := r.until(text, '"')
			if i < 0 {
				return nil, errOpen
			}
			r.row = r.literal(r.row, text[:i])
			text = text[i+1:]
			if len(text) == 0 || text[0] != '"' {
				break
			}
			r.row, text = append(r.row, '"'), text[1:]
		}
		r.values = append(r.values, r.row[start:len(r.row):len(r.row)])
		switch {
		case len(text) == 0:
			return r.values, nil
		case text[0] == '\r':
			return nil, errReturn
		case text[0] != r.comma[0]:
			return nil, errBehind
		}
		text = text[1:]
	}
}

// open says that a line opens a value, or ends one, that other lines go on with. Quotes that escape one come in pairs.
func (r *Reader) open(text []byte) bool {
	n := 0
	for i := r.until(text, '"'); i >= 0; i = r.until(text, '"') {
		n, text = n+1, text[i+1:]
	}
	return n%2 == 1
}

// until returns where a character comes first, but not behind a backslash if that means something; -1 if nowhere.
func (r *Reader) until(text []byte, c byte) int {
	if !r.Backslash {
		return bytes.IndexByte(text, c)
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case c:
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// literal appends a text without the backslashes that mean something.
func (r *Reader) literal(dst, text []byte) []byte {
	if !r.Backslash {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\' || text[i+1] == r.comma[0]) {
			i++
		}
		dst = append(dst, text[i])
	}
	return dst
}
