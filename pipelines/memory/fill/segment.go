package fill

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/schemas"
	"sentweave/transforms/engines"
)

func comparePairs(a, b engines.Pair) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
}

// segmentKeySize is the size of a key: the number of the bucket, as exchange.UnitKey
// writes it, the number of the pair, the hash of the text.
const segmentKeySize = 4 + 2 + 16

// layout says how segments are put into buckets: each is a range of the pairs and
// hashes, so that the segments of a pair lie together, and in one order whatever the
// number of buckets is.
type layout struct {
	Pairs, Buckets int
}

// appendKey appends the key of a text that is translated by a pair: equal texts are
// one.
func (l layout) appendKey(dst []byte, pair int, text string) []byte {
	hash := xxh3.HashString128(text)
	// The bucket is (pair + hash/2⁶⁴)·buckets/pairs, rounded down.
	place, _ := bits.Mul64(hash.Hi, uint64(l.Buckets))
	dst = exchange.UnitKey(dst, int((place+uint64(pair)*uint64(l.Buckets))/uint64(l.Pairs)))
	dst = binary.BigEndian.AppendUint16(dst, uint16(pair))
	sum := hash.Bytes()
	return append(dst, sum[:]...)
}

// pairOf returns the number of the pair in a key.
func (l layout) pairOf(key []byte) (int, error) {
	if len(key) != segmentKeySize {
		return 0, errSegment
	}
	pair := int(binary.BigEndian.Uint16(key[4:]))
	if pair >= l.Pairs {
		return 0, errSegment
	}
	return pair, nil
}

// segment is the value of a key: how often the text is asked for, and the translation
// that a memory has.
type segment struct {
	count uint64 // 0 if only a memory has it
	text  string
	// rank is 0 without a translation; the smallest other one counts.
	rank  uint64
	known schemas.Translation // but for languages and text
}

// rejectedRank is what is added to the ranks of translations that were rejected: one that
// can be used goes before them.
const rejectedRank = 1 << 32

// append appends the segment as the value of a record. The rank comes before the
// text, so that records are compared without being parsed whole.
func (s segment) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, s.count)
	dst = binary.AppendUvarint(dst, s.rank)
	if s.rank == 0 {
		return append(dst, s.text...)
	}
	for _, field := range []string{s.text, s.known.Key, s.known.Engine, s.known.Model, s.known.OptionsXXH3, s.known.Status,
		s.known.Reason} {
		dst = append(binary.AppendUvarint(dst, uint64(len(field))), field...)
	}
	return append(dst, s.known.Translation...)
}

var errSegment = errors.New("a record of the exchange is not a segment: launcher and worker are different programs")

func parseSegment(value []byte) (s segment, err error) {
	var rest []byte
	if s.count, s.rank, rest, err = parseHead(value); err != nil {
		return s, err
	}
	if s.rank == 0 {
		s.text = string(rest)
		return s, nil
	}
	for _, field := range []*string{&s.text, &s.known.Key, &s.known.Engine, &s.known.Model, &s.known.OptionsXXH3, &s.known.Status,
		&s.known.Reason} {
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return s, errSegment
		}
		*field, rest = string(rest[n:n+int(length)]), rest[n+int(length):]
	}
	s.known.Translation = string(rest)
	return s, nil
}

// parseHead reads count and rank, and returns what follows them.
func parseHead(value []byte) (count, rank uint64, rest []byte, err error) {
	count, n := binary.Uvarint(value)
	if n <= 0 {
		return 0, 0, nil, errSegment
	}
	rank, m := binary.Uvarint(value[n:])
	if m <= 0 {
		return 0, 0, nil, errSegment
	}
	return count, rank, value[n+m:], nil
}

// combineSegments adds the counts of equal texts, and keeps the translation of the
// smallest rank; of equal ranks, which are rows of one memory, the smaller bytes.
func combineSegments(dst, value []byte) []byte {
	countA, rankA, restA, errA := parseHead(dst)
	countB, rankB, restB, errB := parseHead(value)
	if errA != nil || errB != nil {
		return nil // which is not a segment, and an error where it is read
	}
	rank, rest := rankA, restA
	if rankA == 0 && rankB != 0 || rankB != 0 && cmp.Or(cmp.Compare(rankB, rankA), cmp.Compare(string(restB), string(restA))) < 0 {
		rank, rest = rankB, restB
	}
	merged := binary.AppendUvarint(make([]byte, 0, len(rest)+2*binary.MaxVarintLen64), countA+countB)
	return append(binary.AppendUvarint(merged, rank), rest...)
}
