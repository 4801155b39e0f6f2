package benchmark

import (
	"bufio"
	"io"
	"iter"
	"unicode/utf8"

	"sentweave/transforms/read/quoted"
)

// quotedRecords yields the records of lines with fields between separators and quotes. A line
// without anything is none, nor is the first one if it tells the separator.
func (t Table) quotedRecords(lines iter.Seq2[Line, error]) iter.Seq2[fields, error] {
	return func(yield func(fields, error) bool) {
		next, stop := iter.Pull2(lines)
		defer stop()
		before := 0 // lines
		if t.told {
			if _, err, _ := next(); err != nil {
				yield(fields{}, err)
				return
			}
			before = 1
		}
		r := quoted.NewReader(func() ([]byte, bool, error) {
			l, err, ok := next()
			if !ok {
				err = io.EOF
			}
			return []byte(l.Text), false, err
		}, byte(t.Quoted))
		r.MaxBytes, r.SkipBlank, r.Backslash = maxLine, true, t.backslash
		for {
			values, fault, err := r.Next()
			if err == io.EOF {
				return
			}
			f := fields{line: before + r.Line(), valid: true, fault: fault}
			for _, v := range values {
				f.list, f.valid = append(f.list, string(v)), f.valid && utf8.Valid(v)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// detectedBytes are those at the beginning of a file that tell what stands between its fields.
const detectedBytes = 64 << 10

// detected returns the table with what its file says of the fields, the rest of the file, and whether scores may have a
// comma in the place of a point.
func (t Table) detected(r io.Reader) (Table, io.Reader, bool) {
	if t.Quoted != DetectCSV && t.Quoted != DetectTSV {
		return t, r, false
	}
	stream := bufio.NewReaderSize(r, detectedBytes)
	head, err := stream.Peek(detectedBytes) // reading returns the error
	if t.Quoted == DetectTSV {
		if t.Quoted = 0; quoted.IsQuoted(head, '\t', err != nil) {
			t.Quoted = '\t'
		}
		return t, stream, true
	}
	comma, told := quoted.Separator(head, err != nil)
	t.Quoted, t.told, t.backslash = rune(comma), told, quoted.IsBackslash(head, comma, err != nil)
	return t, stream, comma != ','
}
