package neighbors

import (
	"context"
	"fmt"
	"math"
)

// Products finds candidates by fast products, as another library or a GPU computes them.
type Products interface {
	// Top returns for each query the greatest inner products with candidates, so many a query, and their places among the
	// candidates, both row by row. Rows have length 1 or 0. A product may be summed in any order, but in no lower precision than
	// float32. Several goroutines call it.
	Top(ctx context.Context, queries, candidates Matrix, count int) (products []float32, places []int32, err error)
}

// spare candidates beside the k nearest mostly show that no other one can be among these.
const spare = 8

// preselect visits the queries whose nearest are certain by Options.Products, and returns the others. A candidate that Top leaves out has
// no greater product than those that it returns. So the list of a query has all that it needs if the upper end of the
// least of these is below the floor.
func (x *Index) preselect(ctx context.Context, queries Matrix, k int, o Options,
	visit func(query int, best []Neighbor, ties int)) (uncertain []int, err error) {
	squares, err := x.check(queries, o)
	if err != nil {
		return nil, err
	}
	if x.metric != ByCosine {
		return nil, fmt.Errorf("search neighbours: fast products are for cosines")
	}
	count := min(k+spare, x.Len())
	products, places, err := o.Products.Top(ctx, queries.units(squares), x.raw.units(x.squares), count)
	if err != nil {
		return nil, fmt.Errorf("search neighbours: %w", err)
	}
	if n := len(squares) * count; len(products) != n || len(places) != n {
		return nil, fmt.Errorf("search neighbours: %d products and %d places, want %d", len(products), len(places), n)
	}
	w := newWorker(x, queries, squares, k, o)
	l := &w.lists[0]
	for q := range squares {
		l.reset()
		if o.Floors != nil {
			l.floor = o.Floors[q]
		}
		lowest := math.Inf(1)
		for i, place := range places[q*count:][:count] {
			s := float64(products[q*count+i])
			if place < 0 || int(place) >= x.Len() || math.IsNaN(s) {
				return nil, fmt.Errorf("search neighbours: a product of query %d is %v with candidate %d of %d", q, s, place, x.Len())
			}
			lowest = min(lowest, s)
			if upper := s + w.margin; upper >= l.floor && (o.Exclude == nil || o.Exclude[q] != int(place)) {
				l.add(candidate{place, upper}, s-w.margin, k)
			}
		}
		if squares[q] != 0 && count < x.Len() && lowest+w.margin >= l.floor {
			uncertain = append(uncertain, q)
			continue
		}
		best, ties := w.settle(q, l)
		visit(q, best, ties)
	}
	if w.imprecise {
		return nil, fmt.Errorf("search neighbours: fast products differ by more than sums in float32 can: something computes them in a lower " +
			"precision, as NVIDIA_TF32_OVERRIDE may have it")
	}
	return uncertain, nil
}

// part returns queries at some places, with their options.
func (o Options) part(queries Matrix, places []int) (Matrix, Options) {
	m := Matrix{make([]float32, 0, len(places)*queries.Dim), queries.Dim}
	queried := o
	o.Exclude, o.Floors = nil, nil
	for _, q := range places {
		m.Data = append(m.Data, queries.Row(q)...)
		if queried.Exclude != nil {
			o.Exclude = append(o.Exclude, queried.Exclude[q])
		}
		if queried.Floors != nil {
			o.Floors = append(o.Floors, queried.Floors[q])
		}
	}
	return m, o
}

// units returns the rows scaled to length 1.
func (m Matrix) units(squares []float64) Matrix {
	scaled := Matrix{make([]float32, len(m.Data)), m.Dim}
	for i, s := range squares {
		unit(scaled.Row(i), m.Row(i), s)
	}
	return scaled
}
