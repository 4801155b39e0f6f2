package neighbors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"sentweave/transforms/measure/tiles"
)

// Metric says how rows are compared.
type Metric int

const (
	// ByCosine compares directions only.
	ByCosine Metric = iota
	// ByInnerProduct lets long candidates win.
	ByInnerProduct
)

// Neighbor is a candidate with its similarity to a query.
type Neighbor struct {
	// Index is the row of the candidate; -1 where there is none.
	Index      int
	Similarity float64
}

// Match is the nearest candidate of a query.
type Match struct {
	Neighbor
	// Ties counts the other candidates with exactly the same similarity.
	Ties int
}

// Options say how a search runs.
type Options struct {
	// Workers is the number of goroutines; 0 means one for each processor. The
	// result does not depend on it.
	Workers int
	// Exclude, if set, has for each query the candidate that does not count, such
	// as the query itself, or -1.
	Exclude []int
	// Floors, if set, has for each query a similarity by cosine. Of candidates below it some or all are left out.
	Floors []float64
	// Products, if set, does the fast pass of a search by cosine. The result does not depend on it.
	Products Products
}

// Index holds candidates, ready to be searched. It may be used by many
// goroutines.
type Index struct {
	metric  Metric
	raw     Matrix
	unit    tiles.Rows // the rows scaled to length 1
	squares []float64
	// For inner products: the length of each row, and the greatest of each group of rows.
	lengths, longest []float64
}

// NewIndex prepares candidates, which it shares: they must not be changed. It
// takes as much memory again. Rows that are not finite are an error.
func NewIndex(candidates Matrix, metric Metric) (*Index, error) {
	if err := candidates.Validate(); err != nil {
		return nil, fmt.Errorf("index candidates: %w", err)
	}
	if metric != ByCosine && metric != ByInnerProduct {
		return nil, fmt.Errorf("index candidates: metric %d is not known", metric)
	}
	n := candidates.Rows()
	if int64(n) > math.MaxInt32 {
		return nil, fmt.Errorf("index candidates: %d rows, at most %d can be searched", n, math.MaxInt32)
	}
	x := &Index{metric: metric, raw: candidates, unit: tiles.NewRows(n, candidates.Dim, tiles.Width), squares: make([]float64, n)}
	if err := candidates.squares(x.squares); err != nil {
		return nil, fmt.Errorf("index candidates: %w", err)
	}
	row := make([]float32, candidates.Dim)
	for i, s := range x.squares {
		unit(row, candidates.Row(i), s)
		x.unit.Set(i, row)
	}
	if metric == ByInnerProduct {
		x.lengths, x.longest = make([]float64, n), make([]float64, x.unit.Groups())
		for i, s := range x.squares {
			x.lengths[i] = math.Sqrt(s)
			x.longest[i/tiles.Width] = max(x.longest[i/tiles.Width], x.lengths[i])
		}
	}
	return x, nil
}

// Len is the number of candidates.
func (x *Index) Len() int { return len(x.squares) }

// Nearest returns the nearest candidate of each query. It costs
// 2·queries·candidates·dim operations and no memory beside the result and some
// 600 KiB a worker.
func (x *Index) Nearest(ctx context.Context, queries Matrix, o Options) ([]Match, error) {
	matches := make([]Match, queries.Rows())
	err := x.search(ctx, queries, 1, o, func(query int, best []Neighbor, ties int) {
		matches[query] = Match{Neighbor{Index: -1}, 0}
		if len(best) > 0 {
			matches[query] = Match{best[0], ties}
		}
	})
	return matches, err
}

// TopK returns the k nearest candidates of each query, the nearest first: k
// entries a query, the last ones with index -1 where there are fewer candidates.
func (x *Index) TopK(ctx context.Context, queries Matrix, k int, o Options) ([]Neighbor, error) {
	if k < 1 || k > max(1, x.Len()) {
		return nil, fmt.Errorf("search for the nearest %d: want 1 to the number of candidates, %d", k, x.Len())
	}
	nearest := make([]Neighbor, queries.Rows()*k)
	err := x.search(ctx, queries, k, o, func(query int, best []Neighbor, _ int) {
		mine := nearest[query*k : (query+1)*k]
		for i := copy(mine, best); i < k; i++ {
			mine[i] = Neighbor{Index: -1}
		}
	})
	return nearest, err
}

// search calls visit once for each query, from several goroutines, with a slice
// that is used again.
func (x *Index) search(ctx context.Context, queries Matrix, k int, o Options, visit func(query int, best []Neighbor, ties int)) error {
	if o.Products != nil && x.Len() > 0 && queries.Rows() > 0 {
		uncertain, err := x.preselect(ctx, queries, k, o, visit)
		if err != nil || len(uncertain) == 0 {
			return err
		}
		report := visit
		visit = func(query int, best []Neighbor, ties int) { report(uncertain[query], best, ties) }
		queries, o = o.part(queries, uncertain)
	}
	return x.blocks(ctx, queries, k, o, func(w *worker, from, to int) { w.block(ctx, from, to, visit) })
}

// blocks calls do with blocks of queries, from several goroutines, each with a worker of its
// own.
func (x *Index) blocks(ctx context.Context, queries Matrix, k int, o Options, do func(w *worker, from, to int)) error {
	squares, err := x.check(queries, o)
	if err != nil {
		return err
	}
	n := len(squares)
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, (n+queryBlock-1)/queryBlock)
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := newWorker(x, queries, squares, k, o)
			for {
				first := int(next.Add(queryBlock)) - queryBlock
				if first >= n || ctx.Err() != nil {
					return
				}
				do(w, first, min(first+queryBlock, n))
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search neighbours: %w", err)
	}
	return nil
}

// check returns the squared lengths of queries that can be searched so.
func (x *Index) check(queries Matrix, o Options) ([]float64, error) {
	if err := queries.Validate(); err != nil {
		return nil, fmt.Errorf("search neighbours: queries: %w", err)
	}
	n := queries.Rows()
	if queries.Dim != x.raw.Dim {
		return nil, fmt.Errorf("search neighbours: queries have %d columns, candidates %d", queries.Dim, x.raw.Dim)
	}
	if o.Exclude != nil && len(o.Exclude) != n {
		return nil, fmt.Errorf("search neighbours: %d exclusions for %d queries", len(o.Exclude), n)
	}
	if o.Floors != nil && (len(o.Floors) != n || x.metric != ByCosine) {
		return nil, fmt.Errorf("search neighbours: %d floors for %d queries, want one each of cosines", len(o.Floors), n)
	}
	if o.Workers < 0 {
		return nil, errors.New("search neighbours: the number of workers is negative")
	}
	squares := make([]float64, n)
	if err := queries.squares(squares); err != nil {
		return nil, fmt.Errorf("search neighbours: queries: %w", err)
	}
	return squares, nil
}
