// Package lineending finds text files whose lines end with a carriage return alone, as old Macs wrote them. Whoever cuts
// at line feeds would take such a file for one line.
//
// A carriage return without a line feed after it is a character of its line, unless there are at least two, and as many
// as there are line feeds: then they end lines. "\r\r\n", which programs make of "\r\n", is one line end.
package lineending

import (
	"bytes"
	"errors"
	"io"
)

// ErrReturns says that lines end with a carriage return alone.
var ErrReturns = errors.New("its lines end with only a carriage return, as old Macs wrote them, and would be read as one line: `tr '\\r' '\\n'` converts it")

// longest is how many bytes are read in search of the first line feed before carriage returns are taken for line ends. It
// is the longest line that readers of texts take, so that they give this error and not that a line is too long.
const longest = 1 << 20

// Counter counts the ends of lines of a text that is read in parts. The zero value is ready for use.
type Counter struct {
	feeds, returns int64
	trailing       int64 // carriage returns that end what has been read: a line feed may follow
}

// Write counts the ends in the next part. It never fails.
func (c *Counter) Write(part []byte) (int, error) {
	n := len(part)
	c.feeds += int64(bytes.Count(part, []byte{'\n'}))
	for len(part) > 0 {
		if c.trailing == 0 {
			i := bytes.IndexByte(part, '\r')
			if i < 0 {
				break
			}
			part = part[i:]
		}
		rest := bytes.TrimLeft(part, "\r")
		c.trailing += int64(len(part) - len(rest))
		if part = rest; len(part) == 0 {
			break
		}
		if part[0] == '\n' {
			c.trailing = max(0, c.trailing-int64(len("\r\r")))
		}
		c.returns, c.trailing = c.returns+c.trailing, 0
	}
	return n, nil
}

// Err returns ErrReturns if the lines of the whole text, which has been written, end with a carriage return alone.
func (c *Counter) Err() error {
	if returns := c.returns + c.trailing; returns >= 2 && returns >= c.feeds {
		return ErrReturns
	}
	return nil
}

// Check returns ErrReturns if the lines of a text end with a carriage return alone.
func Check(text []byte) error {
	var c Counter
	c.Write(text)
	return c.Err()
}

// NewReader returns a reader of a stream that gives ErrReturns in the place of io.EOF if the lines of the stream end with a
// carriage return alone, and after a MiB if those of the first MiB do, and no line feed is there.
func NewReader(stream io.Reader) io.Reader { return &reader{from: stream} }

type reader struct {
	from  io.Reader
	count Counter
	bytes int   // that have been read, up to longest
	err   error // ErrReturns, once it has been returned
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	first := min(n, max(0, longest-r.bytes)) // wherever the parts of the stream end
	r.count.Write(p[:first])
	if first > 0 && r.bytes+first == longest && r.count.feeds == 0 {
		r.err = r.count.Err()
	}
	r.count.Write(p[first:n])
	if r.bytes = min(longest, r.bytes+n); err == io.EOF && r.err == nil {
		r.err = r.count.Err()
	}
	if r.err != nil {
		return n, r.err
	}
	return n, err
}
