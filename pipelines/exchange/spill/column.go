package spill

import (
	"encoding/binary"
	"errors"
)

// maxTransposed is the largest width of strings that are stored byte by byte
// across. Longer strings of one length are text rather than numbers.
const maxTransposed = 64

// column gathers the keys or the values of a block. Strings of one length need
// no lengths in the file; others share a prefix with the string before them.
type column struct {
	data  []byte
	ends  []uint32
	fixed bool
}

func (c *column) reset() { c.data, c.ends, c.fixed = c.data[:0], c.ends[:0], true }

func (c *column) add(s []byte) {
	if len(c.ends) > 0 && len(s) != int(c.ends[0]) {
		c.fixed = false
	}
	c.data = append(c.data, s...)
	c.ends = append(c.ends, uint32(len(c.data)))
}

// encode appends the column to dst. The spare buffer is returned for the next call.
func (c *column) encode(dst, spare []byte) (encoded, grown []byte) {
	if c.fixed {
		width := int(c.ends[0])
		if width > maxTransposed {
			return append(dst, c.data...), spare
		}
		offset := len(dst)
		dst = append(dst, c.data...) // makes room
		transpose(dst[offset:], c.data, len(c.ends), width)
		return dst, spare
	}
	// Lengths come before all bytes: like beside like compresses better.
	suffixes := spare[:0]
	var previous []byte
	start := uint32(0)
	for _, end := range c.ends {
		s := c.data[start:end]
		shared := sharedPrefix(previous, s)
		dst = binary.AppendUvarint(dst, uint64(shared))
		dst = binary.AppendUvarint(dst, uint64(len(s)-shared))
		suffixes = append(suffixes, s[shared:]...)
		previous, start = s, end
	}
	return append(dst, suffixes...), suffixes
}

func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

var errColumn = errors.New("its columns do not fit its header")

// decodeFixed reads count strings of one width from src into data and returns
// what follows.
func decodeFixed(data, src []byte, count, width int) (rest []byte, err error) {
	size := count * width
	if len(src) < size || len(data) != size {
		return nil, errColumn
	}
	if width > maxTransposed {
		copy(data, src[:size])
	} else {
		transpose(data, src[:size], width, count)
	}
	return src[size:], nil
}

// decodeVariable reads len(ends) strings, which fill data, from src and returns
// what follows.
func decodeVariable(data []byte, ends []uint32, src []byte) (rest []byte, err error) {
	size := 0
	for numbers := 2 * len(ends); numbers > 0; size++ {
		if size == len(src) {
			return nil, errColumn
		}
		if src[size] < 0x80 { // the last byte of a number
			numbers--
		}
	}
	lengths, src := src[:size], src[size:]
	previous, offset := 0, 0
	for i := range ends {
		shared, n := binary.Uvarint(lengths)
		lengths = lengths[max(n, 0):]
		suffix, m := binary.Uvarint(lengths)
		lengths = lengths[max(m, 0):]
		if n <= 0 || m <= 0 || shared > uint64(offset-previous) || suffix > uint64(len(src)) || shared+suffix > uint64(len(data)-offset) {
			return nil, errColumn
		}
		copy(data[offset:], data[previous:previous+int(shared)])
		copy(data[offset+int(shared):], src[:suffix])
		src = src[suffix:]
		previous, offset = offset, offset+int(shared+suffix)
		ends[i] = uint32(offset)
	}
	if offset != len(data) {
		return nil, errColumn
	}
	return src, nil
}
