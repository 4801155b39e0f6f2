package neighbors

import (
	"context"
	"fmt"
	"math"
)

// Ranks returns for each query the places, from 1, that some candidates take when all are
// ordered by similarity, the greatest first and of equal ones the lowest index first: in the
// order in which candidates lists them. The candidate that a query excludes takes no place.
// It costs what Nearest does, and one comparison a candidate and place.
func (x *Index) Ranks(ctx context.Context, queries Matrix, candidates [][]int, o Options) ([][]int, error) {
	if len(candidates) != queries.Rows() {
		return nil, fmt.Errorf("rank candidates: %d lists for %d queries", len(candidates), queries.Rows())
	}
	for q, list := range candidates {
		for _, c := range list {
			if c < 0 || c >= x.Len() || o.Exclude != nil && len(o.Exclude) == len(candidates) && o.Exclude[q] == c {
				return nil, fmt.Errorf("rank candidates: query %d asks for candidate %d, which is not among its candidates", q, c)
			}
		}
	}
	ranks := make([][]int, len(candidates))
	err := x.blocks(ctx, queries, 1, o, func(w *worker, from, to int) { w.ranks(ctx, from, to, candidates, ranks) })
	return ranks, err
}

// ranks counts for each of the candidates of a block of queries those that come before it.
func (w *worker) ranks(ctx context.Context, from, to int, candidates, ranks [][]int) {
	exact := func(q, c int) float64 {
		s := Dot(w.queries.Row(q), w.raw.Row(c))
		if w.metric == ByCosine {
			s = cosine(s, w.squares[q], w.Index.squares[c])
		}
		return s
	}
	// The similarities of what is wanted, by the length of the query for inner products, and the
	// least of them, which no other needs to be compared below.
	similarities, lowest := make([][]float64, to-from), make([]float64, to-from)
	for q := from; q < to; q++ {
		ranks[q] = make([]int, len(candidates[q]))
		lowest[q-from] = math.Inf(1)
		for i, c := range candidates[q] {
			s := exact(q, c)
			similarities[q-from] = append(similarities[q-from], s)
			ranks[q][i] = 1
			if w.squares[q] == 0 { // all are equal
				ranks[q][i] += c
				if w.exclude != nil && w.exclude[q] >= 0 && w.exclude[q] < c {
					ranks[q][i]--
				}
			}
			lowest[q-from] = min(lowest[q-from], s)
		}
	}
	scale := func(q int) float64 {
		if w.lengths == nil {
			return 1
		}
		return math.Sqrt(w.squares[q])
	}
	floor := func(q int) float64 { // a little less, for the rounding of what is scaled
		f := lowest[q-from] / scale(q)
		return f - math.Abs(f)*0x1p-40
	}
	w.sweep(ctx, from, to, floor, func(q, c int, lower, upper float64) {
		lower, upper = lower*scale(q), upper*scale(q)
		computed, value := false, 0.0
		for i, index := range candidates[q] {
			switch s := similarities[q-from][i]; {
			case lower > s:
				ranks[q][i]++
			case upper >= s && c != index:
				if !computed {
					computed, value = true, exact(q, c)
				}
				if value > s || value == s && c < index {
					ranks[q][i]++
				}
			}
		}
	})
}
