package senteval

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// LoaderRows counts the rows that SentEval's loader sees in a file of a task, which is
// not always the number of lines: Python's text files end lines at CR too, splitlines
// at ten characters, and bytes of UTF-8 that are read as Latin-1 are among those. With
// shimmed, the loader is the one with Shim. Name is the file's, of the scores and
// labels too. Rows without gold count.
func LoaderRows(t Task, name string, data []byte, shimmed bool) (int, error) {
	latin1 := t.Latin1 && !strings.Contains(name, "/labels.")
	var text []rune
	if latin1 && !(shimmed && utf8.Valid(data)) {
		for _, c := range data {
			text = append(text, rune(c))
		}
	} else {
		if !latin1 && !utf8.Valid(data) {
			return 0, fmt.Errorf("%s is not UTF-8: SentEval's loader stops with UnicodeDecodeError", name)
		}
		text = []rune(string(data))
	}
	cuts := t.kind == kindLines || t.kind == kindSTS || t.kind == kindSNLI
	n, open := 0, false
	for i, r := range text {
		switch {
		case r == '\n' && i > 0 && text[i-1] == '\r':
			// The CR has ended the line.
		case r == '\n' || r == '\r' || cuts && isPythonLineEnd(r):
			n, open = n+1, false
		default:
			open = true
		}
	}
	if open {
		n++
	}
	if t.kind == kindMRPC || t.kind == kindSICK {
		n = max(0, n-1)
	}
	return n, nil
}

// isPythonLineEnd: what str.splitlines cuts at beside LF and CR.
func isPythonLineEnd(r rune) bool {
	return r == '\v' || r == '\f' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}
