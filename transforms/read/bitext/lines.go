package bitext

import (
	"bytes"
	"io"
)

// chunk is how much is read at once.
const chunk = 256 << 10

// Lines reads the lines of a stream in bounded memory. It is not safe for concurrent use.
type Lines struct {
	from   io.Reader
	buffer []byte
	at, to int // buffer[at:to] is read and not yet used
	ended  bool
	begun  bool
}

// NewLines returns a reader of lines. First says that the stream begins where its file
// does, so that a byte order mark may be there.
func NewLines(stream io.Reader, first bool) *Lines { return &Lines{from: stream, begun: !first} }

// mark is the byte order mark of UTF-8.
var mark = []byte("\xef\xbb\xbf")

// Next returns the next line without its end, valid until the next call; tooLong says
// that it has more than MaxLine bytes, and is cut. After the last line it gives io.EOF.
func (l *Lines) Next() (line []byte, tooLong bool, err error) {
	searched := 0
	for {
		if i := bytes.IndexByte(l.buffer[l.at+searched:l.to], '\n'); i >= 0 {
			return l.take(searched+i, 1)
		}
		if searched = l.to - l.at; searched > MaxLine+len(mark)+1 {
			return l.skip()
		}
		if l.ended {
			if searched == 0 {
				return nil, false, io.EOF
			}
			return l.take(searched, 0)
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
}

// take uses up the next n bytes as a line, and its end.
func (l *Lines) take(n, end int) (line []byte, tooLong bool, err error) {
	line = l.buffer[l.at : l.at+n]
	l.at += n + end
	if end > 0 {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	if !l.begun {
		l.begun, line = true, bytes.TrimPrefix(line, mark)
	}
	if len(line) > MaxLine {
		return line[:MaxLine], true, nil
	}
	return line, false, nil
}

// skip uses up a line that is too long, of which the beginning is kept.
func (l *Lines) skip() (line []byte, tooLong bool, err error) {
	start := bytes.Clone(l.buffer[l.at : l.at+1<<10])
	l.begun = true
	for {
		if i := bytes.IndexByte(l.buffer[l.at:l.to], '\n'); i >= 0 {
			l.at += i + 1
			return start, true, nil
		}
		l.at = l.to
		if l.ended {
			return start, true, nil
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
}

// fill reads more into the buffer, which grows to the longest line and a chunk.
func (l *Lines) fill() error {
	l.to = copy(l.buffer, l.buffer[l.at:l.to])
	l.at = 0
	if l.to == len(l.buffer) {
		grown := make([]byte, max(chunk, min(2*len(l.buffer), MaxLine+2*chunk)))
		copy(grown, l.buffer[:l.to])
		l.buffer = grown
	}
	n, err := io.ReadAtLeast(l.from, l.buffer[l.to:], 1)
	l.to += n
	if err == io.EOF {
		l.ended, err = true, nil
	}
	return err
}
