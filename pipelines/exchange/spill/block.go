package spill

import (
	"encoding/binary"
	"fmt"

	"github.com/pierrec/lz4/v4"
	"github.com/zeebo/xxh3"
)

const (
	blockHeaderSize = 32
	recordCost      = 8
	// blockSlack is what the lengths of a single huge record may add to recordCost.
	blockSlack = 16
)

const (
	flagCompressed = 1 << iota
	flagFixedKeys
	flagFixedValues
	knownFlags = flagCompressed | flagFixedKeys | flagFixedValues
)

// blockHeader precedes the payload of a block.
type blockHeader struct {
	checksum                   uint64 // of the rest of the header and the payload
	stored, raw                uint32 // bytes of the payload as it lies here, and decompressed
	records                    uint32
	keyBytes, valueBytes, flag uint32
}

func (h blockHeader) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint64(b, h.checksum)
	for i, v := range [...]uint32{h.stored, h.raw, h.records, h.keyBytes, h.valueBytes, h.flag} {
		le.PutUint32(b[8+4*i:], v)
	}
}

func readBlockHeader(b []byte) blockHeader {
	le := binary.LittleEndian
	return blockHeader{
		checksum: le.Uint64(b), stored: le.Uint32(b[8:]), raw: le.Uint32(b[12:]), records: le.Uint32(b[16:]),
		keyBytes: le.Uint32(b[20:]), valueBytes: le.Uint32(b[24:]), flag: le.Uint32(b[28:]),
	}
}

// size is what the block costs once it is decoded; a Ref's Block bounds it.
func (h blockHeader) size() int64 {
	return int64(h.keyBytes) + int64(h.valueBytes) + recordCost*int64(h.records)
}

// check returns why a header cannot be right, before anything is allocated for
// it. remaining is the number of bytes that follow the header in its section.
func (h blockHeader) check(remaining, limit int64) error {
	switch {
	case h.records == 0:
		return fmt.Errorf("its header promises no records")
	case int64(h.stored) > remaining:
		return fmt.Errorf("its header promises %d bytes, the section has %d left", h.stored, remaining)
	case h.size() > limit || int64(h.raw) > limit+blockSlack:
		return fmt.Errorf("its header promises a block of %d bytes, the section's largest has %d", max(h.size(), int64(h.raw)), limit)
	case h.flag&^knownFlags != 0:
		return fmt.Errorf("its header has unknown flags %#x", h.flag)
	case h.stored > h.raw, h.flag&flagCompressed == 0 && h.stored != h.raw:
		return fmt.Errorf("its header promises %d bytes that decompress to %d without compression", h.stored, h.raw)
	case h.flag&flagFixedKeys != 0 && h.keyBytes%h.records != 0, h.flag&flagFixedValues != 0 && h.valueBytes%h.records != 0:
		return fmt.Errorf("its header promises records of one width and a number of bytes that is not a multiple of that width")
	}
	return nil
}

// blockSeed seeds the checksum of a block, so that it passes only at its place.
func blockSeed(identity uint64, bucket int, ordinal int) uint64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(bucket))
	binary.LittleEndian.PutUint64(b[8:], uint64(ordinal))
	return xxh3.HashSeed(b[:], identity)
}

// blockWriter gathers records and turns them into the bytes of a block. These
// depend on the records alone, never on blocks before.
type blockWriter struct {
	keys, values          column
	size                  int // as blockHeader.size
	lz4                   lz4.Compressor
	suffixes, raw, stored []byte
}

func newBlockWriter() *blockWriter {
	w := new(blockWriter)
	w.reset()
	return w
}

func (w *blockWriter) reset() {
	w.keys.reset()
	w.values.reset()
	w.size = 0
}

func (w *blockWriter) records() int { return len(w.keys.ends) }

// fits says whether a record may join the block.
func (w *blockWriter) fits(cost int) bool { return w.size == 0 || w.size+cost <= blockSize }

func (w *blockWriter) add(key, value []byte) {
	w.keys.add(key)
	w.values.add(value)
	w.size += len(key) + len(value) + recordCost
}

