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
