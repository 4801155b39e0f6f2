package spill

import (
	"fmt"

	"github.com/zeebo/xxh3"
)

// readSize is how much is read at once where memory allows: enough for object
// storage, where each read is a request.
const readSize = 256 << 10

// cursor is on a record of a section and moves forward.
type cursor struct {
	rank       uint64
	key, value []byte

	section Section
	offset  int64  // of the first byte in the file that is not in the buffer yet
	buffer  []byte // read and not consumed
	memory  []byte // backs buffer
	spare   *[]byte
	block   block
	at      int // the next record of the block
	ordinal int // the next block
	seen    int64
}

// cursorCost is the memory of a cursor that reads at most window bytes at once.
func cursorCost(ref Ref, window int64) int64 {
	return min(ref.Length, max(window, storedBound(ref))) + ref.Block
}

// storedBound is the largest size that a block of the section may have in the file.
func storedBound(ref Ref) int64 { return blockHeaderSize + ref.Block + blockSlack }

// newCursor returns a cursor before the first record. Cursors that are moved by
// one goroutine may share the spare buffer.
func newCursor(s Section, window int64, spare *[]byte) *cursor {
	size := min(s.ref.Length, max(window, storedBound(s.ref)))
	return &cursor{section: s, offset: s.ref.Offset, memory: make([]byte, size), spare: spare}
}

// next moves to the next record; ok is false after the last.
func (c *cursor) next() (ok bool, err error) {
	if c.at == c.block.records {
		if ok, err := c.load(); !ok || err != nil {
			return false, err
		}
	}
	c.key, c.value = c.block.record(c.at)
	c.rank = rank(c.section.byHash, c.key)
	c.at++
	return true, nil
}

// load decodes the next block.
func (c *cursor) load() (ok bool, err error) {
	remaining := c.section.ref.end() - c.offset + int64(len(c.buffer))
	if remaining == 0 {
		if c.seen != c.section.ref.Records {
			return false, c.fault(fmt.Errorf("the section holds %d records, its ref says %d: %w", c.seen, c.section.ref.Records,
				ErrDamaged))
		}
		return false, nil
	}
	if remaining < blockHeaderSize {
		return false, c.fault(fmt.Errorf("%d bytes are left, too few for a block: %w", remaining, ErrDamaged))
	}
	if err := c.fill(blockHeaderSize); err != nil {
		return false, c.fault(err)
	}
	h := readBlockHeader(c.buffer)
	if err := h.check(remaining-blockHeaderSize, c.section.ref.Block); err != nil {
		return false, c.fault(fmt.Errorf("%w: %w", err, ErrDamaged))
	}
	size := blockHeaderSize + int(h.stored)
	if err := c.fill(size); err != nil {
		return false, c.fault(err)
	}
	b := c.buffer[:size]
	if xxh3.HashSeed(b[8:], blockSeed(c.section.identity, c.section.ref.Bucket, c.ordinal)) != h.checksum {
		return false, c.fault(fmt.Errorf("its checksum differs: %w", ErrDamaged))
	}
	if err := c.block.decode(h, b[blockHeaderSize:], c.spare); err != nil {
		return false, c.fault(fmt.Errorf("%w: %w", err, ErrDamaged))
	}
	c.buffer = c.buffer[size:]
	c.at = 0
	c.ordinal++
	c.seen += int64(h.records)
	return true, nil
}

// fill makes the buffer hold at least n bytes, which the section has.
func (c *cursor) fill(n int) error {
	if len(c.buffer) >= n {
		return nil
	}
	buffered := copy(c.memory, c.buffer)
	missing := int(min(int64(len(c.memory)-buffered), c.section.ref.end()-c.offset))
	if err := readAt(c.section.from, c.memory[buffered:buffered+missing], c.offset); err != nil {
		return err
	}
	c.offset += int64(missing)
	c.buffer = c.memory[:buffered+missing]
	return nil
}

func (c *cursor) fault(cause error) error { return c.section.fault(c.ordinal, cause) }
