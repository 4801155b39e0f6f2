package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Visible returns the stream on which what would change a terminal or a log, and not be read there,
// stands as an escape: names of files, values of datasets and answers of services may hold anything. All that
// programs print passes through it. Lines and tabs stay; other control characters, those of C1 among
// them, the overrides of direction, and line separators are written as \u001b, as JSON writes them, and bytes
// that are not UTF-8 as \x9b. A line break in a name stays a line break.
func Visible(w io.Writer) io.Writer {
	if _, ok := w.(*visible); ok || w == nil || w == io.Discard {
		return w
	}
	return &visible{to: w}
}

// visible may be written to from many goroutines.
type visible struct {
	to    io.Writer
	mutex sync.Mutex
	held  []byte // the beginning of a character that a write has cut
	// gone says that whoever read the stream has closed it, and dispensable that the work goes on without it.
	gone, dispensable bool
}

// Write implements io.Writer.
func (v *visible) Write(p []byte) (int, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	text := p
	if len(v.held) > 0 {
		text = append(v.held, p...)
		v.held = nil
	}
	if cut := cutCharacter(text); cut > 0 {
		v.held = append([]byte(nil), text[len(text)-cut:]...)
		text = text[:len(text)-cut]
	}
	if v.gone && v.dispensable {
		return len(p), nil
	}
	if _, err := io.WriteString(v.to, Escaped(string(text))); err != nil {
		if v.gone = v.gone || errors.Is(err, syscall.EPIPE); v.gone && v.dispensable {
			return len(p), nil
		}
		return 0, err
	}
	return len(p), nil
}

// withoutReader makes a stream of Visible one that the work goes on without when its reader has gone: writes then do nothing.
func withoutReader(w io.Writer) {
	if v, ok := w.(*visible); ok {
		v.mutex.Lock()
		defer v.mutex.Unlock()
		v.dispensable = true
	}
}

// ReaderGone notes that the reader of the standard output has gone, as a child has found, and says whether the work of the
// verb goes on without.
func (p *Program) ReaderGone() (goesOn bool) {
	v, ok := p.Stdout.(*visible)
	if ok {
		v.mutex.Lock()
		defer v.mutex.Unlock()
		v.gone = true
	}
	return ok && v.dispensable
}

// hasReader says whether what was printed has found its reader, as far as the writes and an error of the verb tell.
func (p *Program) hasReader(err error) bool {
	if v, ok := p.Stdout.(*visible); ok {
		v.mutex.Lock()
		defer v.mutex.Unlock()
		if v.gone {
			return false
		}
	}
	var write *fs.PathError // of what was not written through Visible
	return !errors.As(err, &write) || write.Path != os.Stdout.Name()
}

// cutCharacter is how many bytes at the end of a text begin a character that may go on.
func cutCharacter(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if rest := text[len(text)-n:]; utf8.RuneStart(rest[0]) {
			if !utf8.FullRune(rest) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Escaped is a text as Visible writes it.
func Escaped(text string) string {
	first := 0
	for first < len(text) && (text[first] >= ' ' && text[first] < 0x7f || text[first] == '\n' || text[first] == '\t') {
		first++
	}
	if first == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	for i := first; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r != '\n' && r != '\t' && unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u2028',
			r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Plain is the stream below Visible: for a child, which has a Visible of its own, and for
// displays that move the cursor.
func Plain(w io.Writer) io.Writer {
	if v, ok := w.(*visible); ok {
		return v.to
	}
	return w
}

// Exact is the stream for data that another program reads, byte by byte: Plain, unless a person looks at it.
func Exact(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return w
	}
	return Plain(w)
}

// Rewrite writes a text in the place of the last line of a terminal.
func Rewrite(w io.Writer, text string) {
	fmt.Fprintf(Plain(w), "\r\x1b[K%s", Escaped(text))
}

// fileOf is the file that a stream leads to, nil if it leads to another one.
func fileOf(w io.Writer) *os.File {
	file, _ := Plain(w).(*os.File)
	return file
}
