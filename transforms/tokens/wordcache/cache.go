// Package wordcache keeps the ids of words that a tokenizer has met, since most words of a text have been met before.
//
// # Method
//
// A word has one place by its hash, where it is compared byte by byte: ids are those that the tokenizer gives, whatever
// was met before. Short words with few ids have two places each in one line of the processor's cache: the first one is that of
// the word that was met again last, the second one that of the latest word. The ids of other short words, and longer words with
// theirs, are in a ring, where later ones take the room of the oldest; a longer word is found there by the four places of a
// second table. Words of more than 63 bytes are not kept.
//
// # Memory
//
// A Cache takes MemoryBytes, 4.5 MiB, however many words it meets. It serves one goroutine; a tokenizer keeps them in a
// sync.Pool, so that there are about as many as goroutines encode at the same time, at most a few more than GOMAXPROCS, and
// the garbage collector takes those that are not used.
package wordcache

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unsafe"
)

const (
	// shortBytes and shortIDs bound the words whose ids are in the first table, longBytes those of the second one.
	shortBytes, shortIDs = 15, 4
	longBytes            = 63

	// shortBits and longBits give the tables 2^15 lines of two words, and 2^13 lines of four.
	shortBits, longBits = 15, 13

	// MemoryBytes is what a cache takes.
	MemoryBytes = 64<<shortBits + 64<<longBits + 4<<ringBits

	// countShift is where the last id of a short word has the number of its ids: ids are less than 2^28, as
	// no vocabulary has more.
	countShift = 28
	idMask     = 1<<countShift - 1
	// inRing, as the number of a short word's ids, says that there are more, in the ring. Then ids holds the two halves of their place, and
	// their number.
	inRing = 15
)

// shortKey is a word of 1 to 15 bytes: its bytes, then zeros, and its length in the last byte. No word has the key zero.
type shortKey struct{ low, high uint64 }

type shortSlot struct {
	key shortKey
	ids [shortIDs]int32
}

// longSlot is a longer word: its bytes, padded to whole numbers, and then its ids are at a place of the ring.
type longSlot struct {
	place      uint64
	hash       uint32
	bytes, ids uint16
}

// Cache holds words with their ids. It is not safe for concurrent use.
type Cache struct {
	short  [][2]shortSlot
	long   [][4]longSlot
	ring   ring
	seed   maphash.Seed
	encode func(dst []int32, word string) []int32
}

// New returns an empty cache in front of encode, which appends the ids of a word to dst. They depend on the word alone.
func New(encode func(dst []int32, word string) []int32) *Cache {
	return &Cache{short: make([][2]shortSlot, 1<<shortBits), long: make([][4]longSlot, 1<<longBits), ring: newRing(),
		seed: maphash.MakeSeed(), encode: encode}
}

// Append appends the ids of a word to dst. It allocates nothing but room in dst, but for what encode does.
func (c *Cache) Append(dst []int32, word string) []int32 {
	if len(word) == 0 || len(word) > shortBytes {
		return c.appendLong(dst, word)
	}
	var b [16]byte
	b[15] = byte(copy(b[:shortBytes], word))
	return c.appendShort(dst, word, shortKey{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])})
}

// appendShort is Append by the first table.
func (c *Cache) appendShort(dst []int32, word string, key shortKey) []int32 {
	pair := &c.short[key.line()]
	s := &pair[0]
	if s.key != key {
		if pair[1].key != key {
			return c.learn(dst, word, key)
		}
		pair[0], pair[1] = pair[1], pair[0]
	}
	last := s.ids[shortIDs-1]
	n := int(uint32(last) >> countShift)
	if n == inRing {
		return c.appendMany(dst, word, s)
	}
	dst = append(dst, s.ids[0], s.ids[1], s.ids[2], last&idMask)
	return dst[:len(dst)-shortIDs+n]
}

// learn appends the ids of a short word and keeps them.
func (c *Cache) learn(dst []int32, word string, key shortKey) []int32 {
	pair := &c.short[key.line()]
	s := &pair[1]
	if pair[0].key == (shortKey{}) {
		s = &pair[0]
	}
	s.key = key
	return c.encodeShort(dst, word, s)
}

// appendMany appends the ids of a short word that has many: those in the ring, unless they are gone.
func (c *Cache) appendMany(dst []int32, word string, s *shortSlot) []int32 {
	if ids, ok := c.ring.read(uint64(uint32(s.ids[0]))|uint64(s.ids[1])<<32, int(s.ids[2])); ok {
		return append(dst, ids...)
	}
	return c.encodeShort(dst, word, s)
}

// encodeShort appends the ids of a word to dst, and sets those of its place.
func (c *Cache) encodeShort(dst []int32, word string, s *shortSlot) []int32 {
	start := len(dst)
	dst = c.encode(dst, word)
	ids := dst[start:]
	n := len(ids)
	s.ids = [shortIDs]int32{}
	if n <= shortIDs {
		copy(s.ids[:], ids)
	} else {
		place, room := c.ring.add(n)
		copy(room, ids)
		s.ids = [shortIDs]int32{int32(place), int32(place >> 32), int32(n)}
		n = inRing
	}
	s.ids[shortIDs-1] |= int32(uint32(n) << countShift)
	return dst
}

// appendLong is Append by the second table.
func (c *Cache) appendLong(dst []int32, word string) []int32 {
	if len(word) == 0 || len(word) > longBytes {
		return c.encode(dst, word)
	}
	hash, size := maphash.String(c.seed, word), (len(word)+3)/4
	line := &c.long[hash>>(64-longBits)]
	oldest := &line[0]
	for i := range line {
		s := &line[i]
		if s.hash == uint32(hash) && int(s.bytes) == len(word) {
			if kept, ok := c.ring.read(s.place, size+int(s.ids)); ok && string(bytesOf(kept)[:len(word)]) == word {
				return append(dst, kept[size:]...)
			}
		}
		if s.place < oldest.place {
			oldest = s
		}
	}
	start := len(dst)
	dst = c.encode(dst, word)
	place, room := c.ring.add(size + len(dst) - start)
	copy(bytesOf(room), word)
	copy(room[size:], dst[start:])
	*oldest = longSlot{place, uint32(hash), uint16(len(word)), uint16(len(dst) - start)}
	return dst
}

// mix is the folded product of wyhash, with its first two constants of splitmix64.
func mix(low, high uint64) uint64 {
	high, low = bits.Mul64(low^0x9e3779b97f4a7c15, high^0xbf58476d1ce4e5b9)
	return high ^ low
}

func (k shortKey) line() uint64 { return mix(k.low, k.high) >> (64 - shortBits) }

// bytesOf returns the bytes of numbers, which are those of at least one.
func bytesOf(numbers []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 4*len(numbers))
}
