package spill

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

const (
	headerMagic  = "SwSpill\n"
	trailerMagic = "\nSwSpill"
	version      = 1

	magicSize   = 8
	fixedHeader = magicSize + 4 + 4 + 1 + 1 // magic, version, buckets, order, length of the fingerprint
	maxHeader   = fixedHeader + maxFingerprint + 8 + 8
	trailerSize = 8 + 8 + 8 + magicSize // length and checksum of the footer, length of the file, magic
	// maxFooterEntry bounds what the footer holds for a section: four numbers.
	maxFooterEntry = 4 * binary.MaxVarintLen64
)

// appendHeader appends the header of a file with this layout.
func appendHeader(dst []byte, l Layout) []byte {
	start := len(dst)
	le := binary.LittleEndian
	dst = append(dst, headerMagic...)
	dst = le.AppendUint32(dst, version)
	dst = le.AppendUint32(dst, uint32(l.Buckets))
	dst = append(dst, orderByte(l.Order), byte(len(l.Fingerprint)))
	dst = append(dst, l.Fingerprint...)
	dst = le.AppendUint64(dst, l.identity())
	return le.AppendUint64(dst, xxh3.Hash(dst[start:]))
}

func orderByte(o Order) byte {
	if o == ByHash {
		return 'h'
	}
	return 'k'
}

// checkHeader returns the length of the header at the start of b, or why it is
// not the header of a file with this layout.
func checkHeader(b []byte, want Layout) (int, error) {
	if len(b) < fixedHeader || string(b[:magicSize]) != headerMagic {
		return 0, errors.New("it is not a spill file")
	}
	le := binary.LittleEndian
	if v := le.Uint32(b[magicSize:]); v != version {
		return 0, fmt.Errorf("its format has version %d, this program reads version %d", v, version)
	}
	end := fixedHeader + int(b[fixedHeader-1]) + 8
	if len(b) < end+8 {
		return 0, errors.New("it ends within its header")
	}
	if le.Uint64(b[end:]) != xxh3.Hash(b[:end]) {
		return 0, errors.New("the checksum of its header differs")
	}
	if got := string(b[fixedHeader : end-8]); got != want.Fingerprint {
		return 0, fmt.Errorf("its fingerprint is %q, %q is wanted", got, want.Fingerprint)
	}
	if got := le.Uint32(b[magicSize+4:]); int64(got) != int64(want.Buckets) {
		return 0, fmt.Errorf("it has %d buckets, %d are wanted", got, want.Buckets)
	}
	if got := b[magicSize+8]; got != orderByte(want.Order) {
		return 0, fmt.Errorf("its order is %q, %q is wanted", got, orderByte(want.Order))
	}
	if le.Uint64(b[end-8:]) != want.identity() {
		return 0, errors.New("its buckets are split at other keys")
	}
	return end + 8, nil
}

// appendFooter appends the table of the sections, which follow one another
// without gaps from the end of the header on: bucket, length, records and
// largest block of each.
func appendFooter(dst []byte, refs []Ref) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(refs)))
	for _, r := range refs {
		dst = binary.AppendUvarint(dst, uint64(r.Bucket))
		dst = binary.AppendUvarint(dst, uint64(r.Length))
		dst = binary.AppendUvarint(dst, uint64(r.Records))
		dst = binary.AppendUvarint(dst, uint64(r.Block))
	}
	return dst
}

// parseFooter returns the sections between two offsets of a file.
func parseFooter(b []byte, from, to int64, buckets int) ([]Ref, error) {
	bad := false
	number := func() int64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<62 {
			bad = true
			return 0
		}
		b = b[n:]
		return int64(v)
	}
	count := number()
	if bad || count > int64(buckets) || count > int64(len(b)) {
		return nil, errors.New("its table of sections is damaged")
	}
	refs := make([]Ref, 0, count)
	last := -1
	for range count {
		r := Ref{Offset: from}
		bucket := number()
		r.Length, r.Records, r.Block = number(), number(), number()
		if bad || bucket <= int64(last) || bucket >= int64(buckets) {
			return nil, fmt.Errorf("its table of sections breaks off after bucket %d", last)
		}
		r.Bucket = int(bucket)
		if r.validate(buckets) != nil || r.Length > to-from {
			return nil, fmt.Errorf("its table of sections has a section of bucket %d that cannot be", bucket)
		}
		from, last = r.end(), r.Bucket
		refs = append(refs, r)
	}
	if len(b) > 0 || from != to {
		return nil, errors.New("its table of sections does not cover the file")
	}
	return refs, nil
}

// appendTrailer appends what ends a file of whose bytes size precede it.
func appendTrailer(dst, footer []byte, identity uint64, size int64) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, uint64(len(footer)))
	dst = le.AppendUint64(dst, xxh3.HashSeed(footer, identity))
	dst = le.AppendUint64(dst, uint64(size+trailerSize))
	return append(dst, trailerMagic...)
}
