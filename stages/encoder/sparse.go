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
func (s Sparse) Cosine(i int, other Vectors, j int) float64 {
	o, ok := other.(Sparse)
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
			at, ok := p.of[f]
			if !ok {
				at = int32(len(p.rows))
				p.of[f] = at
				p.rows, p.vals = append(p.rows, nil), append(p.vals, nil)
			}
			p.rows[at], p.vals[at] = append(p.rows[at], int32(i)), append(p.vals[at], values[k])
		}
	}
	return p
}

// Nearest implements Vectors. It goes through the candidates that share a feature
// with the query.
func (s Sparse) Nearest(ctx context.Context, candidates Vectors, o neighbors.Options) ([]neighbors.Match, error) {
	c, ok := candidates.(Sparse)
	if !ok {
		return nil, fmt.Errorf("search neighbours: candidates are %T, queries sparse vectors", candidates)
	}
	if o.Exclude != nil && len(o.Exclude) != s.Len() {
		return nil, fmt.Errorf("search neighbours: %d exclusions for %d queries", len(o.Exclude), s.Len())
	}
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := c.postings()
	matches := make([]neighbors.Match, s.Len())
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, s.Len()) {
		group.Go(func() {
			dots := make([]float64, c.Len())
			for ctx.Err() == nil {
				q := int(next.Add(1)) - 1
				if q >= s.Len() {
					return
				}
				excluded := -1
				if o.Exclude != nil {
					excluded = o.Exclude[q]
				}
				matches[q] = s.nearest(q, c, p, dots, excluded)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search neighbours: %w", err)
	}
	return matches, nil
}

func (s Sparse) nearest(q int, c Sparse, p postings, dots []float64, excluded int) neighbors.Match {
	clear(dots)
	features, values := s.row(q)
	for k, f := range features { // the order in which Cosine adds
		at, ok := p.of[f]
		if !ok {
			continue
		}
		for i, row := range p.rows[at] {
			dots[row] += float64(values[k] * p.vals[at][i])
		}
	}
	best := neighbors.Match{Neighbor: neighbors.Neighbor{Index: -1}}
	for i, dot := range dots {
		if i == excluded {
			continue
		}
		cos := sparseCosine(dot, s.squares[q], c.squares[i])
		switch {
		case best.Index < 0 || cos > best.Similarity:
			best = neighbors.Match{Neighbor: neighbors.Neighbor{Index: i, Similarity: cos}}
		case cos == best.Similarity:
			best.Ties++
		}
	}
	return best
}
