package wordcache

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// AppendText appends the ids of the words of a text to dst: the longest parts without a space, tab, line feed or
// carriage return. The text's ids must be those of its words, one after another.
func (c *Cache) AppendText(dst []int32, text string) []int32 {
	w := newWindow(text)
	start := 0
	for block := 0; block <= len(text); block += 64 {
		for ends := w.ends(block); ends != 0; ends &= ends - 1 {
			end := block + bits.TrailingZeros64(ends)
			if end < len(text) && !separates(text[end]) {
				continue
			}
			switch size := end - start; {
			case size > shortBytes:
				dst = c.appendLong(dst, text[start:end])
			case size > 0:
				dst = c.appendShort(dst, text[start:end], w.key(start, size))
			}
			start = end + 1
		}
	}
	return dst
}

func separates(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// window reads a text 8 or 16 bytes at a time, with zeros behind its end.
type window struct {
	text []byte
	// low and high are the last 16 bytes, with zeros before a text that is shorter.
	low, high uint64
}

func newWindow(text string) window {
	w := window{text: unsafe.Slice(unsafe.StringData(text), len(text))} // which is only read
	var last [16]byte
	copy(last[16-min(16, len(text)):], text[len(text)-min(16, len(text)):])
	w.low, w.high = binary.LittleEndian.Uint64(last[:]), binary.LittleEndian.Uint64(last[8:])
	return w
}

// key returns the key of the word of size bytes, 1 to 15, from start on.
func (w *window) key(start, size int) shortKey {
	var low, high uint64
	if start <= len(w.text)-16 {
		low, high = binary.LittleEndian.Uint64(w.text[start:]), binary.LittleEndian.Uint64(w.text[start+8:])
	} else if gone := uint(16-len(w.text)+start) * 8; gone < 64 {
		low, high = w.low>>gone|w.high<<(64-gone), w.high>>gone
	} else {
		low = w.high >> (gone - 64)
	}
	m := &masks[size&15]
	return shortKey{low & m.low, high&m.high | uint64(size)<<56}
}

// masks[n] has the first n bytes set.
var masks = func() (list [16]shortKey) {
	for n := range list {
		list[n] = shortKey{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return list
}()

// ends has a bit for each of the 64 bytes from i on that is at most a space, the first of them the lowest, and one for the end of the text.
func (w *window) ends(i int) (list uint64) {
	if i+64 <= len(w.text) {
		for k := 0; k < 64; k += 8 {
			list |= atMostSpace(binary.LittleEndian.Uint64(w.text[i+k:])) << k
		}
		return list
	}
	var last [64]byte
	n := copy(last[:], w.text[i:])
	for k := 0; k < 64; k += 8 {
		list |= atMostSpace(binary.LittleEndian.Uint64(last[k:])) << k
	}
	return list & (2<<n - 1)
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// atMostSpace has a bit for each of the eight bytes of v that is at most a space.
func atMostSpace(v uint64) uint64 {
	above := v | (v&^tops + (0x7f-' ')*ones)               // in the top bit of each byte
	return (^above & tops) >> 7 * 0x0102040810204080 >> 56 // the product brings the bits together in the last byte
}
