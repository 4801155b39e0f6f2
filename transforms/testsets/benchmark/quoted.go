package benchmark

import (
	"io"
	"iter"
	"unicode/utf8"

	"sentweave/transforms/read/quoted"
)

// quotedRecords yields the records of lines with fields between separators and quotes. A line
// without anything is none.
func quotedRecords(lines iter.Seq2[Line, error], separator rune) iter.Seq2[fields, error] {
	return func(yield func(fields, error) bool) {
		next, stop := iter.Pull2(lines)
		defer stop()
		r := quoted.NewReader(func() ([]byte, bool, error) {
			l, err, ok := next()
			if !ok {
				err = io.EOF
			}
			return []byte(l.Text), false, err
		}, byte(separator))
		r.MaxBytes, r.SkipBlank = maxLine, true
		for {
			values, fault, err := r.Next()
			if err == io.EOF {
				return
			}
			f := fields{line: r.Line(), valid: true, fault: fault}
			for _, v := range values {
				f.list, f.valid = append(f.list, string(v)), f.valid && utf8.Valid(v)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}
