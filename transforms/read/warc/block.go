package warc

import (
	"bytes"
	"fmt"
)

// readBlock reads a record whose header has length bytes and whose block has size.
func (r *Reader) readBlock(length, size int, wanted bool) bool {
	w := &r.window
	complete := r.have(length + size)
	reason, detail := "", ""
	var end ending
	switch {
	case !complete && w.fault != nil && r.member:
		reason, detail = damagedGzip, w.fault.Error()
	case !complete:
		reason, detail = truncated, fmt.Sprintf("%d of %d bytes", w.to-w.from-length, size)
	default:
		end = r.ending(length + size)
		switch {
		case !end.ok:
			reason, detail = wrongLength, fmt.Sprintf("no record begins after the %d bytes that Content-Length tells", size)
		case end.last && r.member && w.fault != nil:
			reason, detail = damagedGzip, w.fault.Error()
		}
	}
	if reason == truncated || reason == wrongLength {
		if found, at, ok := r.extent(length, size); ok {
			size, reason, detail, end = found, "", "", ending{at: at}
		}
	}
	// The window has come to rest.
	block := w.bytes()[length:min(length+size, w.to-w.from)]
	r.record.Block, r.record.Reason, r.record.Detail = block, reason, detail
	switch reason {
	case "":
		w.use(end.at)
		r.counts[r.record.Type]++
		if wanted && r.config.VerifyDigests {
			r.record.Reason, r.record.Detail = verify(r.record)
		}
		return wanted
	case damagedGzip:
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
// and converters of line ends have miscounted; a block whose stated end has a blank line was counted right, and what follows is
// foreign. The search ends at Config.MaxBlock.
func (r *Reader) extent(length, stated int) (size, next int, ok bool) {
	w := &r.window
	if w.have(length + stated) {
		if _, separated := cutBlankLine(w.bytes()[length+stated:], bytes.CutPrefix); separated {
			return 0, 0, false
		}
	}
	for from := length; ; {
		b := w.bytes()[:min(w.to-w.from, length+r.config.MaxBlock)]
		if i := bytes.Index(b[from:], line); i >= 0 {
			from += i + 1
			if block, separated := cutBlankLine(b[length:from], bytes.CutSuffix); separated && r.beginsRecord(from) {
				return len(block), from, true
			}
			continue
		}
		from = max(from, len(b)-len(line))
		if len(b) == length+r.config.MaxBlock {
			return 0, 0, false
		}
		if !w.have(len(b) + 1) {
			break
		}
	}
	block, separated := cutBlankLine(w.bytes()[length:], bytes.CutSuffix)
	return len(block), w.to - w.from, separated && w.fault == nil
}

// beginsRecord reports whether a header of a record stands n bytes into the window.
func (r *Reader) beginsRecord(n int) bool {
	r.window.have(n + r.config.MaxHeader)
	b := r.window.bytes()[n:]
	_, end, ok := headerEnd(b[:min(len(b), r.config.MaxHeader)])
	return ok && bytes.Contains(bytes.ToLower(b[:end]), []byte("\nwarc-type:"))
}

// cutBlankLine takes the two line ends that separate records off b.
func cutBlankLine(b []byte, cut func(b, end []byte) ([]byte, bool)) (rest []byte, ok bool) {
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if rest, ok = cut(b, []byte(end)); ok {
			return rest, true
		}
	}
	return b, false
}

// ending is what follows a record.
type ending struct {
	// at is where the next record begins, counted from the window's first byte.
	at int
	// last says that there is no other record in the stream; ok that there is one, or
	// nothing else.
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
			if r.have(i+len(line)-1) && bytes.HasPrefix(w.bytes()[i:], line[1:]) {
				return ending{at: i, ok: true}
			}
		case 0x1f:
			if !r.member && w.have(i+2) && isGzip(w.bytes()[i:]) {
				return ending{at: i, ok: true}
			}
		}
		if strays++; strays > strayBytes {
			return ending{}
		}
	}
	return ending{at: i, ok: true}
}

// passBlock passes over a block that is not wanted or too large.
func (r *Reader) passBlock(length int, size int64, wanted bool) bool {
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
		r.record.Reason, r.record.Detail, r.told = damagedGzip, w.fault.Error(), true
		return true
	case end.ok:
		w.use(end.at)
		r.counts[r.record.Type]++
		if wanted {
			r.record.Reason, r.record.Detail = tooLarge, fmt.Sprintf("%d bytes", size)
		}
		return wanted
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
