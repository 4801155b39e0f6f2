package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/fault"
)

// Order is the order of the records in an exchange. Either way it is total:
// records that compare equal are the same bytes.
type Order string

const (
	// ByHash orders by (xxh3-64 of the key, key, value) and spreads keys of any
	// kind evenly over the buckets.
	ByHash Order = "hash"
	// ByKey orders by (key, value), bytewise. Without Layout.Splits a bucket is a
	// range of the keys' first eight bytes, which is even for keys that are hashes.
	// It sorts fastest where keys differ in these bytes.
	ByKey Order = "key"
)

const (
	// maxBuckets is the largest number of buckets of an exchange.
	maxBuckets = 1 << 20
	// maxFingerprint is the largest length of a fingerprint in bytes.
	maxFingerprint = 255
	// maxRecord is the largest number of bytes of a key and its value together.
	maxRecord = 16 << 20
	// blockSize bounds the records of a block: the bytes of keys and values, and
	// eight more a record. A larger record has a block of its own.
	blockSize = 64 << 10
)

// Record is a key with its value. Both may be empty.
type Record struct {
	Key, Value []byte
}

// Layout is what the writers and readers of one exchange agree on. It is plain
// data, so that it can travel to workers as JSON.
type Layout struct {
	// Order is ByHash or ByKey.
	Order Order
	// Buckets is the number of buckets, from 1 to maxBuckets.
	Buckets int
	// Splits, only with ByKey, cuts the keys into buckets: bucket i holds the keys
	// from Splits[i-1] to before Splits[i]. There is one split less than buckets,
	// in ascending order; equal splits leave a bucket empty. Nil cuts the range of
	// the keys' first eight bytes evenly.
	Splits [][]byte
	// Fingerprint names the plan and the purpose of the exchange, at most
	// maxFingerprint bytes. A file with another fingerprint is refused.
	Fingerprint string
}

// Validate returns all faults of the layout, joined, or nil.
func (l Layout) Validate() error {
	var faults fault.List
	faults.Check(l.Order == ByHash || l.Order == ByKey, "order %q is neither %q nor %q", l.Order, ByHash, ByKey)
	faults.Check(l.Buckets >= 1 && l.Buckets <= maxBuckets, "%d buckets are not between 1 and %d", l.Buckets, maxBuckets)
	faults.Check(len(l.Fingerprint) <= maxFingerprint, "fingerprint has %d bytes, at most %d are allowed", len(l.Fingerprint),
		maxFingerprint)
	if l.Splits != nil {
		faults.Check(l.Order != ByHash, "splits need order %q, order %q cuts its buckets itself", ByKey, ByHash)
		faults.Check(len(l.Splits) == l.Buckets-1, "%d splits for %d buckets, there must be %d", len(l.Splits), l.Buckets, l.Buckets-1)
		faults.Check(slices.IsSortedFunc(l.Splits, bytes.Compare), "splits are not in ascending order")
	}
	return faults.Err()
}

// Bucket returns the bucket of a key. It never decreases in the layout's order,
// so that the buckets one after another give one order of all records, which is
// the same for any number of buckets.
func (l Layout) Bucket(key []byte) int {
	if l.Splits != nil {
		return sort.Search(len(l.Splits), func(i int) bool { return bytes.Compare(key, l.Splits[i]) < 0 })
	}
	return bucketOf(l.rank(key), l.Buckets)
}

// Compare returns a negative number, zero or a positive number as a stands
// before b, equals it or comes after it.
func (l Layout) Compare(a, b Record) int {
	return cmp.Or(
		cmp.Compare(l.rank(a.Key), l.rank(b.Key)),
		bytes.Compare(a.Key, b.Key),
		bytes.Compare(a.Value, b.Value),
	)
}

func (l Layout) rank(key []byte) uint64 { return rank(l.Order == ByHash, key) }

// rank returns the number that comes first in the order of records: it decides
// nearly every comparison without a look at the bytes.
func rank(byHash bool, key []byte) uint64 {
	if byHash {
		return xxh3.Hash(key)
	}
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var padded [8]byte
	copy(padded[:], key)
	return binary.BigEndian.Uint64(padded[:])
}

func bucketOf(rank uint64, buckets int) int {
	high, _ := bits.Mul64(rank, uint64(buckets))
	return int(high)
}

// identity is a hash of all that makes two layouts, or two versions of the file
// format, unlike. It seeds every checksum, so that a block that is read for
// another exchange does not pass.
func (l Layout) identity() uint64 {
	var h xxh3.Hasher
	put := func(s string) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
		h.Write(length[:])
		h.WriteString(s)
	}
	put(headerMagic)
	put(string(l.Order))
	put(l.Fingerprint)
	var numbers [16]byte
	binary.LittleEndian.PutUint64(numbers[:], version)
	binary.LittleEndian.PutUint64(numbers[8:], uint64(l.Buckets))
	h.Write(numbers[:])
	for _, split := range l.Splits {
		put(string(split))
	}
	return h.Sum64()
}
