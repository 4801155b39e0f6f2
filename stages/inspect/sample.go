package inspect

import (
	"bytes"
	"container/heap"
	"slices"

	"github.com/zeebo/xxh3"
)

// Sample keeps the k rows with the smallest hash of their content: a choice that
// does not depend on order, shards or luck. Equal rows count apart.
type Sample[T any] struct {
	size int
	rows sampleHeap[T]
	seen int64
}

type sampled[T any] struct {
	hash    uint64
	ordinal int64
	key     []byte // the whole row, where two hashes are equal
	printed T
}

// newSample returns an empty sample of at most size rows.
func newSample[T any](size int) *Sample[T] { return &Sample[T]{size: size} }

// add offers a row: key is its whole content, print gives what is kept of it.
func (s *Sample[T]) add(key []byte, print func() T) {
	if s.size <= 0 {
		return
	}
	s.seen++
	row := sampled[T]{hash: xxh3.Hash(key), ordinal: s.seen}
	full := len(s.rows) == s.size
	if full && row.hash > s.rows[0].hash {
		return
	}
	row.key = bytes.Clone(key)
	if full && !row.before(s.rows[0]) {
		return
	}
	row.printed = print()
	if full {
		s.rows[0] = row
		heap.Fix(&s.rows, 0)
		return
	}
	heap.Push(&s.rows, row)
}

// Rows returns what print gave for the rows of the sample, in the order in which
// they came.
func (s *Sample[T]) Rows() []T {
	slices.SortFunc(s.rows, func(a, b sampled[T]) int { return int(a.ordinal - b.ordinal) })
	var rows []T
	for _, r := range s.rows {
		rows = append(rows, r.printed)
	}
	s.rows = nil
	return rows
}

func (a sampled[T]) before(b sampled[T]) bool {
	if a.hash != b.hash {
		return a.hash < b.hash
	}
	return bytes.Compare(a.key, b.key) < 0
}

// sampleHeap has the row that goes first on top.
type sampleHeap[T any] []sampled[T]

func (h sampleHeap[T]) Len() int           { return len(h) }
func (h sampleHeap[T]) Less(i, j int) bool { return h[j].before(h[i]) }
func (h sampleHeap[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *sampleHeap[T]) Push(x any)        { *h = append(*h, x.(sampled[T])) }
func (h *sampleHeap[T]) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
