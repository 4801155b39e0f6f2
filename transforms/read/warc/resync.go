package warc

import (
	"bufio"
	"bytes"
	"io"
)

// line begins a record, after the end of the line before. A version follows.
var line = []byte("\nWARC/")

// versioned is how long the start of a record is with the first digit of its version and the point.
const versioned = len("WARC/1.")

// hasVersion reports whether b begins as a record does.
func hasVersion(b []byte) bool {
	return len(b) >= versioned && bytes.HasPrefix(b, line[1:]) && '0' <= b[5] && b[5] <= '9' && b[6] == '.'
}

// recordLine returns the place of the first line in b that begins a record, not counting the line at its start,
// or -1.
func recordLine(b []byte) int {
	for start := 0; ; {
		i := bytes.Index(b[start:], line)
		if i < 0 {
			return -1
		}
		if start += i + 1; hasVersion(b[start:]) {
			return start
		}
	}
}

// resync moves the window to the next record that begins behind its first byte, or
// to its end. In a gzip member it stays in that member; otherwise it finds members
// as well.
func (r *Reader) resync() {
	w := &r.window
	for {
		b := w.bytes()
		index := recordLine(b)
		if index >= 0 {
			b = b[:index]
		}
		if !r.member {
			if i := r.findMember(b); i >= 0 {
				index = i
			}
		}
		if index >= 0 {
			w.use(index)
			return
		}
		if rest := versioned; len(b) > rest {
			w.use(len(b) - rest)
		}
		if !w.have(w.to - w.from + 1) {
			w.use(w.to - w.from)
			return
		}
	}
}

// findMember returns the place in b, which begins at the window, of the first
// member that holds records, or -1.
func (r *Reader) findMember(b []byte) int {
	for start := 0; ; {
		i := bytes.Index(b[start:], gzipMagic)
		if k := bytes.Index(b[start:], zstdMagic); i < 0 || k >= 0 && k < i {
			i = k
		}
		if i < 0 {
			return -1
		}
		if r.holdsRecord(r.window.offset + int64(start+i)) {
			return start + i
		}
		start += i + 1
	}
}

// prober looks into what may be gzip members.
type prober struct {
	inflating
	file   stored
	unpack unpacker
	// scan is on what is searched for members, and broken are the members that the last damage followed.
	scan   window
	broken []int64
}

// open goes to what may be a member at a position of the file.
func (p *prober) open(file *stored, offset int64) error {
	p.file = stored{source: file.source, size: file.size, next: offset}
	if p.buffered == nil {
		p.inflating = inflating{&p.file, bufio.NewReaderSize(&p.file, 512)}
	}
	p.buffered.Reset(&p.file)
	return p.unpack.reset(p.buffered)
}

// holdsRecord says whether a gzip member begins at a position of the file, and a
// record in it.
func (r *Reader) holdsRecord(offset int64) bool {
	p := &r.probe
	var start [versioned]byte
	err := p.open(&r.file, offset)
	if err == nil {
		_, err = io.ReadFull(&p.unpack, start[:])
	}
	if p.file.err != nil { // an answer that nobody has read is none
		r.file.err = p.file.err
	}
	return err == nil && hasVersion(start[:])
}
