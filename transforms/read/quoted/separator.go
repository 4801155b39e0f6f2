package quoted

import (
	"bytes"
	"io"
	"strings"
)

// separators that CSV is written with; spreadsheets take semicolons or tabs where numbers have a comma, and databases bars.
const separators = ",;\t|"

// sampled is how many records tell the separator, of which one in ten may be damaged.
const sampled = 100

// Separator returns what parts the values, by the beginning of a file, and whether its first line
// says so and is not a record: "sep=;" alone, as Excel has it. Otherwise the separator gives the records
// equally many values, two or more, and is none that is mostly a mark of texts and numbers: followed by a space, or between
// digits. Where several are possible, or none is, it is a comma if the first record has one, or
// else its first semicolon or tab. Complete says that the file ends with head.
func Separator(head []byte, complete bool) (comma byte, told bool) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	first = bytes.Trim(bytes.TrimSuffix(first, []byte{'\r'}), `"`)
	if len(first) == len("sep=;") && bytes.EqualFold(first[:4], []byte("sep=")) {
		return first[4], true
	}
	possible := byte(0)
	for _, c := range []byte(separators) {
		switch even := isEven(head, c, complete); {
		case even && !isMark(head, c):
			return c, false
		case even && possible == 0:
			possible = c
		}
	}
	if possible != 0 {
		return possible, false
	}
	return firstOf(head), false
}

// isEven says that a separator gives the records equally many values, two or more.
func isEven(head []byte, comma byte, complete bool) bool {
	r, _ := headReader(head, comma, complete)
	equal, records := 0, 0
	for ; records < sampled; records++ {
		values, fault, err := r.Next()
		if err != nil {
			break
		}
		if fault == nil && len(values) == r.Values {
			equal++
		}
	}
	return r.Values >= 2 && equal*10 >= records*9
}

// headReader reads the records of the beginning of a file, of which the last line is left out where it may go on.
// Ended becomes true when all lines are read.
func headReader(head []byte, comma byte, complete bool) (r *Reader, ended *bool) {
	ended = new(bool)
	rest := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	r = NewReader(func() ([]byte, bool, error) {
		text, suffix, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok && (len(text) == 0 || !complete) {
			*ended = true
			return nil, false, io.EOF
		}
		rest = suffix
		return bytes.TrimSuffix(text, []byte{'\r'}), false, nil
	}, comma)
	r.SkipBlank = true
	return r, ended
}

// IsQuoted says of the beginning of a file whose values are mostly written without quotes, such as TSV, that a program
// has put quotes where CSV needs them: all records can be read so, and a value holds a quote or the end of a line, or all values of
// several records are in quotes. A
// text that has a quote within is written otherwise by such a program, so that one of them is enough to
// tell that quotes are characters.
func IsQuoted(head []byte, comma byte, complete bool) bool {
	r, ended := headReader(head, comma, complete)
	evidence, all, records := false, true, 0
	for ; ; records++ {
		values, fault, err := r.Next()
		if err != nil || fault != nil && *ended && !complete { // the value goes on behind head
			return evidence || all && records > 1
		}
		all = all && r.quoted == len(values)
		if fault != nil || r.Values != len(values) || len(values) < 2 {
			return false
		}
		for _, v := range values {
			evidence = evidence || bytes.ContainsAny(v, "\"\n")
		}
	}
}

// IsPlain says of the beginning of a file that quotes are characters in it: of the records with quotes more are damaged than not.
func IsPlain(head []byte, comma byte, complete bool) bool {
	r, ended := headReader(head, comma, complete)
	balance := 0
	for {
		_, fault, err := r.Next()
		switch {
		case err != nil || fault != nil && *ended && !complete:
			return balance > 0
		case fault != nil:
			balance++
		case r.quoted > 0:
			balance--
		}
	}
}

// IsBackslash says of the beginning of a file that backslashes come before quotes that are characters: with them fewer than half
// as many records are damaged as without.
func IsBackslash(head []byte, comma byte, complete bool) bool {
	damaged := func(backslash bool) (n int) {
		r, ended := headReader(head, comma, complete)
		for r.Backslash = backslash; ; {
			_, fault, err := r.Next()
			if err != nil || fault != nil && *ended && !complete {
				return n
			}
			if fault != nil {
				n++
			}
		}
	}
	return bytes.Contains(head, []byte(`\"`)) && 2*damaged(true) < damaged(false)
}

// isMark says that a character is mostly a mark of texts and numbers where it is not quoted.
func isMark(head []byte, c byte) bool {
	digit := func(i int) bool { return i >= 0 && i < len(head) && head[i] >= '0' && head[i] <= '9' }
	open, marks, total := false, 0, 0
	for i, b := range head {
		switch {
		case b == '"':
			open = !open
		case b == c && !open:
			total++
			if i+1 < len(head) && head[i+1] == ' ' || digit(i-1) && digit(i+1) {
				marks++
			}
		}
	}
	return marks*2 > total
}

// firstOf returns the separator by the first record alone.
func firstOf(head []byte) byte {
	open, candidate := false, byte(0)
	for _, b := range head {
		switch {
		case b == '"':
			open = !open
		case open:
		case b == ',':
			return b
		case b == '\n' && candidate != 0:
			return candidate
		case b == '\n':
			return ','
		case candidate == 0 && strings.IndexByte(separators, b) >= 0:
			candidate = b
		}
	}
	if candidate != 0 {
		return candidate
	}
	return ','
}
