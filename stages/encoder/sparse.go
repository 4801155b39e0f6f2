package encoder

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"sentweave/transforms/measure/neighbors"
)

// Sparse are vectors with few values that are not zero, such as counts of words.
// No value is negative. The cosine is dot/sqrt(|a|²|b|²) in float64, added in the
// order of the features: for counts every sum is exact, so that the result is
// the one that Python gives for d/math.sqrt(na*nb).
type Sparse struct {
	starts   []int // row i is [starts[i], starts[i+1])
	features []uint64
	values   []float64
	squares  []float64
}

// sparseBuilder collects rows.
type sparseBuilder struct {
	Sparse
	row []uint64
}

func newSparseBuilder(rows int) *sparseBuilder {
	return &sparseBuilder{Sparse: Sparse{starts: append(make([]int, 0, rows+1), 0), squares: make([]float64, 0, rows)}}
}

// add appends a row that counts the features collected in row, and empties it.
func (b *sparseBuilder) add() {
	slices.Sort(b.row)
	for i := 0; i < len(b.row); {
		k := i + 1
		for k < len(b.row) && b.row[k] == b.row[i] {
			k++
		}
		b.features, b.values = append(b.features, b.row[i]), append(b.values, float64(k-i))
		i = k
	}
	b.starts, b.row = append(b.starts, len(b.features)), b.row[:0]
}

// finish computes the lengths.
func (b *sparseBuilder) finish() Sparse {
	for i := range len(b.starts) - 1 {
		s := 0.0
		for _, v := range b.values[b.starts[i]:b.starts[i+1]] {
			s += float64(v * v) // rounded: no fused multiplication
		}
		b.squares = append(b.squares, s)
	}
	return b.Sparse
}

// Len implements Vectors.
func (s Sparse) Len() int { return len(s.squares) }

func (s Sparse) row(i int) ([]uint64, []float64) {
	return s.features[s.starts[i]:s.starts[i+1]], s.values[s.starts[i]:s.starts[i+1]]
}

func sparseCosine(dot, a, b float64) float64 {
	if dot == 0 {
		return 0
	}
	return dot / math.Sqrt(a*b)
}

// Cosine implements Vectors.
func (s Sparse) Cosine(i int, vectors Vectors, j int) float64 {
	o, ok := vectors.(Sparse)
	if !ok {
		return math.NaN()
	}
	fa, va := s.row(i)
	fb, vb := o.row(j)
	dot := 0.0
	for x, y := 0, 0; x < len(fa) && y < len(fb); {
		switch {
		case fa[x] < fb[y]:
			x++
		case fa[x] > fb[y]:
			y++
		default:
			dot += float64(va[x] * vb[y])
			x++
			y++
		}
	}
	return sparseCosine(dot, s.squares[i], o.squares[j])
}

// Slice implements Vectors.
func (s Sparse) Slice(from, to int) Vectors {
	s.starts, s.squares = s.starts[from:to+1], s.squares[from:to]
	return s
}

// postings say for each feature which rows have it.
type postings struct {
	of   map[uint64]int32
	rows [][]int32
	vals [][]float64
}

func (s Sparse) postings() postings {
	p := postings{of: map[uint64]int32{}}
	for i := range s.Len() {
		features, values := s.row(i)
		for k, f := range features {
			position, ok := p.of[f]
			if !ok {
				position = int32(len(p.rows))
				p.of[f] = position
				p.rows, p.vals = append(p.rows, nil), append(p.vals, nil)
			}
			p.rows[position], p.vals[position] = append(p.rows[position], int32(i)), append(p.vals[position], values[k])
		}
	}
	return p
}

