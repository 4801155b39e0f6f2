// Package knn finds the nearest vectors of many by cosine, where neither queries nor candidates are held in memory: a block of queries
// is compared with all candidates, which are read once for it, a block at a time. So a worker holds a few blocks of BlockBytes. The
// search is exact, its results do not depend on how candidates come in blocks, and of equal cosines the first row comes first.
package knn

import (
	"context"
	"math"
	"slices"

	"sentweave/transforms/measure/neighbors"
)

const (
	// BlockBytes is the size of the vectors that are compared at once.
	BlockBytes = 16 << 20
	// MostNeighbors bounds k.
	MostNeighbors = 64
)

// Block holds vectors, with the numbers of their rows.
type Block struct {
	neighbors.Matrix
	Rows []uint32
	Keys []uint64 // of those that may be compared, where candidates are restricted
	Most int      // rows, 0 for as many as BlockBytes hold
}

// Reset empties the block.
func (b *Block) Reset() { b.Data, b.Rows, b.Keys = b.Data[:0], b.Rows[:0], b.Keys[:0] }

// Full says whether the block has no room for a further vector.
func (b *Block) Full() bool {
	if b.Most > 0 {
		return len(b.Rows) >= b.Most
	}
	return 4*(len(b.Data)+b.Dim) > BlockBytes && len(b.Rows) > 0
}

// Add adds a vector, which is copied.
func (b *Block) Add(vector []float32, row uint32) {
	b.Data, b.Rows = append(b.Data, vector...), append(b.Rows, row)
}

// Search finds the K nearest candidates of blocks of queries. One goroutine uses it.
type Search struct {
	K int
	// Restricted says that only queries and candidates with equal keys are compared.
	Restricted bool
	// Feed calls add with all candidates of Queries in the order of their rows, or where those are Restricted, with such alone whose
	// key a query has, after it has added the key to Candidates.
	Feed func(add func(vector []float32, row uint32) error) error
	// Queries is the block to fill, Candidates the one that a search fills.
	Queries, Candidates Block
	// Nearest are those of each query so far, at most K, with the numbers of their rows as indices.
	Nearest [][]neighbors.Neighbor

	merged []neighbors.Neighbor
	floors []float64
}

// New returns a search of vectors of so many dimensions.
func New(k, dimensions int) *Search {
	s := &Search{K: k}
	s.Queries.Dim, s.Candidates.Dim = dimensions, dimensions
	return s
}

// Begin empties the lists of the nearest, of which there is then one for each query.
func (s *Search) Begin() {
	for len(s.Nearest) < len(s.Queries.Rows) {
		s.Nearest = append(s.Nearest, make([]neighbors.Neighbor, 0, s.K))
	}
	for i := range s.Nearest {
		s.Nearest[i] = s.Nearest[i][:0]
	}
}

// Sweep compares the queries with all candidates.
func (s *Search) Sweep(ctx context.Context) error {
	err := s.Feed(func(vector []float32, row uint32) error {
		s.Candidates.Add(vector, row)
		if !s.Candidates.Full() {
			return nil
		}
		return s.compare(ctx)
	})
	if err != nil {
		return err
	}
	return s.compare(ctx)
}

// compare merges the nearest of a block of candidates into those of the queries, and empties the block.
func (s *Search) compare(ctx context.Context) (err error) {
	defer s.Candidates.Reset()
	switch {
	case len(s.Candidates.Rows) == 0:
		return nil
	case s.Restricted:
		return s.compareKeys(ctx)
	}
	return s.match(ctx, nil, nil)
}

// match merges the nearest of candidates into those of queries, by their places in the blocks; nil are all.
func (s *Search) match(ctx context.Context, queries, candidates []int) error {
	index, err := neighbors.NewIndex(gather(s.Candidates.Matrix, candidates), neighbors.ByCosine)
	if err != nil {
		return err
	}
	rows := s.Candidates.Rows
	if candidates != nil {
		rows = make([]uint32, len(candidates))
		for i, place := range candidates {
			rows[i] = s.Candidates.Rows[place]
		}
	}
	return s.Take(ctx, s.Nearest, index, queries, rows)
}

// Take merges the nearest of candidates, which have these rows, into those of queries, by their places in the block; nil are all.
func (s *Search) Take(ctx context.Context, nearest [][]neighbors.Neighbor, index *neighbors.Index, queries []int, rows []uint32) error {
	asking := gather(s.Queries.Matrix, queries)
	placeOf := func(i int) int {
		if queries != nil {
			return queries[i]
		}
		return i
	}
	s.floors = s.floors[:0]
	for i := range asking.Rows() {
		floor := math.Inf(-1)
		if near := nearest[placeOf(i)]; len(near) == s.K {
			floor = near[len(near)-1].Similarity
		}
		s.floors = append(s.floors, floor)
	}
	k := min(s.K, index.Len())
	found, err := index.TopK(ctx, asking, k,
		neighbors.Options{Workers: 1, Floors: s.floors, Products: productsOf(ctx, asking.Rows()*index.Len())})
	if err != nil {
		return err
	}
	for i := range asking.Rows() {
		near := found[i*k : (i+1)*k]
		if none := slices.IndexFunc(near, func(n neighbors.Neighbor) bool { return n.Index < 0 }); none >= 0 {
			near = near[:none]
		}
		for j := range near {
			near[j].Index = int(rows[near[j].Index])
		}
		place := placeOf(i)
		nearest[place] = s.merge(nearest[place], near)
	}
	return nil
}

// gather returns the vectors at some places; all where places is nil.
func gather(m neighbors.Matrix, places []int) neighbors.Matrix {
	if places == nil {
		return m
	}
	part := neighbors.Matrix{Dim: m.Dim, Data: make([]float32, 0, len(places)*m.Dim)}
	for _, i := range places {
		part.Data = append(part.Data, m.Data[i*m.Dim:][:m.Dim]...)
	}
	return part
}

// merge merges further neighbours of a query into those before, of equal ones the first rows first.
func (s *Search) merge(before, further []neighbors.Neighbor) []neighbors.Neighbor {
	all := before
	s.merged = s.merged[:0]
	for len(s.merged) < s.K && len(before)+len(further) > 0 {
		if len(further) == 0 || len(before) > 0 && !closer(further[0], before[0]) {
			s.merged, before = append(s.merged, before[0]), before[1:]
		} else {
			s.merged, further = append(s.merged, further[0]), further[1:]
		}
	}
	return append(all[:0], s.merged...)
}

// closer says whether a neighbour comes before another one.
func closer(a, b neighbors.Neighbor) bool {
	return a.Similarity > b.Similarity || a.Similarity == b.Similarity && a.Index < b.Index
}
