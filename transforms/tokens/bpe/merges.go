package bpe

import "math/bits"

// merge is a pair of ids that become another one; the least rank is first.
type merge struct {
	left, right int32
	rank, id    int32
}

// merges finds the merge of two ids: a table of a power of two slots, at most half of which are taken.
type merges struct {
	slots []merge
	shift int
}

func newMerges(list []merge) merges {
	m := merges{shift: 64 - bits.Len(uint(2*len(list)+1))}
	m.slots = make([]merge, 1<<(64-m.shift))
	for i := range m.slots {
		m.slots[i].left = -1
	}
	for _, e := range list {
		i := m.slot(e.left, e.right)
		if m.slots[i].left < 0 { // of a pair that occurs there twice, the first counts less
			m.slots[i] = e
		} else {
			m.slots[i].rank, m.slots[i].id = e.rank, e.id
		}
	}
	return m
}

// slot returns where a pair is, or would be.
func (m merges) slot(left, right int32) int {
	hash := (uint64(uint32(left))<<32 | uint64(uint32(right))) * 0x9e3779b97f4a7c15
	i := int((hash ^ hash>>29) * 0xbf58476d1ce4e5b9 >> m.shift)
	for m.slots[i].left >= 0 && (m.slots[i].left != left || m.slots[i].right != right) {
		i = (i + 1) & (len(m.slots) - 1)
	}
	return i
}

// unmerged is the rank of a pair without a merge.
const unmerged = int32(1<<31 - 1)

// symbol is a part of a word: an id, and the rank and the id of its merge with the next one.
type symbol struct {
	id         int32
	rank, into int32
	prev, next int32 // -1 for none; used by mergeLong
}

func (m merges) look(symbols []symbol, at, following int) {
	s := &symbols[at]
	s.rank = unmerged
	if e := m.slots[m.slot(s.id, symbols[following].id)]; e.left >= 0 {
		s.rank, s.into = e.rank, e.id
	}
}

// longWord is the number of bytes from which a heap is faster.
const longWord = 64

// merge merges the symbols of a word, the first of the least rank at a time, and returns those that are left.
func (m merges) merge(symbols []symbol, h *heap) []symbol {
	for i := range symbols[:len(symbols)-1] {
		m.look(symbols, i, i+1)
	}
	symbols[len(symbols)-1].rank = unmerged
	if len(symbols) >= longWord {
		return m.mergeLong(symbols, h)
	}
	for {
		best, rank := 0, unmerged
		for i := range symbols {
			if symbols[i].rank < rank {
				best, rank = i, symbols[i].rank
			}
		}
		if rank == unmerged {
			return symbols
		}
		symbols[best].id = symbols[best].into
		symbols = append(symbols[:best+1], symbols[best+2:]...)
		symbols[best].rank = unmerged
		if best+1 < len(symbols) {
			m.look(symbols, best, best+1)
		}
		if best > 0 {
			m.look(symbols, best-1, best)
		}
	}
}

// heap holds the ranks and places of merges, the first of the least rank on top.
type heap []uint64

func (h *heap) push(v uint64) {
	*h = append(*h, v)
	list := *h
	for i := len(list) - 1; i > 0 && list[(i-1)/2] > list[i]; i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
}

func (h *heap) pop() uint64 {
	list := *h
	top, last := list[0], len(list)-1
	list[0], list = list[last], list[:last]
	*h = list
	for i := 0; 2*i+1 < last; {
		child := 2*i + 1
		if child+1 < last && list[child+1] < list[child] {
			child++
		}
		if list[i] <= list[child] {
			break
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
	return top
}

// mergeLong is merge for a long word: a list of symbols, and a heap of merges, some of which are out of date.
func (m merges) mergeLong(symbols []symbol, h *heap) []symbol {
	*h = (*h)[:0]
	offer := func(i int32) {
		if rank := symbols[i].rank; rank != unmerged {
			h.push(uint64(rank)<<32 | uint64(i))
		}
	}
	for i := range symbols {
		symbols[i].prev, symbols[i].next = int32(i)-1, int32(i)+1
	}
	symbols[len(symbols)-1].next = -1
	for i := range symbols {
		offer(int32(i))
	}
	const gone = -1
	for len(*h) > 0 {
		top := h.pop()
		i := int32(uint32(top))
		s := &symbols[i]
		if s.id == gone || s.rank != int32(top>>32) {
			continue
		}
		following := s.next
		s.id, s.next = s.into, symbols[following].next
		symbols[following].id = gone
		s.rank = unmerged
		if s.next >= 0 {
			symbols[s.next].prev = i
			m.look(symbols, int(i), int(s.next))
			offer(i)
		}
		if s.prev >= 0 {
			m.look(symbols, int(s.prev), int(i))
			offer(s.prev)
		}
	}
	left := symbols[:0]
	for i := int32(0); i >= 0; {
		following := symbols[i].next
		left = append(left, symbols[i])
		i = following
	}
	return left
}
