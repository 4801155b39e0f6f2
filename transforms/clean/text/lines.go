package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// chunk is how much is read at once.
const chunk = 256 << 10

// line is a line of a file.
type line struct {
	offset int64  // of its first byte
	length int64  // without the line end
	bytes  []byte // without line end and byte order mark; good until the next line
	blank  bool   // nothing but spaces, tabs and the like
	long   bool   // longer than allowed; bytes is nil
}

// lines splits a stream at "\n" and "\r\n" in bounded memory.
type lines struct {
	source  io.Reader
	longest int
	buffer  []byte
	from    int // buffer[from:to] is read and not yet used
	to      int
	offset  int64 // of buffer[from]
	ended   bool  // source has ended
}

func (s *lines) reset(source io.Reader, offset int64) { s.source, s.offset = source, offset }

// next returns the next line, or io.EOF.
func (s *lines) next() (line, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(s.buffer[s.from+searched:s.to], '\n'); i >= 0 {
			return s.take(searched+i, 1), nil
		}
		searched = s.to - s.from
		if searched > s.longest+len("\r") {
			return s.skip()
		}
		if s.ended {
			if searched == 0 {
				return line{}, io.EOF
			}
			return s.take(searched, 0), nil
		}
		if err := s.fill(); err != nil {
			return line{}, err
		}
	}
}

// take uses up the next n bytes as a line, and a line end of that many bytes.
func (s *lines) take(n, end int) line {
	b := s.buffer[s.from : s.from+n]
	l := line{offset: s.offset}
	s.from += n + end
	s.offset += int64(n + end)
	if end > 0 {
		b = bytes.TrimSuffix(b, []byte("\r"))
	}
	l.length = int64(len(b))
	l.bytes = b
	if l.offset == 0 {
		l.bytes = bytes.TrimPrefix(b, mark)
	}
	l.blank = blank(l.bytes)
	if len(b) > s.longest {
		l.bytes, l.long = nil, true
	}
	return l
}

// skip uses up a line that is too long.
func (s *lines) skip() (line, error) {
	l := line{offset: s.offset, long: true, blank: true}
	last := byte(0)
	for {
		part := s.buffer[s.from:s.to]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i]
		}
		content := part
		if s.offset == 0 {
			content = bytes.TrimPrefix(part, mark)
		}
		l.blank = l.blank && blank(content)
		l.length += int64(len(part))
		if len(part) > 0 {
			last = part[len(part)-1]
		}
		used := len(part)
		if i >= 0 {
			used++
		}
		s.from += used
		s.offset += int64(used)
		if i >= 0 {
			if last == '\r' {
				l.length--
			}
			return l, nil
		}
		if s.ended {
			return l, nil
		}
		if err := s.fill(); err != nil {
			return line{}, err
		}
	}
}

// fill reads more into the buffer, which grows to the longest line and a chunk.
func (s *lines) fill() error {
	if s.from > 0 {
		s.to = copy(s.buffer, s.buffer[s.from:s.to])
		s.from = 0
	}
	if s.to == len(s.buffer) {
		grown := make([]byte, min(max(2*len(s.buffer), chunk), s.longest+chunk))
		copy(grown, s.buffer[:s.to])
		s.buffer = grown
	}
	n, err := io.ReadAtLeast(s.source, s.buffer[s.to:], 1)
	s.to += n
	if err == io.EOF {
		s.ended = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("read text at byte %d: %w", s.offset+int64(s.to), err)
	}
	return nil
}

// mark is the byte order mark of UTF-8.
var mark = []byte("\xef\xbb\xbf")

// blank reports whether b is nothing but ASCII white space.
func blank(b []byte) bool {
	for _, c := range b {
		if !space(c) {
			return false
		}
	}
	return true
}

func space(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\n' }

// blankBefore looks at the bytes before position start > 0. Newline: the byte before
// is a line end, so that a line starts at start. Blank: the line that ends there, or
// the part of the line before start, is blank; it is looked for only if asked.
func blankBefore(source io.ReaderAt, start int64, ask bool) (isBlank, newline bool, err error) {
	var b [512]byte
	at := start
	for first := true; ; first = false {
		if at == 0 {
			return true, newline, nil
		}
		n := min(at, int64(len(b)))
		if first && !ask {
			n = 1
		}
		at -= n
		if _, err := source.ReadAt(b[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return false, false, fmt.Errorf("read text at byte %d: %w", at, err)
		}
		part := b[:n]
		if first && part[n-1] == '\n' {
			newline = true
			part = part[:n-1]
		}
		if !ask {
			return false, newline, nil
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] == '\n' {
				return true, newline, nil
			}
			if !space(part[i]) {
				return at == 0 && i == len(mark)-1 && bytes.HasPrefix(part, mark), newline, nil
			}
		}
	}
}
