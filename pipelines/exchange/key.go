package exchange

import "encoding/binary"

// UnitKey appends the start of a key of an exchange by unit: the number of the
// bucket, big endian, so that keys sort by it.
func UnitKey(dst []byte, bucket int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(bucket))
}

// AppendCount appends a count as the value that Sum combines.
func AppendCount(dst []byte, n int64) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(n)) }

// Count reads what AppendCount made.
func Count(value []byte) int64 { return int64(binary.LittleEndian.Uint64(value)) }
