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
	// returns: "\r" ends lines by itself, too. White space of JSON has it within lines.
	returns bool
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
		index, end := s.ending(s.buffer[s.from+searched : s.to])
		searched += index
		if end > 0 {
			return s.take(searched, end), nil
		}
		if searched > s.longest+len("\r") { // so much that a byte order mark is whole
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

// ending returns the place and the length of the first line end in b, to the end of what has been read. The length is 0
// where there is none; then the search goes on from the place when more is read.
func (s *lines) ending(b []byte) (index, length int) {
	const stride = 512 // the next of either byte may be far away
	for offset := 0; offset < len(b); offset += stride {
		part := b[offset:]
		if s.returns {
			part = part[:min(len(part), stride)]
		}
		feed := bytes.IndexByte(part, '\n')
		if feed >= 0 {
			part = part[:feed]
		}
		if s.returns {
			if i := bytes.IndexByte(part, '\r'); i >= 0 {
				index = offset + i
				return index, lengthOfReturn(b[index:], s.ended)
			}
		}
		switch {
		case feed > 0 && part[feed-1] == '\r':
			return feed - 1, len("\r\n")
		case feed >= 0:
			return offset + feed, len("\n")
		case !s.returns && !s.ended && part[len(part)-1] == '\r':
			return len(b) - 1, 0
		case !s.returns:
			return len(b), 0
		}
	}
	return len(b), 0
}

// lengthOfReturn returns the length of the line end that begins with the "\r" at the start of b: of "\r\n", of
// "\r\r\n", which programs make of that, or of "\r" alone. It is 0 if what follows b may tell.
func lengthOfReturn(b []byte, ended bool) int {
	for _, end := range []string{"\r\n", "\r\r\n"} {
		switch n := min(len(b), len(end)); {
		case string(b[:n]) != end[:n]:
		case n == len(end):
			return n
		case !ended:
			return 0
		}
	}
	return len("\r")
}

// take uses up the next n bytes as a line, and a line end of that many bytes.
func (s *lines) take(n, end int) line {
	b := s.buffer[s.from : s.from+n]
	l := line{offset: s.offset, length: int64(n), bytes: b}
	s.from += n + end
	s.offset += int64(n + end)
	if l.offset == 0 {
		l.bytes = bytes.TrimPrefix(b, mark)
	}
	l.blank = blank(l.bytes)
	if n > s.longest {
		l.bytes, l.long = nil, true
	}
	return l
}

// skip uses up a line that is too long.
func (s *lines) skip() (line, error) {
	l := line{offset: s.offset, long: true, blank: true}
	for {
		part := s.buffer[s.from:s.to]
		index, end := s.ending(part)
		part = part[:index]
		content := part
		if s.offset == 0 {
			content = bytes.TrimPrefix(part, mark)
		}
		l.blank = l.blank && blank(content)
		l.length += int64(index)
		s.from += index + end
		s.offset += int64(index + end)
		if end > 0 || s.ended {
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

// lineBefore looks at the bytes before position start > 0. Begins: a line begins at start, where "\r" may end lines by
// itself if returns. Blank: the line that ends there, or the part of the line before start, is blank; it is looked for
// only if asked.
func lineBefore(source io.ReaderAt, start int64, returns, ask bool) (isBlank, begins bool, err error) {
	const lookahead = int64(len("\r\n"))
	var b [512]byte
	for offset, end, first := start, start+lookahead, true; offset > 0; first = false {
		n := min(offset, int64(len(b))-lookahead)
		if first && !ask {
			n = 1
		}
		offset -= n
		read, err := source.ReadAt(b[:end-offset], offset)
		if err != nil && !errors.Is(err, io.EOF) || int64(read) < n {
			return false, false, fmt.Errorf("read text at byte %d: %w", offset, err)
		}
		part := b[:n]
		if first {
			part, begins = withoutLineEnd(part, b[n:max(n, int64(read))], returns)
		}
		if !ask {
			return false, begins, nil
		}
		end = offset
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] == '\n' || part[i] == '\r' && returns {
				return true, begins, nil
			}
			if !space(part[i]) {
				return offset == 0 && i == len(mark)-1 && bytes.HasPrefix(part, mark), begins, nil
			}
		}
	}
	return true, begins, nil
}

// withoutLineEnd returns what comes before a place without the line end there, or without its part before the place,
// and whether a line begins at the place.
func withoutLineEnd(prefix, suffix []byte, returns bool) (rest []byte, begins bool) {
	limit := len("\r\r") // of "\r\r\n"
	rest, begins = bytes.CutSuffix(prefix, []byte("\n"))
	switch {
	case begins:
	case !returns || !bytes.HasSuffix(prefix, []byte("\r")):
		return prefix, false
	case bytes.HasPrefix(suffix, []byte("\n")):
	case bytes.HasPrefix(suffix, []byte("\r\n")):
		limit = 1
	default:
		limit, begins = 1, true
	}
	for range limit {
		rest = bytes.TrimSuffix(rest, []byte("\r"))
	}
	return rest, begins
}