// seal returns header and payload, which stay valid until the next call, and
// empties the block.
func (w *blockWriter) seal(seed uint64) ([]byte, error) {
	w.raw, w.suffixes = w.keys.encode(w.raw[:0], w.suffixes)
	w.raw, w.suffixes = w.values.encode(w.raw, w.suffixes)
	room := blockHeaderSize + lz4.CompressBlockBound(len(w.raw))
	if cap(w.stored) < room {
		w.stored = make([]byte, room)
	}
	block := w.stored[:room]
	n, err := w.lz4.CompressBlock(w.raw, block[blockHeaderSize:])
	if err != nil {
		return nil, fmt.Errorf("compress a block of %d bytes: %w", len(w.raw), err)
	}
	h := blockHeader{
		stored: uint32(n), raw: uint32(len(w.raw)), records: uint32(w.records()),
		keyBytes: uint32(len(w.keys.data)), valueBytes: uint32(len(w.values.data)), flag: flagCompressed,
	}
	if n >= len(w.raw) {
		copy(block[blockHeaderSize:], w.raw)
		h.stored, h.flag = h.raw, 0
	}
	if w.keys.fixed {
		h.flag |= flagFixedKeys
	}
	if w.values.fixed {
		h.flag |= flagFixedValues
	}
	block = block[:blockHeaderSize+int(h.stored)]
	h.put(block)
	h.checksum = xxh3.HashSeed(block[8:], seed)
	h.put(block)
	w.reset()
	return block, nil
}

// block is a decoded block: a cursor's view of its records.
type block struct {
	records              int
	keyWidth, valueWidth int // or -1: see the ends
	keys, values         []byte
	keyEnds, valueEnds   []uint32
	bytes                []byte   // backs keys and values
	ends                 []uint32 // backs keyEnds and valueEnds
}

// decode fills the block from a payload whose checksum has passed. spare takes
// the decompressed bytes and may be shared by blocks that are decoded in turn.
func (b *block) decode(h blockHeader, payload []byte, spare *[]byte) error {
	raw := payload
	if h.flag&flagCompressed != 0 {
		raw = sized(spare, int(h.raw))
		if n, err := lz4.UncompressBlock(payload, raw); err != nil || n != len(raw) {
			return fmt.Errorf("it does not decompress to %d bytes", h.raw)
		}
	}
	records, keyBytes := int(h.records), int(h.keyBytes)
	data := sized(&b.bytes, keyBytes+int(h.valueBytes))
	b.records, b.keys, b.values = records, data[:keyBytes:keyBytes], data[keyBytes:]
	b.keyWidth, b.valueWidth = -1, -1
	variable := 0
	if h.flag&flagFixedKeys != 0 {
		b.keyWidth = keyBytes / records
	} else {
		variable += records
	}
	if h.flag&flagFixedValues != 0 {
		b.valueWidth = int(h.valueBytes) / records
	} else {
		variable += records
	}
	if cap(b.ends) < variable {
		b.ends = make([]uint32, variable)
	}
	ends := b.ends[:variable]
	var err error
	if b.keyWidth >= 0 {
		raw, err = decodeFixed(b.keys, raw, records, b.keyWidth)
	} else {
		b.keyEnds, ends = ends[:records], ends[records:]
		raw, err = decodeVariable(b.keys, b.keyEnds, raw)
	}
	if err != nil {
		return err
	}
	if b.valueWidth >= 0 {
		raw, err = decodeFixed(b.values, raw, records, b.valueWidth)
	} else {
		b.valueEnds = ends
		raw, err = decodeVariable(b.values, b.valueEnds, raw)
	}
	if err == nil && len(raw) > 0 {
		err = errColumn
	}
	return err
}

func (b *block) record(i int) (key, value []byte) {
	return span(b.keys, b.keyEnds, b.keyWidth, i), span(b.values, b.valueEnds, b.valueWidth, i)
}

func span(data []byte, ends []uint32, width, i int) []byte {
	if width >= 0 {
		return data[i*width : (i+1)*width : (i+1)*width]
	}
	start := uint32(0)
	if i > 0 {
		start = ends[i-1]
	}
	return data[start:ends[i]:ends[i]]
}

// sized returns a slice of n bytes out of a buffer, which grows where needed.
func sized(buffer *[]byte, n int) []byte {
	if cap(*buffer) < n {
		*buffer = make([]byte, n)
	}
	return (*buffer)[:n]
}
