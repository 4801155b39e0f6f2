package parquetfile

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// This file looks whether the encodings of a page give more than the page says.

// plainDictionary is what older writers call both a dictionary and its indexes.
const plainDictionary format.Encoding = 2

var errEncoding = damaged("an encoding ends within a number")

func uvarint(data []byte) (uint64, []byte, error) {
	u, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, errEncoding
	}
	return u, data[n:], nil
}

// padding is how many numbers may follow those of the values: packed ones fill up a
// group of eight, and with DuckDB a block of 256.
const padding = 4096

// checkRuns looks whether the hybrid of runs and packed bits gives about as many
// numbers as there are values.
func checkRuns(data []byte, width int, values int64) error {
	remaining := uint64(values) + padding
	for len(data) > 0 {
		head, rest, err := uvarint(data)
		if err != nil {
			return err
		}
		count, size := head>>1, uint64(width+7)/8
		if head&1 != 0 {
			if count > remaining/8+1 {
				return damaged("runs of levels or indexes give more than its %d values", values)
			}
			size = count * uint64(width)
			count *= 8
		}
		if count > remaining {
			return damaged("runs of levels or indexes give more than its %d values", values)
		}
		remaining -= count
		data = rest[min(size, uint64(len(rest))):]
	}
	return nil
}

// levels cuts off the levels that come before the values of a page of version 1.
func levels(data []byte, highest int, encoding format.Encoding, values int64) (rest []byte, err error) {
	if highest == 0 {
		return data, nil
	}
	if encoding != format.RLE {
		return nil, damaged("levels in the encoding %v are not read", encoding)
	}
	if len(data) < 4 {
		return nil, errEncoding
	}
	length, data := uint64(binary.LittleEndian.Uint32(data)), data[4:]
	if length > uint64(len(data)) {
		return nil, errEncoding
	}
	return data[length:], checkRuns(data[:length], bits.Len(uint(highest)), values)
}

// checkValues looks whether the values of a page take, decoded, no more memory than
// is bounded.
func (l leaf) checkValues(data []byte, encoding format.Encoding, values int64) error {
	switch encoding {
	case format.Plain:
		return nil // decoded, it is as long
	case plainDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return nil
		}
		return checkRuns(data[1:], int(data[0]), values)
	}
	if err := bound(l.page(), values*l.width(), maxPage, "bytes, decoded", smallerGroups); err != nil {
		return err
	}
	switch encoding {
	case format.RLE:
		if len(data) < 4 {
			return errEncoding
		}
		return checkRuns(data[4:], 1, values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err := newDelta(data, values)
		return err
	case format.DeltaByteArray:
		return l.checkPrefixes(data, values)
	case format.ByteStreamSplit:
		return nil
	}
	return damaged("values in the encoding %v are not read", encoding)
}

// width is the bytes of a value of a type whose values are equally long.
func (l leaf) width() int64 {
	switch l.kind {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return l.length
	}
	return 0
}

// checkPrefixes adds up the lengths of values that share their beginnings with the
// value before: a page of some bytes may stand for any number of long ones.
func (l leaf) checkPrefixes(data []byte, values int64) error {
	var total int64
	for range 2 { // the lengths of the beginnings, and of the ends
		d, err := newDelta(data, values)
		if err != nil {
			return err
		}
		for d.left > 0 {
			length, err := d.next()
			if err != nil {
				return err
			}
			if length < 0 {
				return damaged("a value has %d bytes", length)
			}
			if total += int64(length); total > maxPage {
				return bound(l.page(), total, maxPage, "bytes, decoded", smallerGroups)
			}
		}
		if data, err = d.rest(); err != nil {
			return err
		}
	}
	return nil
}

// delta reads numbers of 32 bits in the encoding DELTA_BINARY_PACKED.
type delta struct {
	data             []byte
	left             int64  // numbers that are still to come
	blocks, perBlock uint64 // small blocks in a block, and numbers in each of them
	value, least     int32
	first            bool
	widths           []byte // of the small blocks that are still to come
	inBlock          uint64 // numbers that are left in the small block
	width            uint
	packed           []byte // the small block
	bit              uint
}

// newDelta reads the head, which says how many numbers there are: at most so many
// as the page has values.
func newDelta(data []byte, values int64) (*delta, error) {
	d := &delta{first: true}
	size, data, err := uvarint(data)
	if err == nil {
		d.blocks, data, err = uvarint(data)
	}
	var total uint64
	if err == nil {
		total, data, err = uvarint(data)
	}
	if err != nil {
		return nil, err
	}
	first, n := binary.Varint(data)
	if n <= 0 {
		return nil, errEncoding
	}
	if size == 0 || size > 1<<16 || size%128 != 0 || d.blocks == 0 || size%d.blocks != 0 || size/d.blocks%32 != 0 {
		return nil, damaged("blocks of %d numbers in %d", size, d.blocks)
	}
	if total > uint64(values) {
		return nil, damaged("%d numbers stand for %d values", total, values)
	}
	d.data, d.left, d.perBlock, d.value = data[n:], int64(total), size/d.blocks, int32(first)
	return d, nil
}

func (d *delta) next() (int32, error) {
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.inBlock == 0 {
		if err := d.block(); err != nil {
			return 0, err
		}
	}
	d.inBlock--
	var packed uint64
	for position := d.bit; position < d.bit+d.width && position/8 < uint(len(d.packed)); position++ {
		packed |= uint64(d.packed[position/8]>>(position%8)&1) << (position - d.bit)
	}
	d.bit += d.width
	d.value += d.least + int32(packed)
	return d.value, nil
}

// block begins the next small block.
func (d *delta) block() error {
	if len(d.widths) == 0 {
		minimum, n := binary.Varint(d.data)
		if n <= 0 || uint64(len(d.data)-n) < d.blocks {
			return errEncoding
		}
		d.least = int32(minimum)
		d.widths, d.data = d.data[n:n+int(d.blocks)], d.data[n+int(d.blocks):]
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	if d.width > 32 {
		return damaged("numbers of %d bits in a column of 32", d.width)
	}
	size := min(d.perBlock*uint64(d.width)/8, uint64(len(d.data))) // writers leave out the end of the last one
	d.packed, d.data, d.bit, d.inBlock = d.data[:size], d.data[size:], 0, d.perBlock
	return nil
}

// rest returns what follows the numbers.
func (d *delta) rest() ([]byte, error) {
	if d.left > 0 {
		return nil, errEncoding
	}
	return d.data, nil
}
