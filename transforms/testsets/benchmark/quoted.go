package benchmark

import (
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"strings"
)

// errSpan is the fault of a line with a quote that no later line closes to a record.
var errSpan = errors.New("a quote that the line does not close, and what follows is no record with it")

// quotedRecords yields the records of lines with fields between separators and quotes, as
// RFC 4180 has them with commas: a record may go on over lines as long as a quote is open. A quote that is
// there by mistake would take all records up to the next one with it: where lines
// together are no record, or have another number of fields than the first record, the
// first of them is a fault by itself, and the next one begins a record.
func quotedRecords(lines iter.Seq2[Line, error], separator rune) iter.Seq2[fields, error] {
	return func(yield func(fields, error) bool) {
		next, stop := iter.Pull2(lines)
		defer stop()
		c := quotedReader{read: next, separator: separator}
		for {
			f, ok, err := c.record()
			if !ok && err == nil || !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// quotedReader takes records off lines.
type quotedReader struct {
	read      func() (Line, error, bool)
	separator rune
	// back are lines that were read beyond a fault, the next one last.
	back []Line
	// fields is the number of those of the first record.
	fields int
}

func (c *quotedReader) line() (l Line, ok bool, err error) {
	if n := len(c.back); n > 0 {
		l, c.back = c.back[n-1], c.back[:n-1]
		return l, true, nil
	}
	l, err, ok = c.read()
	return l, ok && err == nil, err
}

// record returns the next record; a line without anything is none.
func (c *quotedReader) record() (f fields, ok bool, err error) {
	var list []Line
	for open, bytes := true, 0; open && bytes <= maxLine; {
		l, ok, err := c.line()
		if err != nil || !ok && len(list) == 0 {
			return f, false, err
		}
		if !ok {
			break
		}
		if len(list) == 0 && l.Text == "" {
			continue
		}
		list = append(list, l)
		bytes += len(l.Text)
		// In a record quotes come in pairs: those that escape one, too.
		open = (strings.Count(l.Text, `"`)%2 == 1) == (len(list) == 1)
	}
	f.line, f.valid = list[0].Number, true
	var text strings.Builder
	for i, l := range list {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(l.Text)
		f.valid = f.valid && l.Valid
	}
	f.list, f.fault = splitQuoted(text.String(), c.separator)
	if len(list) > 1 && (f.fault != nil || c.fields > 0 && len(f.list) != c.fields) {
		f = fields{line: list[0].Number, valid: list[0].Valid, fault: errSpan}
		for i := len(list) - 1; i > 0; i-- {
			c.back = append(c.back, list[i])
		}
	}
	if c.fields == 0 && f.fault == nil {
		c.fields = len(f.list)
	}
	return f, true, nil
}

// splitQuoted returns the fields of a record.
func splitQuoted(record string, separator rune) ([]string, error) {
	if !strings.Contains(record, `"`) {
		return strings.Split(record, string(separator)), nil
	}
	r := csv.NewReader(strings.NewReader(record))
	r.Comma, r.FieldsPerRecord = separator, -1
	list, err := r.Read()
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return nil, wrong.Err
	}
	if err == nil {
		if _, more := r.Read(); !errors.Is(more, io.EOF) {
			return nil, errSpan // a line that is closed, and others behind it
		}
	}
	return list, err
}
