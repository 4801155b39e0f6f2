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
	return hash(func(h *xxh3.Hasher) {
		h.WriteString(source)
		var b [9]byte // the leading zero byte ends the name
		binary.LittleEndian.PutUint64(b[1:], uint64(offset))
		h.Write(b[:])
	})
}

// DerivedID returns the identity of a row that is made from other rows: the
// xxh3-128 of the purpose and the parts. Parts are separated by a zero byte.
func DerivedID(purpose string, parts ...string) string {
	return hash(func(h *xxh3.Hasher) {
		h.WriteString(purpose)
		for _, p := range parts {
			h.Write([]byte{0})
			h.WriteString(p)
		}
	})
}

func hash(write func(*xxh3.Hasher)) string {
	var h xxh3.Hasher
	write(&h)
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// IsID says whether id has the form of an identity: 32 lower-case hexadecimal digits.
func IsID(id string) bool {
	if len(id) != 32 {
		return false
	}
	for i := 0; i < len(id); i++ {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
