package unigram

import (
	"slices"
	"strings"

	"sentweave/transforms/tokens/doublearray"
)

// newTrie makes the trie of pieces without those of some ids. The value of a node is one more than the id
// of the piece that ends there, 0 where none does.
func newTrie(pieces []string, without []bool) []doublearray.Node {
	order := make([]int32, 0, len(pieces))
	size := 0
	for id, piece := range pieces {
		if !without[id] {
			order = append(order, int32(id))
			size += len(piece)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(pieces[a], pieces[b]) })
	b := builder{doublearray.New(size / 2), pieces, nil}
	level := []subtree{{doublearray.Root, 0, order}}
	for children := []subtree(nil); len(level) > 0; level, children = children, level[:0] {
		for _, t := range level {
			children = b.expand(t, children)
		}
	}
	return b.array.Nodes
}

type builder struct {
	array  *doublearray.Array
	pieces []string
	labels []byte
}

// subtree are the pieces that share the depth bytes that lead to a node, in the order of their bytes.
type subtree struct {
	node  uint32
	depth int
	ids   []int32
}

// expand gives a node its children, and appends those with children of their own.
func (b *builder) expand(t subtree, children []subtree) []subtree {
	if len(b.pieces[t.ids[0]]) == t.depth {
		b.array.Nodes[t.node].Value = uint32(t.ids[0]) + 1
		if t.ids = t.ids[1:]; len(t.ids) == 0 {
			return children
		}
	}
	b.labels = b.labels[:0]
	first := len(children)
	for rest := t.ids; len(rest) > 0; {
		c := b.pieces[rest[0]][t.depth]
		n := 1
		for n < len(rest) && b.pieces[rest[n]][t.depth] == c {
			n++
		}
		b.labels = append(b.labels, c)
		children = append(children, subtree{0, t.depth + 1, rest[:n]})
		rest = rest[n:]
	}
	b.array.Place(t.node, b.labels)
	for i, c := range b.labels {
		children[first+i].node = b.array.Nodes[t.node].Base ^ uint32(c)
	}
	return children
}
