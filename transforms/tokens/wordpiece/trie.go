package wordpiece

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// node is a state of the automaton. Its four fields lie together because every
// byte of a word visits one node: one access to memory.
type node struct {
	// base and check are those of a double-array trie: the child by byte c is at
	// base^c, if the check there is this node. With exclusive or instead of a sum the
	// children of a node lie within 4 KiB.
	base, check uint32
	// fail is the node where matching goes on when no child fits; 0 is none.
	fail uint32
	// pops is what is emitted then: one id with isID set, or the index of a list in
	// automaton.lists.
	pops uint32
}

// piece returns the id of the piece that ends at the node, if one does. Only then
// does matching go on at the start of the next piece.
func (n node) piece() (id int32, ok bool) {
	if n.fail != wordInside {
		return 0, false
	}
	return int32(n.pops &^ isID), true
}

const (
	// The two roots: pieces that begin a word, pieces that continue one.
	wordStart  = uint32(0)
	wordInside = uint32(1)

	isID   = uint32(1) << 31
	unused = ^uint32(0)
	block  = 256 // slots that one base can reach
)

// entry is a piece in the order of the trie.
type entry struct {
	prefix uint64 // the first bytes of text, so that most comparisons need no more
	text   string // the piece without joiner
	id     int32
}

// sorted returns the pieces that begin a word, then those that continue one, each
// in the order of their bytes.
func (v *Vocabulary) sorted() []entry {
	order := make([]entry, v.Size())
	for id := range order {
		text, _ := continuation(v.Piece(int32(id)))
		var prefix [8]byte
		copy(prefix[:], text)
		order[id] = entry{binary.BigEndian.Uint64(prefix[:]), text, int32(id)}
	}
	compare := func(a, b entry) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
	}
	// A stable partition by swapping is not needed: ids order equal texts.
	inside := 0
	for i := range order {
		if !v.Continues(order[i].id) {
			order[i], order[inside] = order[inside], order[i]
			inside++
		}
	}
	slices.SortFunc(order[:inside], compare)
	slices.SortFunc(order[inside:], compare)
	return order
}

// countNodes returns the number of nodes below the roots.
func countNodes(order []entry) int {
	n, last := 0, ""
	for _, e := range order {
		shared := 0
		for shared < min(len(last), len(e.text)) && last[shared] == e.text[shared] {
			shared++
		}
		n += len(e.text) - shared
		last = e.text
	}
	return n
}

// repeated returns the ids of the first piece that occurs a second time.
func (v *Vocabulary) repeated(order []entry) (first, second int32, ok bool) {
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if a.prefix == b.prefix && a.text == b.text && v.Continues(a.id) == v.Continues(b.id) && (!ok || b.id < second) {
			first, second, ok = a.id, b.id, true
		}
	}
	return first, second, ok
}

// array gives out the slots of a double array. Free slots are a doubly linked
// list, so that the many nodes with a single child fill what others left.
type array struct {
	nodes      []node
	next, prev []uint32 // of free slots; the list's head is slot wordStart, never free
	cursor     uint32   // where the search for several slots begins
}

// newArray makes room for a number of nodes.
func newArray(size int) *array {
	size += size/64 + 4*block // slots that stay free
	a := &array{nodes: make([]node, 0, size), next: make([]uint32, 1, size), prev: make([]uint32, 1, size)}
	a.grow()
	a.take(wordInside, unused)
	return a
}

// grow adds a block of free slots.
func (a *array) grow() uint32 {
	first := uint32(len(a.nodes))
	for s := first; s < first+block; s++ {
		a.nodes = append(a.nodes, node{check: unused})
		if s == wordStart {
			continue
		}
		last := a.prev[wordStart]
		a.next, a.prev = append(a.next, wordStart), append(a.prev, last)
		a.next[last], a.prev[wordStart] = s, s
	}
	return first
}

// free says whether a slot is in the list.
func (a *array) free(s uint32) bool {
	return s > wordInside && a.nodes[s].check == unused
}

// take removes a slot from the list and makes it a child of parent.
func (a *array) take(s, parent uint32) {
	if s == a.cursor {
		a.cursor = a.next[s]
	}
	a.next[a.prev[s]], a.prev[a.next[s]] = a.next[s], a.prev[s]
	a.nodes[s].check = parent
}

// place finds a base where all labels fall on free slots, and takes those.
func (a *array) place(parent uint32, labels []byte) {
	base := a.base(labels)
	for _, c := range labels {
		a.take(base^uint32(c), parent)
	}
	a.nodes[parent].base = base
}

func (a *array) base(labels []byte) uint32 {
	const patience = 64 // more tries fill a few more slots and take far longer
	if len(labels) == 1 {
		slot := a.next[wordStart]
		if slot == wordStart {
			slot = a.grow()
		}
		return slot ^ uint32(labels[0])
	}
	slot := a.cursor
	for tries := 0; slot != wordStart; slot = a.next[slot] {
		base := slot ^ uint32(labels[0])
		fits := true
		for _, c := range labels[1:] {
			if !a.free(base ^ uint32(c)) {
				fits = false
				break
			}
		}
		if fits {
			return base
		}
		if tries++; tries == patience {
			// Slots that would not do are left to single children. Without this, every
			// search would begin with the same useless tries.
			a.cursor = slot
			tries = 0
		}
	}
	slot = a.grow()
	a.cursor = slot
	return slot ^ uint32(labels[0])
}
