package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrOverlap is the error of a range that cannot end where the next one begins.
var ErrOverlap = errors.New("ranges of the file overlap")

// longestRun is the most bytes of a content that lie in a file of gzip or Zstandard as they are: what these cannot compress they store in
// blocks of at most 65,535 bytes and 128 KiB, each behind a header (RFC 1951, section 3.2.4; RFC 8878, section 3.1.1.2.4). So undamaged
// members that follow each other for more bytes are those of the file, and not those of an archive that a record holds.
const longestRun = 128 << 10

// ResetRange makes the reader one of the records that belong to the bytes [from, to) of a file, with the same configuration. The records
// of ranges that follow each other are together those of the file, with the same offsets, or one of the ranges ends with ErrOverlap.
//
// A range begins at the first gzip member in it that holds a record and from which on undamaged members follow each other for more
// than 128 KiB, or to the end of the file. It ends where the next such range begins. So a range in which no member begins, as in a file
// that is one member, has no records, and the first range has all. A range that ends looks for the place at which the next one begins.
// ErrOverlap says that it had to read on past that place: over plain records between members, over those that show in a damaged member of
// several records, or over what was made to look like members.
//
// No byte before the range is read, and behind it little more than its last record and 128 KiB.
func (r *Reader) ResetRange(source io.ReaderAt, size, from, to int64) {
	if from > 0 || to < size {
		source = &recent{source: source, size: size, from: from}
	}
	r.init(source, size, r.config)
	r.from, r.end, r.probe.broken = from, to, nil
}

// ReadOn makes Next go on with the records behind the range.
func (r *Reader) ReadOn() { r.end, r.done = r.file.size, false }

// start opens the first member of the range, and says whether there is something to hand out.
func (r *Reader) start() bool {
	at := r.findStart(r.from, r.end)
	r.from, r.done = 0, at < 0
	return !r.done && r.openMember(at)
}

// finish ends the reading of the file.
func (r *Reader) finish() {
	r.ends(r.file.size)
	r.done = true
}

// ends says whether the range ends in front of a position.
func (r *Reader) ends(offset int64) bool {
	if offset < r.end {
		return false
	}
	start := r.findStart(r.end, offset+1)
	r.end = offset + 1
	if start >= 0 && (start != offset || r.last >= offset || r.dictionary) {
		r.file.err = fmt.Errorf("%w: one begins at byte %d, the one before it cannot end before byte %d", ErrOverlap, start, max(offset, r.last+1))
	}
	return start >= 0
}

// findStart returns the first place in [from, to) at which a range begins, or -1.
func (r *Reader) findStart(from, to int64) int64 {
	file := stored{source: r.file.source, size: min(to+int64(len(gzipMagic))-1, r.file.size), next: from}
	w := &r.probe.scan
	for w.reset(&file, from); w.have(len(gzipMagic)); {
		i := bytes.Index(w.bytes(), gzipMagic)
		if i < 0 {
			w.use(len(w.bytes()) - len(gzipMagic) + 1)
			continue
		}
		if w.use(i); r.isStart(w.offset) {
			return w.offset
		}
		w.use(1)
	}
	if file.err != nil {
		r.file.err = file.err
	}
	return -1
}

// isStart says whether a range begins at a position if it begins there or shortly before.
func (r *Reader) isStart(offset int64) bool {
	if !r.holdsRecord(offset) {
		return false
	}
	p := &r.probe
	var chain []int64
	for at := offset; at < r.file.size && at-offset <= longestRun; at = p.at() {
		if _, failed := slices.BinarySearch(p.broken, at); failed {
			return false
		}
		chain = append(chain, at)
		err := p.open(&r.file, at)
		if err == nil {
			_, err = io.Copy(io.Discard, &p.unpack)
		}
		if p.file.err != nil {
			r.file.err = p.file.err
		}
		if err != nil {
			p.broken = chain
			return false
		}
	}
	return true
}

// recent keeps the last pieces of a file that were read, so that what lies ahead of the reader is not fetched twice.
type recent struct {
	source     io.ReaderAt
	size, from int64 // of the file, and where the first piece begins
	pieces     [16]piece
	next       int // the piece that is replaced
}

type piece struct {
	at    int64
	bytes []byte
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (c *recent) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) && err == nil {
		position := offset + int64(n)
		if position >= c.size {
			return n, io.EOF
		}
		var b []byte
		start := (position - c.from) % chunk
		b, err = c.piece(position - start)
		n += copy(p[n:], b[min(int64(len(b)), start):])
	}
	return n, err
}

// piece returns the piece that begins at a position, or what there is of it and an error.
func (c *recent) piece(at int64) ([]byte, error) {
	if i := slices.IndexFunc(c.pieces[:], func(p piece) bool { return p.at == at && p.bytes != nil }); i >= 0 {
		return c.pieces[i].bytes, nil
	}
	p := &c.pieces[c.next]
	c.next = (c.next + 1) % len(c.pieces)
	b := slices.Grow(p.bytes[:0], chunk)[:min(chunk, c.size-at)]
	n, err := c.source.ReadAt(b, at)
	if *p = (piece{at, b}); n < len(b) {
		*p = piece{}
		return b[:n], err
	}
	return b, nil
}