// Nearest implements Vectors. It goes through the candidates that share a feature
// with the query.
func (s Sparse) Nearest(ctx context.Context, candidates Vectors, o neighbors.Options) ([]neighbors.Match, error) {
	matches := make([]neighbors.Match, s.Len())
	err := s.compare(ctx, candidates, o, func(q, excluded int, cosines []float64) {
		best := neighbors.Match{Neighbor: neighbors.Neighbor{Index: -1}}
		for i, cos := range cosines {
			switch {
			case i == excluded:
			case best.Index < 0 || cos > best.Similarity:
				best = neighbors.Match{Neighbor: neighbors.Neighbor{Index: i, Similarity: cos}}
			case cos == best.Similarity:
				best.Ties++
			}
		}
		matches[q] = best
	})
	return matches, err
}

// TopK implements Vectors.
func (s Sparse) TopK(ctx context.Context, candidates Vectors, k int, o neighbors.Options) ([]neighbors.Neighbor, error) {
	if k < 1 || k > max(1, candidates.Len()) {
		return nil, fmt.Errorf("search for the nearest %d: want 1 to the number of candidates, %d", k, candidates.Len())
	}
	nearest := make([]neighbors.Neighbor, s.Len()*k)
	err := s.compare(ctx, candidates, o, func(q, excluded int, cosines []float64) {
		best := nearest[q*k : q*k : (q+1)*k] // sorted: the places after them are free
		for i, cos := range cosines {
			if i == excluded || len(best) == k && cos <= best[k-1].Similarity {
				continue
			}
			place := len(best)
			if place < k {
				best = best[:place+1]
			} else {
				place--
			}
			for ; place > 0 && best[place-1].Similarity < cos; place-- {
				best[place] = best[place-1]
			}
			best[place] = neighbors.Neighbor{Index: i, Similarity: cos}
		}
		for i := len(best); i < k; i++ {
			nearest[q*k+i] = neighbors.Neighbor{Index: -1}
		}
	})
	return nearest, err
}

// Ranks implements Vectors.
func (s Sparse) Ranks(ctx context.Context, candidates Vectors, targets [][]int, o neighbors.Options) ([][]int, error) {
	if len(targets) != s.Len() {
		return nil, fmt.Errorf("rank candidates: %d lists for %d queries", len(targets), s.Len())
	}
	ranks := make([][]int, s.Len())
	err := s.compare(ctx, candidates, o, func(q, excluded int, cosines []float64) {
		for _, c := range targets[q] {
			rank := 1
			for i, cos := range cosines {
				if i != excluded && (cos > cosines[c] || cos == cosines[c] && i < c) {
					rank++
				}
			}
			ranks[q] = append(ranks[q], rank)
		}
	})
	return ranks, err
}

// compare calls use for each query with its cosines to all candidates, from several
// goroutines, with a slice that is used again.
func (s Sparse) compare(ctx context.Context, candidates Vectors, o neighbors.Options,
	use func(query, excluded int, cosines []float64)) error {
	c, ok := candidates.(Sparse)
	if !ok {
		return fmt.Errorf("search neighbours: candidates are %T, queries sparse vectors", candidates)
	}
	if o.Exclude != nil && len(o.Exclude) != s.Len() {
		return fmt.Errorf("search neighbours: %d exclusions for %d queries", len(o.Exclude), s.Len())
	}
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := c.postings()
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, s.Len()) {
		group.Go(func() {
			cosines := make([]float64, c.Len())
			for ctx.Err() == nil {
				q := int(next.Add(1)) - 1
				if q >= s.Len() {
					return
				}
				excluded := -1
				if o.Exclude != nil {
					excluded = o.Exclude[q]
				}
				s.cosines(q, c, p, cosines)
				use(q, excluded, cosines)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search neighbours: %w", err)
	}
	return nil
}

// cosines sets those of a query with all candidates.
func (s Sparse) cosines(q int, c Sparse, p postings, dst []float64) {
	clear(dst)
	features, values := s.row(q)
	for k, f := range features { // the order in which Cosine adds
		position, ok := p.of[f]
		if !ok {
			continue
		}
		for i, row := range p.rows[position] {
			dst[row] += float64(values[k] * p.vals[position][i])
		}
	}
	for i, dot := range dst {
		dst[i] = sparseCosine(dot, s.squares[q], c.squares[i])
	}
}
