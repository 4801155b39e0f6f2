package senteval

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// loaderRows counts the rows that SentEval's loader sees in a file of a task, which is
// not always the number of lines: Python's text files end lines at CR too, splitlines
// at ten characters, and bytes of UTF-8 that are read as Latin-1 are among those. With
// shimmed, the loader is the one with shim. Name is the file's, of the scores and
// labels too. Rows without gold count.
func loaderRows(t Task, name string, data []byte, shimmed bool) (int, error) {
	latin1 := t.Latin1 && !strings.Contains(name, "/labels.")
	if !latin1 && !utf8.Valid(data) {
		return 0, fmt.Errorf("%s is not UTF-8: SentEval's loader stops with UnicodeDecodeError", name)
	}
	n, open, last := 0, false, rune(0)
	see := func(r rune) {
		switch {
		case r == '\n' && last == '\r':
			// The CR has ended the line.
		case r == '\n' || r == '\r' || t.cuts() && isPythonLineEnd(r):
			n, open = n+1, false
		default:
			open = true
		}
		last = r
	}
	for line := range bytes.Lines(data) {
		switch {
		case latin1 && !shimmed:
			for _, c := range line {
				see(rune(c))
			}
		case utf8.Valid(line):
			for _, r := range string(line) {
				see(r)
			}
		default:
			for _, c := range line {
				see(charmap.Windows1252.DecodeByte(c))
			}
		}
	}
	if open {
		n++
	}
	if t.hasHeader() {
		n = max(0, n-1)
	}
	return n, nil
}

// cuts says whether SentEval's loader cuts a file into lines by splitlines.
func (t Task) cuts() bool { return t.kind == kindLines || t.kind == kindSTS || t.kind == kindSNLI }

// isPythonLineEnd: what str.splitlines cuts at beside LF and CR.
func isPythonLineEnd(r rune) bool {
	return r == '\v' || r == '\f' || r >= 0x1c && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// AsLoaded returns a file of texts as SentEval's loader sees it, where that cuts a file of
// Latin-1 by splitlines: each byte is a character, and a line ends at each of Python's line
// ends. MR has 10,685 such lines and SUBJ 10,021. Files of other tasks are returned as they are.
func (t Task) AsLoaded(name string, data []byte) []byte {
	if !t.Latin1 || !t.cuts() || strings.Contains(name, "/labels.") {
		return data
	}
	var text strings.Builder
	for i, c := range data {
		switch r := rune(c); {
		case r == '\n' && i > 0 && data[i-1] == '\r':
			// The CR has ended the line.
		case r == '\n' || r == '\r' || isPythonLineEnd(r):
			text.WriteByte('\n')
		default:
			text.WriteRune(r)
		}
	}
	return []byte(text.String())
}
