package spill

import (
	"bytes"
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

const (
	chunkBits   = 16
	chunkSize   = 1 << chunkBits
	maxChunks   = 1 << (32 - chunkBits)
	entrySize   = 16
	leastLength = 1 << 10 // of entries and slots
)

// entry stands for a record in memory: sorting moves entries, not records.
type entry struct {
	rank  uint64
	at    uint32 // number of the chunk, and offset in it
	value uint32 // length of the value
}

// arena holds records within a budget. Chunks and tables stay for the next
// records when a run has been written.
type arena struct {
	byHash  bool
	combine func(dst, value []byte) []byte
	budget  int64

	chunks  [][]byte // records: length of the key, key, value; a large record has a chunk of its own
	current int      // the chunk that has room from offset on
	offset  int
	kept    [][]byte // empty chunks
	bytes   int64    // of all chunks
	entries []entry
	// slots finds the entry of a key, with combine only: linear probing at most half
	// full. A slot holds 32 bits of the key's hash and the entry's number plus one.
	slots []uint64

	touched byte // keeps loads alive
}

func newArena(byHash bool, combine func(dst, value []byte) []byte, budget int64) *arena {
	return &arena{byHash: byHash, combine: combine, budget: budget, offset: chunkSize}
}

// reset forgets all records.
func (a *arena) reset() {
	for _, c := range a.chunks {
		if cap(c) == chunkSize {
			a.kept = append(a.kept, c)
		} else {
			a.bytes -= int64(cap(c))
		}
	}
	clear(a.chunks)
	a.chunks, a.offset = a.chunks[:0], chunkSize
	a.entries = a.entries[:0]
	clear(a.slots)
}

// add takes a record in, or combines it with the one that has its key. If the
// budget is full ok is false: then the records must be written and reset, and
// rest added for the key, which always succeeds.
func (a *arena) add(key, value []byte) (rest []byte, ok bool) {
	r := rank(a.byHash, key)
	var slot int
	var tag uint64
	if a.combine != nil {
		if 2*len(a.entries) >= len(a.slots) && !a.growSlots() {
			return value, false
		}
		hash := r
		if !a.byHash {
			hash = xxh3.Hash(key)
		}
		tag = hash >> 32
		var exists bool
		if slot, exists = a.find(key, tag); exists {
			return a.merge(int(uint32(a.slots[slot]))-1, key, value)
		}
	}
	if len(a.entries) == cap(a.entries) && !a.growEntries() {
		return value, false
	}
	position, ok := a.store(key, value)
	if !ok {
		return value, false
	}
	a.entries = append(a.entries, entry{rank: r, at: position, value: uint32(len(value))})
	if a.combine != nil {
		a.slots[slot] = tag<<32 | uint64(len(a.entries))
	}
	return nil, true
}

// find returns the slot of a key, or the empty slot where it belongs.
func (a *arena) find(key []byte, tag uint64) (slot int, exists bool) {
	mask := len(a.slots) - 1
	for slot = int(tag) & mask; ; slot = (slot + 1) & mask {
		s := a.slots[slot]
		if s == 0 {
			return slot, false
		}
		if s>>32 == tag {
			if k, _ := a.record(a.entries[uint32(s)-1]); bytes.Equal(k, key) {
				return slot, true
			}
		}
	}
}

// merge combines a value with that of an entry that has its key.
func (a *arena) merge(i int, key, value []byte) (rest []byte, ok bool) {
	e := &a.entries[i]
	_, old := a.record(*e)
	combined := a.combine(old, value)
	if len(combined) > len(old) {
		position, ok := a.store(key, combined)
		if !ok {
			// Combine may have changed the old value already: the new one takes its
			// place in the next run.
			last := len(a.entries) - 1
			a.entries[i] = a.entries[last]
			a.entries = a.entries[:last]
			return combined, false
		}
		e.at = position
	} else {
		copy(old, combined)
	}
	e.value = uint32(len(combined))
	return nil, true
}

// record returns the bytes of an entry. They cannot be appended to in place.
func (a *arena) record(e entry) (key, value []byte) {
	b := a.chunks[e.at>>chunkBits][e.at&(chunkSize-1):]
	length, n := uint64(b[0]), 1
	if length >= 0x80 {
		length, n = binary.Uvarint(b)
	}
	end := n + int(length)
	last := end + int(e.value)
	return b[n:end:end], b[end:last:last]
}

// store copies a record into a chunk.
func (a *arena) store(key, value []byte) (position uint32, ok bool) {
	size := uvarintSize(len(key)) + len(key) + len(value)
	chunk, offset := a.current, a.offset
	switch {
	case size > chunkSize/4:
		if len(a.chunks) == maxChunks || !a.reserve(int64(size)) {
			return 0, false
		}
		a.chunks = append(a.chunks, make([]byte, size))
		a.bytes += int64(size)
		chunk, offset = len(a.chunks)-1, 0
	case offset+size > chunkSize:
		if len(a.chunks) == maxChunks || !a.growChunks() {
			return 0, false
		}
		chunk, offset = len(a.chunks)-1, 0
		a.current, a.offset = chunk, size
	default:
		a.offset += size
	}
	b := a.chunks[chunk][offset : offset+size]
	n := binary.PutUvarint(b[:min(len(b), binary.MaxVarintLen32)], uint64(len(key)))
	n += copy(b[n:], key)
	copy(b[n:], value)
	return uint32(chunk)<<chunkBits | uint32(offset), true
}

func uvarintSize(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// reserve says whether n bytes more may be held. The first record always may.
func (a *arena) reserve(n int64) bool {
	memory := a.bytes + int64(entrySize*cap(a.entries)+8*len(a.slots)) + n
	for memory > a.budget && len(a.kept) > 0 {
		last := len(a.kept) - 1
		a.kept[last] = nil // for the collector
		a.kept = a.kept[:last]
		a.bytes -= chunkSize
		memory -= chunkSize
	}
	return memory <= a.budget || len(a.entries) == 0
}

func (a *arena) growChunks() bool {
	if last := len(a.kept) - 1; last >= 0 {
		a.chunks = append(a.chunks, a.kept[last])
		a.kept = a.kept[:last]
		return true
	}
	if !a.reserve(chunkSize) {
		return false
	}
	a.chunks = append(a.chunks, make([]byte, chunkSize))
	a.bytes += chunkSize
	return true
}

// growEntries makes room for half as many entries more. Old and new table exist
// together for a moment.
func (a *arena) growEntries() bool {
	n := max(leastLength, cap(a.entries)*3/2)
	if !a.reserve(int64(n) * entrySize) {
		return false
	}
	a.entries = append(make([]entry, 0, n), a.entries...)
	return true
}

func (a *arena) growSlots() bool {
	n := max(leastLength, 2*len(a.slots))
	if !a.reserve(8 * int64(n)) {
		return false
	}
	old := a.slots
	a.slots = make([]uint64, n)
	for _, s := range old {
		if s == 0 {
			continue
		}
		slot := int(s>>32) & (n - 1)
		for a.slots[slot] != 0 {
			slot = (slot + 1) & (n - 1)
		}
		a.slots[slot] = s
	}
	return true
}

// each passes on the records in order. The table of keys is of no use afterwards.
func (a *arena) each(emit sink) error {
	sortEntries(a.entries, func(x, y entry) int {
		xKey, xValue := a.record(x)
		yKey, yValue := a.record(y)
		if c := bytes.Compare(xKey, yKey); c != 0 {
			return c
		}
		return bytes.Compare(xValue, yValue)
	})
	for entries := a.entries; len(entries) > 0; {
		group := entries[:min(len(entries), 32)]
		entries = entries[len(group):]
		// Sorted records lie anywhere in memory. Loads that do not wait for one
		// another take them to the cache together: a million records of 24 bytes are
		// written in 135 ms instead of 193.
		for _, e := range group {
			a.touched ^= a.chunks[e.at>>chunkBits][e.at&(chunkSize-1)]
		}
		for _, e := range group {
			key, value := a.record(e)
			if err := emit(e.rank, key, value); err != nil {
				return err
			}
		}
	}
	return nil
}
