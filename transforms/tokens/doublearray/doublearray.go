// Package doublearray gives out the slots of a double-array trie (Aoe 1989).
package doublearray

// Node is a slot. Its four fields lie together because every byte of a word visits one
// node: one access to memory.
type Node struct {
	// Base and Check are those of a double-array trie: the child by byte c is at
	// Base^c, if the Check there is this node. With exclusive or instead of a sum the
	// children of a node lie within 4 KiB.
	Base, Check uint32
	// Link is the node where matching goes on when no child fits; 0 is none.
	Link uint32
	// Value is what the node stands for.
	Value uint32
}

const (
	// Root and SecondRoot are never the child of a node.
	Root       = uint32(0)
	SecondRoot = uint32(1)

	unused = ^uint32(0)
	block  = 256 // slots that one base can reach
)

// Array gives out the slots of a double array. Free slots are a doubly linked
// list, so that the many nodes with a single child fill what others left.
type Array struct {
	Nodes      []Node
	next, prev []uint32 // of free slots; the list's head is slot Root, never free
	cursor     uint32   // where the search for several slots begins
}

// New makes room for a number of nodes.
func New(size int) *Array {
	size += size/64 + 4*block // slots that stay free
	a := &Array{Nodes: make([]Node, 0, size), next: make([]uint32, 1, size), prev: make([]uint32, 1, size)}
	a.grow()
	a.take(SecondRoot, unused)
	return a
}

// grow adds a block of free slots.
func (a *Array) grow() uint32 {
	first := uint32(len(a.Nodes))
	for s := first; s < first+block; s++ {
		a.Nodes = append(a.Nodes, Node{Check: unused})
		if s == Root {
			continue
		}
		last := a.prev[Root]
		a.next, a.prev = append(a.next, Root), append(a.prev, last)
		a.next[last], a.prev[Root] = s, s
	}
	return first
}

// free says whether a slot is in the list.
func (a *Array) free(s uint32) bool {
	return s > SecondRoot && a.Nodes[s].Check == unused
}

// take removes a slot from the list and makes it a child of parent.
func (a *Array) take(s, parent uint32) {
	if s == a.cursor {
		a.cursor = a.next[s]
	}
	a.next[a.prev[s]], a.prev[a.next[s]] = a.next[s], a.prev[s]
	a.Nodes[s].Check = parent
}

// Place finds a base where all labels fall on free slots, and takes those.
func (a *Array) Place(parent uint32, labels []byte) {
	base := a.base(labels)
	for _, c := range labels {
		a.take(base^uint32(c), parent)
	}
	a.Nodes[parent].Base = base
}

func (a *Array) base(labels []byte) uint32 {
	const patience = 64 // more tries fill a few more slots and take far longer
	if len(labels) == 1 {
		slot := a.next[Root]
		if slot == Root {
			slot = a.grow()
		}
		return slot ^ uint32(labels[0])
	}
	slot := a.cursor
	for tries := 0; slot != Root; slot = a.next[slot] {
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
