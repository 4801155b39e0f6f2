package neighbors

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"sentweave/transforms/measure/tiles"
)

const (
	// queryBlock queries share one pass over the candidates.
	queryBlock = 8 * tiles.Height
	// listed candidates are looked through again when the list has grown so long.
	listed = 256
)

// worker searches blocks of queries. Its memory is used again for each block.
type worker struct {
	*Index
	queries Matrix
	squares []float64
	exclude []int
	floors  []float64
	k       int
	// margin bounds the error of a float32 dot product of unit rows: d·2⁻²⁴ for the
	// sum, 2·2⁻²⁴ for the rounding of both rows, the rest for float64 and underflow.
	margin float64
	unit   []float32  // a row
	rows   tiles.Rows // the queries of a block, scaled to length 1
	tile   tiles.Tile
	lists  [queryBlock]list
	best   []Neighbor
	// imprecise says that a cosine was not within the margin of its fast product.
	imprecise bool
}

// list holds what may still be among the k nearest of one query.
type list struct {
	// floors is a heap, the least first, of the k greatest lower ends so far.
	floors []float64
	floor  float64
	likely []candidate
	limit  int
}

type candidate struct {
	index int32
	upper float64
}

func newWorker(x *Index, queries Matrix, squares []float64, k int, o Options) *worker {
	d := queries.Dim
	w := &worker{
		Index: x, queries: queries, squares: squares, exclude: o.Exclude, floors: o.Floors, k: k,
		margin: float64(d+8) * 0x1p-24 * 1.01, unit: make([]float32, d), rows: tiles.NewRows(queryBlock, d, tiles.Height),
		best: make([]Neighbor, 0, k),
	}
	for i := range w.lists {
		w.lists[i] = list{floors: make([]float64, 0, k), likely: make([]candidate, 0, listed)}
	}
	return w
}

func (w *worker) block(ctx context.Context, from, to int, visit func(int, []Neighbor, int)) {
	for q := from; q < to; q++ {
		w.lists[q-from].reset()
		if w.floors != nil {
			w.lists[q-from].floor = w.floors[q]
		}
	}
	w.sweep(ctx, from, to, func(q int) float64 { return w.lists[q-from].floor }, func(q, c int, lower, upper float64) {
		if l := &w.lists[q-from]; upper >= l.floor {
			l.add(candidate{int32(c), upper}, lower, w.k)
		}
	})
	if ctx.Err() != nil {
		return
	}
	for q := from; q < to; q++ {
		best, ties := w.settle(q, &w.lists[q-from])
		visit(q, best, ties)
	}
}

// sweep runs the fast pass of a block of queries over all candidates: it calls hit with both
// ends of the interval in which a similarity lies, by the length of the query, at least for all
// whose upper end is not below the floor of the query. Queries of zeros have no hits.
func (w *worker) sweep(ctx context.Context, from, to int, floor func(q int) float64, hit func(q, c int, lower, upper float64)) {
	n := w.Len()
	for q := from; q < to; q++ {
		unit(w.unit, w.queries.Row(q), w.squares[q])
		w.rows.Set(q-from, w.unit)
	}
	var thresholds [tiles.Height]float32
	for group := range w.Index.unit.Groups() {
		if ctx.Err() != nil {
			return
		}
		for first := from; first < to; first += tiles.Height {
			for i := range thresholds {
				thresholds[i] = float32(math.Inf(1))
				if q := first + i; q < to && w.squares[q] != 0 {
					thresholds[i] = w.threshold(floor(q), group)
				}
			}
			w.tile.Multiply(w.rows, (first-from)/tiles.Height, w.Index.unit, group, &thresholds)
			for i, reached := range w.tile.Reached {
				q := first + i
				for ; reached != 0; reached &= reached - 1 {
					j := bits.TrailingZeros32(reached)
					c := group*tiles.Width + j
					if q >= to || c >= n || w.exclude != nil && w.exclude[q] == c {
						continue
					}
					s, length := float64(w.tile.Products[i*tiles.Width+j]), 1.0
					if w.lengths != nil {
						length = w.lengths[c] // the query's length changes no order
					}
					hit(q, c, (s-w.margin)*length, (s+w.margin)*length)
				}
			}
		}
	}
}

// threshold is a float32 that the fast product of a candidate of a group reaches if the upper
// end of its similarity reaches the floor.
func (w *worker) threshold(floor float64, group int) float32 {
	if w.lengths != nil {
		if floor <= 0 {
			return float32(math.Inf(-1))
		}
		floor /= w.longest[group] * (1 + 0x1p-50) // infinite where all candidates are zeros
	}
	return math.Nextafter32(float32(floor-w.margin), float32(math.Inf(-1)))
}

// settle compares what is left in float64, and returns the k nearest and the
// number of others that equal the first.
func (w *worker) settle(q int, l *list) (best []Neighbor, ties int) {
	best = w.best[:0]
	excluded := -1
	if w.exclude != nil {
		excluded = w.exclude[q]
	}
	if w.squares[q] == 0 { // every similarity is 0
		for c := 0; c < w.Len() && len(best) < w.k; c++ {
			if c != excluded {
				best = append(best, Neighbor{c, 0})
			}
		}
		ties = w.Len() - 1
		if excluded >= 0 && excluded < w.Len() {
			ties--
		}
		return best, max(0, ties)
	}
	row := w.queries.Row(q)
	l.compact()
	for _, c := range l.likely {
		i := int(c.index)
		s := Dot(row, w.raw.Row(i))
		if w.metric == ByCosine {
			s = cosine(s, w.squares[q], w.Index.squares[i])
			w.imprecise = w.imprecise || s > c.upper || s < c.upper-2*w.margin
		}
		best = append(best, Neighbor{i, s})
	}
	w.best = best
	slices.SortFunc(best, func(a, b Neighbor) int {
		if c := cmp.Compare(b.Similarity, a.Similarity); c != 0 {
			return c
		}
		return a.Index - b.Index
	})
	for _, b := range best[min(1, len(best)):] {
		if b.Similarity != best[0].Similarity {
			break
		}
		ties++
	}
	return best[:min(w.k, len(best))], ties
}

func (l *list) reset() {
	l.floors, l.likely, l.floor, l.limit = l.floors[:0], l.likely[:0], math.Inf(-1), listed
}

func (l *list) add(c candidate, lower float64, k int) {
	if len(l.likely) >= l.limit {
		l.compact()
		l.limit = max(listed, 2*len(l.likely)) // so that many equal candidates cost no more than twice
	}
	l.likely = append(l.likely, c)
	if len(l.floors) < k {
		l.floors = append(l.floors, lower)
		for i := len(l.floors) - 1; i > 0 && l.floors[i] < l.floors[(i-1)/2]; i = (i - 1) / 2 {
			l.floors[i], l.floors[(i-1)/2] = l.floors[(i-1)/2], l.floors[i]
		}
	} else if lower > l.floors[0] {
		l.floors[0] = lower
		for i := 0; ; {
			smallest := i
			for c := 2*i + 1; c <= 2*i+2 && c < k; c++ {
				if l.floors[c] < l.floors[smallest] {
					smallest = c
				}
			}
			if smallest == i {
				break
			}
			l.floors[i], l.floors[smallest] = l.floors[smallest], l.floors[i]
			i = smallest
		}
	}
	if len(l.floors) == k {
		l.floor = max(l.floor, l.floors[0])
	}
}

// compact drops what the floor has overtaken.
func (l *list) compact() {
	l.likely = slices.DeleteFunc(l.likely, func(c candidate) bool { return c.upper < l.floor })
}
