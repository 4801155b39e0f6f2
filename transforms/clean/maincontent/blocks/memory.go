package blocks

import (
	"slices"
	"sync"
)

// workspace is what a page needs while it is described.
type workspace struct {
	hashes  []uint32
	firsts  map[uint64]int32   // blocks by the hash of their text
	groupOf map[uint64]int32   // groups by the hash of their markup
	held    map[uint32]float64 // words by the hash of a name
	dropped []bool             // elements
	prose   []float64          // words of elements
}

// pages have been freed, and workspaces wait for the next page.
var (
	pages      = sync.Pool{New: func() any { return &Page{article: articleRules{taken: new(Scores)}} }}
	workspaces = sync.Pool{New: func() any {
		return &workspace{firsts: map[uint64]int32{}, groupOf: map[uint64]int32{}, held: map[uint32]float64{}}
	}}
)

// mostKept is how many elements, names or blocks a page may have for its memory to be used again: a rare giant must not
// occupy it for good.
const mostKept = 1 << 16

// Free lets other pages use the memory of the page, which is of no use then. It need not be called.
func (p *Page) Free() {
	if p.small() {
		pages.Put(p)
	}
}

func (p *Page) small() bool { return max(cap(p.elements), cap(p.names), cap(p.blocks)) <= mostKept }

// free ends the description of a page.
func (w *workspace) free(p *Page) {
	p.workspace = nil
	if p.small() {
		clear(w.firsts)
		clear(w.groupOf)
		clear(w.held)
		workspaces.Put(w)
	}
}

// zeros returns n zeros, in the memory of a list that is of no use any more if they have room there.
func zeros[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}
