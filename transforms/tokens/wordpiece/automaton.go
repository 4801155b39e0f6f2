package wordpiece

import (
	"fmt"
	"sentweave/transforms/tokens/doublearray"
)

// automaton splits words into pieces: LinMaxMatch (Song et al. 2021, algorithms 1
// and 2) on the bytes of UTF-8. Pieces are whole characters, so the longest match
// of bytes is the longest match of characters.
type automaton struct {
	nodes []node
	// lists holds lists of ids, each after its length; the empty list is at 0.
	lists []uint32
}

// maxLists bounds automaton.lists, whose size can grow with the square of the
// length of pieces. A vocabulary of words needs about one entry a byte.
func maxLists(content int) int { return min(1<<20+16*content, 1<<30) }

// subtree is a span of order: the pieces that share the depth bytes that lead to node.
type subtree struct {
	node   uint32
	lo, hi uint32
	depth  uint32
}

// newAutomaton builds the trie and its failure links in one pass, breadth first:
// a failure link leads to a node that is less deep, whose children are in place.
func newAutomaton(v *Vocabulary, order []entry) (*automaton, error) {
	b := &builder{array: doublearray.New(countNodes(order)), order: order, lists: []uint32{0}}
	inside := uint32(0)
	for inside < uint32(len(order)) && !v.Continues(order[inside].id) {
		inside++
	}
	level := []subtree{{wordStart, 0, inside, 0}, {wordInside, inside, uint32(len(order)), 0}}
	for children := []subtree(nil); len(level) > 0; level, children = children, level[:0] {
		for _, t := range level {
			children = b.expand(t, children)
			if limit := maxLists(len(v.content)); len(b.lists) > limit {
				return nil, fmt.Errorf("pieces are so long that the automaton takes more than %d MiB: leave out the longest of the %d",
					4*limit>>20, len(order))
			}
		}
	}
	return &automaton{nodes: b.array.Nodes, lists: b.lists}, nil
}

type builder struct {
	array  *doublearray.Array
	order  []entry
	lists  []uint32
	labels []byte
}

// expand gives a node its children, and appends those with children of their own.
func (b *builder) expand(t subtree, children []subtree) []subtree {
	if t.lo == t.hi {
		return children
	}
	first := len(children)
	b.labels = b.labels[:0]
	for lo := t.lo; lo < t.hi; {
		c := b.order[lo].text[t.depth]
		hi := lo + 1
		for hi < t.hi && b.order[hi].text[t.depth] == c {
			hi++
		}
		b.labels = append(b.labels, c)
		children = append(children, subtree{lo: lo, hi: hi, depth: t.depth + 1})
		lo = hi
	}
	b.array.Place(t.node, b.labels)
	base := b.array.Nodes[t.node].Base
	end := first
	for i, c := range b.labels {
		child := children[first+i]
		child.node = base ^ uint32(c)
		if e := b.order[child.lo]; len(e.text) == int(child.depth) {
			b.array.Nodes[child.node].Link = wordInside
			b.array.Nodes[child.node].Value = uint32(e.id) | isID
			child.lo++
		} else {
			b.link(t.node, child.node, c)
		}
		if child.lo < child.hi {
			children[end] = child
			end++
		}
	}
	return children[:end]
}

// link sets where matching goes on after a child of parent at which no piece ends,
// and what it has emitted by then: the longest pieces of the text so far.
func (b *builder) link(parent, child uint32, c byte) {
	nodes := b.array.Nodes
	z := nodes[parent].Link
	pops := nodes[parent].Value
	var emitted []uint32
	for z != 0 {
		next := nodes[z].Base ^ uint32(c)
		if nodes[next].Check == z {
			if emitted != nil {
				pops = b.list(pops, emitted)
			}
			nodes[child].Link, nodes[child].Value = next, pops
			return
		}
		emitted = appendPops(emitted, b.lists, nodes[z].Value)
		z = nodes[z].Link
	}
}

// list stores the ids of pops and emitted as one list.
func (b *builder) list(pops uint32, emitted []uint32) uint32 {
	index := uint32(len(b.lists))
	b.lists = append(b.lists, 0)
	b.lists = appendPops(b.lists, b.lists, pops)
	b.lists = append(b.lists, emitted...)
	b.lists[index] = uint32(len(b.lists)) - index - 1
	return index
}

func appendPops(dst, lists []uint32, pops uint32) []uint32 {
	if pops&isID != 0 {
		return append(dst, pops&^isID)
	}
	return append(dst, lists[pops+1:pops+1+lists[pops]]...)
}

// find returns the id of the piece that text leads to.
func (a *automaton) find(root uint32, text string) (int32, bool) {
	state := root
	for i := range len(text) {
		next := a.nodes[state].Base ^ uint32(text[i])
		if a.nodes[next].Check != state {
			return 0, false
		}
		state = next
	}
	return pieceOf(a.nodes[state])
}

// longest returns the longest piece that text begins with, and its length, 0 if
// there is none.
func (a *automaton) longest(root uint32, text []byte) (id int32, length int) {
	state := root
	for i, c := range text {
		next := a.nodes[state].Base ^ uint32(c)
		if a.nodes[next].Check != state {
			break
		}
		state = next
		if piece, ok := pieceOf(a.nodes[state]); ok {
			id, length = piece, i+1
		}
	}
	return id, length
}

// match appends the pieces of a word, read from a root, or unknown alone. The word
// is not empty.
func (a *automaton) match(dst []int32, root uint32, word []byte, unknown int32) []int32 {
	start := len(dst)
	nodes := a.nodes
	state := root
	n := nodes[state]
	for _, c := range word {
		for {
			next := n.Base ^ uint32(c)
			child := nodes[next]
			if child.Check == state {
				state, n = next, child
				break
			}
			if n.Link == 0 {
				return append(dst[:start], unknown)
			}
			dst = a.emit(dst, n.Value)
			state = n.Link
			n = nodes[state]
		}
	}
	for state != wordInside {
		if n.Link == 0 {
			return append(dst[:start], unknown)
		}
		dst = a.emit(dst, n.Value)
		state = n.Link
		n = nodes[state]
	}
	return dst
}

func (a *automaton) emit(dst []int32, pops uint32) []int32 {
	if pops&isID != 0 {
		return append(dst, int32(pops&^isID))
	}
	for _, id := range a.lists[pops+1 : pops+1+a.lists[pops]] {
		dst = append(dst, int32(id))
	}
	return dst
}
