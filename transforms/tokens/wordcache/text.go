package wordcache

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// batch is the number of words that are found before they are looked up.
const batch = 32

// shortWord is a word of a text, [start, end).
type shortWord struct {
	key        shortKey
	start, end int
}

// AppendText appends the ids of the words of a text to dst: the longest parts without a space, tab, line feed or
// carriage return. The text's ids must be those of its words, one after another.
func (c *Cache) AppendText(dst []int32, text string) []int32 {
	n := 0
	w := window{text: unsafe.Slice(unsafe.StringData(text), len(text))} // which is only read
	w.setEnd()
	for i := 0; i < len(text); {
		key, size := w.word(i)
		if size == 0 && text[i] == ' ' {
			i++
			continue
		}
		end := i + size
		switch {
		case size > shortBytes || end < len(text) && !separates(text[end]):
			for end < len(text) && !separates(text[end]) {
				end++
			}
			dst = c.appendLong(c.appendShort(dst, text, c.words[:n]), text[i:end])
			n = 0
		case size > 0:
			c.words[n&(batch-1)] = shortWord{key, i, end}
			if n++; n == batch {
				dst = c.appendShort(dst, text, c.words[:])
				n = 0
			}
		}
		i = end + 1
	}
	return c.appendShort(dst, text, c.words[:n])
}

func separates(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// window reads 16 bytes at a time, with zeros behind the end of the text.
type window struct {
	text []byte
	// low and high are the last 16 bytes, with zeros before a text that is shorter.
	low, high uint64
}

func (w *window) setEnd() {
	var last [16]byte
	copy(last[16-min(16, len(w.text)):], w.text[len(w.text)-min(16, len(w.text)):])
	w.low, w.high = binary.LittleEndian.Uint64(last[:]), binary.LittleEndian.Uint64(last[8:])
}

// word returns the bytes from i on up to the first one that is at most a space, as a key, and their number, 16 if there are more than 15.
func (w *window) word(i int) (key shortKey, size int) {
	var low, high uint64
	if i <= len(w.text)-16 {
		low, high = binary.LittleEndian.Uint64(w.text[i:]), binary.LittleEndian.Uint64(w.text[i+8:])
	} else if gone := uint(16-len(w.text)+i) * 8; gone < 64 {
		low, high = w.low>>gone|w.high<<(64-gone), w.high>>gone
	} else {
		low = w.high >> (gone - 64)
	}
	n := printable(low)
	more := printable(high) & -(n >> 3) // 0 if the word ends in low
	low &= 1<<(n*8) - 1
	high &= 1<<(more*8) - 1
	n += more
	return shortKey{low, high | n<<56}, int(n)
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// printable returns the number of bytes of w before the first one that is at most a space, 8 if there is none. (A byte
// behind such a one may be taken for one, which does not matter.)
func printable(w uint64) uint64 {
	return uint64(bits.TrailingZeros64((w-(' '+1)*ones)&^w&tops)) >> 3
}
