package bottomk

import "container/heap"

// Ranked is a record with its rank and its size.
type Ranked[T any] struct {
	Rank  uint64
	Size  int
	Value T
}

// Bounded takes records of different ranks and keeps those with the lowest ones, as many as together have at most a size. What it
// keeps depends on the set of the records alone. Memory is that of the kept records, and some 50 bytes for each.
type Bounded[T any] struct {
	// Records are the kept ones, in no order, and Size is the sum of their sizes.
	Records []Ranked[T]
	Size    int

	limit int
	ranks map[uint64]bool
	cut   *uint64 // the lowest rank that was too high, nil for none
}

// NewBounded returns a set of records that together have at most the size limit.
func NewBounded[T any](limit int) *Bounded[T] {
	return &Bounded[T]{limit: limit, ranks: map[uint64]bool{}}
}

// Takes reports whether Add would keep a record of the rank: if none of the rank is kept, and no lower one was too high.
func (b *Bounded[T]) Takes(rank uint64) bool {
	return (b.cut == nil || rank < *b.cut) && !b.ranks[rank]
}

// Add keeps a record that Takes says it takes, and drops those with the highest ranks while all together have more than the limit.
func (b *Bounded[T]) Add(record Ranked[T]) {
	if !b.Takes(record.Rank) {
		return
	}
	heap.Push((*highestFirst[T])(b), record)
	b.ranks[record.Rank] = true
	for b.Size += record.Size; b.Size > b.limit; {
		highest := heap.Pop((*highestFirst[T])(b)).(Ranked[T])
		delete(b.ranks, highest.Rank)
		b.cut = &highest.Rank
		b.Size -= highest.Size
	}
}

// highestFirst is a heap of the records of a set.
type highestFirst[T any] Bounded[T]

func (h *highestFirst[T]) Len() int           { return len(h.Records) }
func (h *highestFirst[T]) Less(i, j int) bool { return h.Records[i].Rank > h.Records[j].Rank }
func (h *highestFirst[T]) Swap(i, j int)      { h.Records[i], h.Records[j] = h.Records[j], h.Records[i] }
func (h *highestFirst[T]) Push(x any)         { h.Records = append(h.Records, x.(Ranked[T])) }

func (h *highestFirst[T]) Pop() any {
	last := h.Records[len(h.Records)-1]
	h.Records = h.Records[:len(h.Records)-1]
	return last
}
