// Package random makes every random choice a pure function of identity: of the
// program's version, a seed, the purpose of the choice, the id of the record and an
// index. Nothing depends on the order or the place in which records are processed, so
// every choice stays the same when a corpus is cut into other shards.
//
// # Definition
//
// The key of a stream is 56 bytes: version, seed and index as little-endian 64-bit
// integers, then the XXH3-128 (seed 0, canonical big-endian form) of the purpose, then
// that of the id. Every field has a fixed width, so no two tuples share a key. The
// XXH3-128 of the key seeds a PCG with 128 bits of state (math/rand/v2): the high half
// is its first seed, the low half the second. The methods are defined below in terms
// of Uint64 only. Tests compare them with an independent restatement in Python, so
// another machine or another Go release gives the same numbers.
//
// The generator is not for secrets.
package random

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/zeebo/xxh3"
)

// Stream is a sequence of random numbers. It is a value: a copy goes on
// independently from the same point. Its methods do not allocate; one Stream is
// not safe for concurrent use. The zero value is a valid stream, the same one
// each time; New gives the others.
type Stream struct {
	pcg rand.PCG
}

// New returns the stream of an identity. Version is the version of the method
// that chooses, raised when its output changes; purpose names the choice
// ("swap", "mask"), so that two choices about one record are independent; index
// tells repeated choices about one record apart: the ordinal of a pair, a copy,
// an epoch. It costs about 30 ns for short names.
func New(version int, seed uint64, purpose, id string, index int64) Stream {
	var key [56]byte
	binary.LittleEndian.PutUint64(key[0:], uint64(int64(version)))
	binary.LittleEndian.PutUint64(key[8:], seed)
	binary.LittleEndian.PutUint64(key[16:], uint64(index))
	name := xxh3.HashString128(purpose).Bytes()
	copy(key[24:], name[:])
	record := xxh3.HashString128(id).Bytes()
	copy(key[40:], record[:])
	sum := xxh3.Hash128(key[:])
	var s Stream
	s.pcg.Seed(sum.Hi, sum.Lo)
	return s
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns a number in [0, 1): a multiple of 2^-53, each equally likely.
func (s *Stream) Float64() float64 { return float64(s.pcg.Uint64()>>11) * 0x1p-53 }

// Bool returns true with probability p: never for p <= 0, always for p >= 1. It
// always takes one number, so that p does not shift what follows.
func (s *Stream) Bool(p float64) bool { return s.Float64() < p }

// IntN returns an integer in [0, n), each equally likely: the high half of
// Uint64 times n, redrawn where the low half falls into the part that would
// favour some results (Lemire 2019, "Fast Random Integer Generation in an
// Interval"). For n < 1 there is nothing to choose: it returns 0 and takes no number.
func (s *Stream) IntN(n int) int {
	if n < 1 {
		return 0
	}
	bound := uint64(n)
	high, low := bits.Mul64(s.pcg.Uint64(), bound)
	if low < bound {
		threshold := -bound % bound
		for low < threshold {
			high, low = bits.Mul64(s.pcg.Uint64(), bound)
		}
	}
	return int(high)
}

// Shuffle puts items into a random order, each of the n! equally likely as far
// as 128 bits of state allow (Fisher-Yates, from the end).
func Shuffle[T any](s *Stream, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		j := s.IntN(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// Sample appends k of the integers [0, n) to dst, in ascending order, each
// subset of that size equally likely; all of them where k >= n. It takes up to n
// numbers and no memory (selection sampling: Knuth, The Art of Computer
// Programming 2, 3.4.2, algorithm S).
func (s *Stream) Sample(dst []int, n, k int) []int {
	for i := 0; i < n && k > 0; i++ {
		if s.IntN(n-i) < k {
			dst = append(dst, i)
			k--
		}
	}
	return dst
}
