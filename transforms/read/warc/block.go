package warc

import (
	"bytes"
	"fmt"
)

// readBlock reads a record whose header has length bytes and whose block has size.
func (r *Reader) readBlock(length, size int, selected bool) bool {
	w := &r.window
	complete := r.have(length + size)
	reason, detail := "", ""
	var end ending
	switch {
	case !complete && w.fault != nil && r.member:
		reason, detail = r.unpack.damaged(), w.fault.Error()
	case !complete:
		reason, detail = truncated, fmt.Sprintf("%d of %d bytes", w.to-w.from-length, size)
	default:
		end = r.ending(length + size)
		switch {
		case !end.ok:
			reason, detail = wrongLength, fmt.Sprintf("no record begins after the %d bytes that Content-Length tells", size)
		case end.last && r.member && w.fault != nil:
			reason, detail = r.unpack.damaged(), w.fault.Error()
		}
	}
	if reason == truncated || reason == wrongLength {
		if blockSize, next, ok := r.extent(length); ok {
			size, reason, detail, end = blockSize, "", "", ending{at: next}
		}
	}
	// The window has come to rest.
	block := w.bytes()[length:min(length+size, w.to-w.from)]
	r.record.Block, r.record.Reason, r.record.Detail = block, reason, detail
	switch reason {
	case "":
		w.use(end.at)
		r.counts[r.record.Type]++
		if selected && r.config.VerifyDigests {
			r.record.Reason, r.record.Detail = verify(r.record)
		}
		return selected
	case damagedGzip, damagedZstd:
		r.told = true
		w.use(length + len(block))
	default:
		r.record.Block = r.sampleOf(block)
		w.use(length - 1)
		r.resync()
	}
	return true
}

// extent returns the size of a block whose header tells another one, and where the next record begins: the block ends
// with the blank line before that, or before the end of the file or member. Servers
// and converters of line ends have miscounted. The search ends at Config.MaxBlock.
func (r *Reader) extent(length int) (size, next int, ok bool) {
	w := &r.window
	for offset := length; ; {
		b := w.bytes()[:min(w.to-w.from, length+r.config.MaxBlock)]
		if i := recordLine(b[offset:]); i >= 0 {
			offset += i
			if block, separated := cutBlankLine(b[length:offset]); separated && r.beginsRecord(offset) {
				return len(block), offset, true
			}
			continue
		}
		offset = max(offset, len(b)-versioned-1)
		if len(b) == length+r.config.MaxBlock {
			return 0, 0, false
		}
		if !w.have(len(b) + 1) {
			break
		}
	}
	block, separated := cutBlankLine(w.bytes()[length:])
	return len(block), w.to - w.from, separated && w.fault == nil
}

// beginsRecord reports whether a header of a record stands n bytes into the window.
func (r *Reader) beginsRecord(n int) bool {
	r.window.have(n + r.config.MaxHeader)
	b := r.window.bytes()[n:]
	_, end, ok := headerEnd(b[:min(len(b), r.config.MaxHeader)])
	return ok && bytes.Contains(bytes.ToLower(b[:end]), []byte("\nwarc-type:"))
}

// separators are the two line ends that separate records.
var separators = [][]byte{[]byte("\r\n\r\n"), []byte("\n\n")}

// cutBlankLine takes the separator of records off the end of b.
func cutBlankLine(b []byte) (rest []byte, ok bool) {
	for _, s := range separators {
		if rest, ok = bytes.CutSuffix(b, s); ok {
			return rest, true
		}
	}
	return b, false
}

// separated returns the length of the separator at the start of b if the header of the record ends with the
// same line ends, otherwise 0.
func (r *Reader) separated(b []byte) int {
	for _, s := range separators {
		if bytes.HasPrefix(b, s) && bytes.HasSuffix(r.header, s) {
			return len(s)
		}
	}
	return 0
}

// ending is what follows a record.
type ending struct {
	// at is where the next record begins, counted from the window's first byte.
	at int
	// last says that there is no other record in the stream; ok that the record ends here: another one follows, or
	// nothing, or a blank line.
	last, ok bool
}

// ending looks at what follows a record that ends n bytes into the window.
func (r *Reader) ending(n int) ending {
	w := &r.window
	i := n
	for strays := 0; i < n+blankBytes; i++ {
		if !w.have(i + 1) {
			return ending{at: i, last: true, ok: true}
		}
		switch c := w.bytes()[i]; c {
		case '\r', '\n', 0:
			continue
		case 'W':
			if r.have(i+versioned) && hasVersion(w.bytes()[i:]) {
				return ending{at: i, ok: true}
			}
		case gzipMagic[0], zstdMagic[0]:
			if !r.member && w.have(i+len(zstdMagic)) && isMember(w.bytes()[i:]) {
				return ending{at: i, ok: true}
			}
		}
		if strays++; strays > strayBytes {
			blank := r.separated(w.bytes()[n:])
			return ending{at: n + blank, ok: blank > 0}
		}
	}
	return ending{at: i, ok: true}
}

// passBlock passes over a block that is not wanted or too large.
func (r *Reader) passBlock(length int, size int64, selected bool) bool {
	w := &r.window
	w.have(length + sampled)
	r.record.Block = r.sampleOf(w.bytes()[length:])
	start := w.offset + int64(length)
	w.use(length)
	var passed int64
	switch {
	case r.member:
		for passed = w.discard(size); passed < size && r.extend(); {
			passed += w.discard(size - passed)
		}
	case size > r.file.size-start:
		passed = r.file.size - start
	case size > chunk:
		r.leavePlain(start + size)
		passed = size
	default:
		passed = w.discard(size)
	}
	end := ending{}
	if passed == size {
		end = r.ending(0)
	}
	switch {
	case end.last && r.member && w.fault != nil, passed < size && r.member && w.fault != nil:
		r.record.Reason, r.record.Detail, r.told = r.unpack.damaged(), w.fault.Error(), true
		return true
	case end.ok:
		w.use(end.at)
		r.counts[r.record.Type]++
		if selected {
			r.record.Reason, r.record.Detail = tooLarge, fmt.Sprintf("%d bytes", size)
		}
		return selected
	case passed < size:
		r.record.Reason, r.record.Detail = truncated, fmt.Sprintf("%d of %d bytes", passed, size)
	default:
		r.record.Reason, r.record.Detail = wrongLength, fmt.Sprintf("no record begins after the %d bytes that Content-Length tells", size)
	}
	if !r.member { // its length may have been a lie
		r.leavePlain(start - 1)
	}
	r.resync()
	return true
}
