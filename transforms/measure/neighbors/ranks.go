package neighbors

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// Ranks returns for each query the places, from 1, that some candidates take when all are
// ordered by similarity, the greatest first and of equal ones the lowest index first: in the
// order in which wanted lists them. The candidate that a query excludes takes no place.
// It costs what Nearest does, and one comparison a candidate and place.
func (x *Index) Ranks(ctx context.Context, queries Matrix, wanted [][]int, o Options) ([][]int, error) {
	if len(wanted) != queries.Rows() {
		return nil, fmt.Errorf("rank candidates: %d lists for %d queries", len(wanted), queries.Rows())
	}
	for q, list := range wanted {
		for _, c := range list {
			if c < 0 || c >= x.Len() || o.Exclude != nil && len(o.Exclude) == len(wanted) && o.Exclude[q] == c {
				return nil, fmt.Errorf("rank candidates: query %d asks for candidate %d, which is not among its candidates", q, c)
			}
		}
	}
	ranks := make([][]int, len(wanted))
	err := x.blocks(ctx, queries, 1, o, func(w *worker, from, to int) {
		for q := from; q < to; q++ {
			ranks[q] = w.ranks(q, wanted[q])
		}
	})
	return ranks, err
}

// ranks counts for each wanted candidate those that come before it.
func (w *worker) ranks(q int, wanted []int) []int {
	d := w.queries.Dim
	row := w.queries.Row(q)
	exact := func(c int) float64 {
		s := Dot(row, w.raw.Row(c))
		if w.metric == ByCosine {
			s = cosine(s, w.squares[q], w.Index.squares[c])
		}
		return s
	}
	similarities := make([]float64, len(wanted))
	for i, c := range wanted {
		similarities[i] = exact(c)
	}
	excluded := -1
	if w.exclude != nil {
		excluded = w.exclude[q]
	}
	unit(w.unit[:d], row, w.squares[q])
	length := 1.0
	if w.lengths != nil { // the fast pass has a query of length 1
		length = math.Sqrt(w.squares[q])
	}
	a, b := blas32.Vector{N: d, Inc: 1, Data: w.unit[:d]}, blas32.Vector{N: d, Inc: 1}
	ranks := make([]int, len(wanted))
	for i := range ranks {
		ranks[i] = 1
	}
	for c := range w.Len() {
		if c == excluded {
			continue
		}
		b.Data = w.Index.unit[c*d : (c+1)*d]
		scale := length
		if w.lengths != nil {
			scale *= w.lengths[c]
		}
		s := float64(blas32.Dot(a, b))
		lower, upper := (s-w.margin)*scale, (s+w.margin)*scale
		known, value := false, 0.0
		for i, other := range wanted {
			switch {
			case lower > similarities[i]:
				ranks[i]++
			case upper >= similarities[i] && c != other:
				if !known {
					known, value = true, exact(c)
				}
				if value > similarities[i] || value == similarities[i] && c < other {
					ranks[i]++
				}
			}
		}
	}
	return ranks
}
