package warc

import (
	"bufio"
	"bytes"
	"io"
)

const (
	// chunk is how much is read at once, at least.
	chunk = 128 << 10
	// keep is the size of a buffer that stays for the next record; a rare giant must
	// not occupy memory for good.
	keep = 4 << 20
)

// stored is the file as it is stored, read from any position on.
type stored struct {
	source io.ReaderAt
	size   int64
	next   int64 // position of the next byte to read
	err    error // of the storage
}

func (s *stored) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.next >= s.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.size-s.next)]
	n, err := s.source.ReadAt(p, s.next)
	s.next += int64(n)
	if n == len(p) {
		err = nil
	} else if err == io.EOF {
		err = io.ErrUnexpectedEOF // it has shrunk
	}
	if err != nil {
		s.err = err
	}
	return n, err
}

// window is the part of a stream that is being looked at.
type window struct {
	source io.Reader
	// buffer[from:to] is what has been read and not been used.
	buffer   []byte
	from, to int
	// offset is the position of buffer[from] in the stream.
	offset int64
	ended  bool
	// fault is why the stream ended, nil at its end.
	fault error
}

// reset begins with another stream.
func (w *window) reset(source io.Reader, offset int64) {
	w.source, w.from, w.to, w.offset, w.ended, w.fault = source, 0, 0, offset, false, nil
	if len(w.buffer) > keep {
		w.buffer = nil
	}
}

func (w *window) bytes() []byte { return w.buffer[w.from:w.to] }

// use moves past n bytes that are there.
func (w *window) use(n int) {
	w.from += n
	w.offset += int64(n)
}

// have reads until n bytes are there or the stream ends, and says whether they are.
func (w *window) have(n int) bool {
	for w.to-w.from < n && !w.ended {
		w.fill()
	}
	return w.to-w.from >= n
}

func (w *window) fill() {
	used := w.to - w.from
	if len(w.buffer)-w.to < chunk/2 {
		buffer := w.buffer
		switch {
		case len(buffer) > keep && used < keep/4:
			buffer = make([]byte, max(2*chunk, 2*used))
		case used > len(buffer)/2 || len(buffer) == 0:
			buffer = make([]byte, max(2*len(buffer), 2*chunk))
		}
		copy(buffer, w.bytes())
		w.buffer, w.from, w.to = buffer, 0, used
	}
	n, err := io.ReadAtLeast(w.source, w.buffer[w.to:], 1)
	w.to += n
	if err != nil {
		w.ended = true
		if err != io.EOF {
			w.fault = err
		}
	}
}

// discard moves past n bytes and returns how many there were.
func (w *window) discard(n int64) int64 {
	for remaining := n; ; {
		part := min(remaining, int64(w.to-w.from))
		w.use(int(part))
		if remaining -= part; remaining == 0 || !w.have(1) {
			return n - remaining
		}
	}
}

// skip moves past the bytes of a set and says whether the stream goes on.
func (w *window) skip(set string) bool {
	for w.have(1) {
		b := w.bytes()
		rest := bytes.TrimLeft(b, set)
		w.use(len(b) - len(rest))
		if len(rest) > 0 {
			return true
		}
	}
	return false
}

// inflating is the compressed stream, from which the decompressor must not take more
// than it needs: a bufio.Reader counts what was taken.
type inflating struct {
	stored   *stored
	buffered *bufio.Reader
}

// at is the position in the file of the next byte that the decompressor will take.
func (i *inflating) at() int64 { return i.stored.next - int64(i.buffered.Buffered()) }

// seek moves to a position in the file.
func (i *inflating) seek(position int64) {
	if ahead := position - i.at(); ahead >= 0 && ahead <= int64(i.buffered.Buffered()) {
		_, _ = i.buffered.Discard(int(ahead)) // it is there
		return
	}
	i.stored.next = position
	i.buffered.Reset(i.stored)
}
