package wordpiece

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"sentweave/transforms/tokens/doublearray"
)

// node is a state of the automaton.
type node = doublearray.Node

// pieceOf returns the id of the piece that ends at a node, if one does. Only then
// does matching go on at the start of the next piece.
func pieceOf(n node) (id int32, ok bool) {
	if n.Link != wordInside {
		return 0, false
	}
	return int32(n.Value &^ isID), true
}

const (
	// The two roots: pieces that begin a word, pieces that continue one.
	wordStart  = uint32(0)
	wordInside = uint32(1)

	// isID marks a Value that is one id, and not the index of a list in automaton.lists.
	isID = uint32(1) << 31
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
