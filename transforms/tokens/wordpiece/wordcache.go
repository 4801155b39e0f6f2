package wordpiece

import "math/bits"

// wordCache remembers the ids of what stood between spaces and ASCII punctuation last: mostly words, before they are
// folded. Of those that hash alike it has the last one. It has a fixed size, 512 KiB. Each goroutine that encodes takes one
// from the tokenizer's pool, so there are about as many as goroutines that encode at once; the garbage collector takes those
// that nobody has used for two of its runs. Texts whose words do not come again, as of many languages, are slower by a cache
// than without: it is left alone for a while where it seldom has what is asked for.
type wordCache struct {
	words  [1 << cacheBits]cachedWord
	folded [512]byte // room for a word
	// debt grows by what is not there, and falls by what is; at mostDebt the cache is left alone for the next idle words.
	debt, idle int
}

const (
	cacheBits = 13
	longest   = 24 // bytes of a word that is remembered
	mostDebt  = 1 << 12
	idleWords = 1 << 16
)

// run are the bytes of a word, then zeros.
type run [longest / 8]uint64

// cachedWord has the size of a line of a processor's cache.
type cachedWord struct {
	text   run
	length uint8
	count  uint8
	ids    [9]int32
}

// runOf returns the letters and digits of ASCII, and the bytes of other characters, that stand at i, and their number. Of
// more than longest of them the number alone counts, and may be too small.
func runOf(text string, i int) (r run, n int) {
	for k := range r {
		w, length := eightAt(text, i+n)
		r[k] = w
		if n += length; length < 8 {
			return r, n
		}
	}
	_, length := eightAt(text, i+n)
	return r, n + length
}

// eightAt returns those of the next eight bytes that belong to a run, and their number.
func eightAt(text string, i int) (w uint64, length int) {
	if rest := text[i:]; len(rest) >= 8 {
		w = uint64(rest[0]) | uint64(rest[1])<<8 | uint64(rest[2])<<16 | uint64(rest[3])<<24 |
			uint64(rest[4])<<32 | uint64(rest[5])<<40 | uint64(rest[6])<<48 | uint64(rest[7])<<56
	} else {
		for j := range len(rest) {
			w |= uint64(rest[j]) << (8 * j)
		}
	}
	length = bits.TrailingZeros64(^inRun(w)&high) / 8
	if length < 8 {
		w &= 1<<(8*length) - 1
	}
	return w, length
}

const (
	every = 0x0101010101010101
	high  = 0x80 * every
)

// inRun sets the high bit of each byte that is a letter or a digit of ASCII, or of another character.
func inRun(w uint64) uint64 {
	ascii := w &^ high
	lower := ascii | 0x20*every
	letter := (lower + (0x80-'a')*every) &^ (lower + (0x7f-'z')*every)
	digit := (ascii + (0x80-'0')*every) &^ (ascii + (0x7f-'9')*every)
	return letter | digit | w
}

// pays says whether the cache is to be asked for the next word.
func (c *wordCache) pays() bool {
	if c.idle == 0 {
		return true
	}
	c.idle--
	return false
}

// encode appends the ids of a text, which is a run.
func (c *wordCache) encode(dst []int32, r run, text string, t *Tokenizer) []int32 {
	hash := (r[0]^bits.RotateLeft64(r[1], 23)^bits.RotateLeft64(r[2], 41))*0x9e3779b97f4a7c15 + uint64(len(text))
	hash ^= hash >> 32
	w := &c.words[hash*0xbf58476d1ce4e5b9>>(64-cacheBits)]
	if w.text == r && int(w.length) == len(text) {
		c.debt = max(0, c.debt-2)
		if w.count == 1 {
			return append(dst, w.ids[0])
		}
		return append(dst, w.ids[:w.count]...)
	}
	if c.debt += 3; c.debt >= mostDebt {
		c.debt, c.idle = mostDebt/2, idleWords
	}
	start := len(dst)
	for i := 0; i < len(text); {
		dst, i = t.encodeNext(dst, text, i, c.folded[:0])
	}
	if count := len(dst) - start; count <= len(w.ids) {
		w.text, w.length, w.count = r, uint8(len(text)), uint8(count)
		copy(w.ids[:], dst[start:])
	}
	return dst
}
