// Package wordcache keeps the ids of words that a tokenizer has met, since most words of a text have been met before.
//
// # Method
//
// A word has one place by its hash, where it is compared byte by byte: ids are those that the tokenizer gives, whatever
// was met before. Short words with few ids have two places each in one line of the processor's cache: the first one is that of
// the word that was met again last, the second one that of the latest word. Longer words, and those of more ids, have
// one place each in a second table; others are not kept.
//
// # Memory
//
// A Cache takes MemoryBytes, 3 MiB, however many words it meets. It serves one goroutine; a tokenizer keeps them in a
// sync.Pool, so that there are about as many as goroutines encode at the same time, at most a few more than GOMAXPROCS, and
// the garbage collector takes those that are not used.
package wordcache

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	// shortBytes and shortIDs bound the words of the first table, longBytes and longIDs those of the second one.
	shortBytes, shortIDs = 15, 4
	longBytes, longIDs   = 63, 15

	// shortBits and longBits give the tables 2^15 lines of two words, and 2^13 words.
	shortBits, longBits = 15, 13

	// MemoryBytes is what a cache takes.
	MemoryBytes = 64<<shortBits + 128<<longBits

	// countShift is where the last id of a short word has the number of its ids: ids are less than 2^28, as
	// no vocabulary has more.
	countShift = 28
	idMask     = 1<<countShift - 1
	// inSecond is the number that says that a short word has more ids, in the second table.
	inSecond = 15
)

// shortKey is a word of 1 to 15 bytes: its bytes, then zeros, and its length in the last byte. No word has the key zero.
type shortKey struct{ low, high uint64 }

type shortSlot struct {
	key shortKey
	ids [shortIDs]int32
}

// longKey is the same for a word of 1 to 63 bytes.
type longKey [8]uint64

type longSlot struct {
	key longKey
	ids [longIDs]int32
	n   int32
}

// Cache holds words with their ids. It is not safe for concurrent use.
type Cache struct {
	short  [][2]shortSlot
	long   []longSlot
	encode func(dst []int32, word string) []int32
	words  [batch]shortWord
}

// New returns an empty cache in front of encode, which appends the ids of a word to dst. They depend on the word alone.
func New(encode func(dst []int32, word string) []int32) *Cache {
	return &Cache{short: make([][2]shortSlot, 1<<shortBits), long: make([]longSlot, 1<<longBits), encode: encode}
}

// Append appends the ids of a word to dst. It allocates nothing but room in dst, but for what encode does.
func (c *Cache) Append(dst []int32, word string) []int32 {
	if len(word) == 0 || len(word) > shortBytes {
		return c.appendLong(dst, word)
	}
	var b [16]byte
	b[15] = byte(copy(b[:shortBytes], word))
	key := shortKey{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	s := c.lookUp(key)
	if s == nil {
		return c.learn(dst, word, key)
	}
	n := int(uint32(s.ids[shortIDs-1]) >> countShift)
	if n == inSecond {
		return c.appendLong(dst, word)
	}
	dst = append(dst, s.ids[0], s.ids[1], s.ids[2], s.ids[3]&idMask)
	return dst[:len(dst)-shortIDs+n]
}

// lookUp returns the place of a word, nil if it has none.
func (c *Cache) lookUp(key shortKey) *shortSlot {
	pair := &c.short[key.line()]
	if pair[0].key == key {
		return &pair[0]
	}
	if pair[1].key == key {
		pair[0], pair[1] = pair[1], pair[0]
		return &pair[0]
	}
	return nil
}

// learn appends the ids of a short word and keeps them.
func (c *Cache) learn(dst []int32, word string, key shortKey) []int32 {
	start := len(dst)
	dst = c.encode(dst, word)
	ids := dst[start:]
	s, n := shortSlot{key: key}, len(ids)
	if n > shortIDs {
		if n > longIDs {
			return dst
		}
		c.keepLong(longKeyOf(word), ids)
		n = inSecond
	}
	if n <= shortIDs {
		copy(s.ids[:], ids)
	}
	s.ids[shortIDs-1] |= int32(uint32(n) << countShift)
	pair := &c.short[key.line()]
	if pair[0].key == (shortKey{}) {
		pair[0] = s
	} else {
		pair[1] = s
	}
	return dst
}

// appendLong is Append by the second table.
func (c *Cache) appendLong(dst []int32, word string) []int32 {
	if len(word) == 0 || len(word) > longBytes {
		return c.encode(dst, word)
	}
	key := longKeyOf(word)
	if s := &c.long[key.place()]; s.key == key {
		return append(dst, s.ids[:s.n]...)
	}
	start := len(dst)
	dst = c.encode(dst, word)
	if ids := dst[start:]; len(ids) <= longIDs {
		c.keepLong(key, ids)
	}
	return dst
}

func (c *Cache) keepLong(key longKey, ids []int32) {
	s := &c.long[key.place()]
	s.key, s.n = key, int32(copy(s.ids[:], ids))
}

func longKeyOf(word string) (key longKey) {
	var b [64]byte
	b[63] = byte(copy(b[:longBytes], word))
	for i := range key {
		key[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return key
}

// mix is the folded product of wyhash, with its first two constants of splitmix64.
func mix(low, high uint64) uint64 {
	high, low = bits.Mul64(low^0x9e3779b97f4a7c15, high^0xbf58476d1ce4e5b9)
	return high ^ low
}

func (k shortKey) line() uint64 { return mix(k.low, k.high) >> (64 - shortBits) }

func (k *longKey) place() uint64 {
	h := uint64(0)
	for i := 0; i < len(k); i += 2 {
		h = mix(h^k[i], k[i+1])
	}
	return h >> (64 - longBits)
}

// appendShort appends the ids of short words of a text. It is the loop of Append for many: the places of several words
// are fetched from memory at the same time.
func (c *Cache) appendShort(dst []int32, text string, list []shortWord) []int32 {
	n := len(dst)
	dst = slices.Grow(dst, shortIDs*len(list))
	out, lines := dst[:cap(dst)], c.short[:1<<shortBits]
	for i := range list {
		f := &list[i]
		pair := &lines[f.key.line()]
		s := &pair[0]
		if s.key.low != f.key.low || s.key.high != f.key.high {
			if pair[1].key.low == f.key.low && pair[1].key.high == f.key.high {
				pair[0], pair[1] = pair[1], pair[0]
			}
		}
		last := s.ids[shortIDs-1]
		count := int(uint32(last) >> countShift)
		if s.key.low == f.key.low && s.key.high == f.key.high && count != inSecond {
			o := out[n : n+shortIDs]
			o[0], o[1], o[2], o[3] = s.ids[0], s.ids[1], s.ids[2], last&idMask
			n += count
			continue
		}
		if word := text[f.start:f.end]; s.key == f.key {
			dst = c.appendLong(out[:n], word)
		} else {
			dst = c.learn(out[:n], word, f.key)
		}
		n = len(dst)
		dst = slices.Grow(dst, shortIDs*(len(list)-i))
		out = dst[:cap(dst)]
	}
	return out[:n]
}
