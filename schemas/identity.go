package schemas

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

// ID returns the identity of the record that starts at byte offset of source:
// the xxh3-128 of both, as 32 hexadecimal digits. The source is the name
// relative to the input folder, so that moving a corpus keeps its identities.
func ID(source string, offset int64) string {
	b := append(make([]byte, 0, usual), source...)
	b = append(b, 0) // which ends the name
	return HexID(xxh3.Hash128(binary.LittleEndian.AppendUint64(b, uint64(offset))).Bytes())
}

// DerivedID returns the identity of a row that is made from other rows: the
// xxh3-128 of the purpose and the parts. Parts are separated by a zero byte.
func DerivedID(purpose string, parts ...string) string {
	b := append(make([]byte, 0, usual), purpose...)
	for _, p := range parts {
		b = append(append(b, 0), p...)
	}
	return HexID(xxh3.Hash128(b).Bytes())
}

// ItemExampleID returns the identity of the example that is made of the first text of a benchmark's item.
func ItemExampleID(item, language string) string { return DerivedID("item", item, language) }

// usual is how many bytes most identities are hashed from: so many need no memory of the heap.
const usual = 512

// HexID writes 128 bits in the form of an identity.
func HexID(sum [16]byte) string {
	var digits [32]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}

// IsID says whether id has the form of an identity: 32 lower-case hexadecimal digits.
func IsID(id string) bool {
	if len(id) != 32 {
		return false
	}
	bad := byte(0)
	for i := range len(id) { // without branches: which digits are letters cannot be foretold
		bad |= noDigit[id[i]]
	}
	return bad == 0
}

// noDigit is 1 for all bytes but the lower-case hexadecimal digits.
var noDigit = func() (table [256]byte) {
	for i := range table {
		table[i] = 1
	}
	for _, c := range []byte("0123456789abcdef") {
		table[c] = 0
	}
	return table
}()
