package jsonfields

import "io"

// Elements gives the elements of an array of JSON, or values that are parted by commas or ends of lines, as lines:
// where the stream has an end of a line within one, a space stands, and where the array begins, a space, too. It has as many bytes
// as the stream. A quote or bracket that is missing makes one line of all that follows.
type Elements struct {
	from            io.Reader
	depth           int // of objects and lists that are open
	array           bool
	quoted, escaped bool
}

// NewElements returns a reader of lines.
func NewElements(from io.Reader) *Elements { return &Elements{from: from} }

// Read implements io.Reader.
func (e *Elements) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	for i, c := range p[:n] {
		p[i] = e.next(c)
	}
	return n, err
}

// next returns what is in the place of a character.
func (e *Elements) next(c byte) byte {
	outer := 0
	if e.array {
		outer = 1
	}
	switch {
	case e.quoted:
		e.quoted, e.escaped = c != '"' || e.escaped, c == '\\' && !e.escaped
	case c == '"':
		e.quoted = true
	case c == '[' && e.depth == 0:
		e.array, e.depth = true, 1
		return ' '
	case c == '{' || c == '[':
		e.depth++
	case c == ']' && e.array && e.depth == 1:
		e.array, e.depth = false, 0
		return '\n'
	case (c == '}' || c == ']') && e.depth > outer:
		e.depth--
	case c == ',' && e.depth == outer:
		return '\n'
	}
	if c == '\n' && (e.depth > 0 || e.quoted) {
		return ' '
	}
	return c
}
