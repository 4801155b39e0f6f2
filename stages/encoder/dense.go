package encoder

import (
	"context"
	"fmt"
	"math"

	"sentweave/transforms/measure/neighbors"
)

// Dense are vectors of float32. Their cosine is that of neighbors.Cosine.
type Dense struct {
	neighbors.Matrix
}

// NewDense returns the vectors that are in data one after another.
func NewDense(data []float32, dim int) (Dense, error) {
	m, err := neighbors.NewMatrix(data, dim)
	return Dense{m}, err
}

// Len implements Vectors.
func (d Dense) Len() int { return d.Rows() }

// Cosine implements Vectors.
func (d Dense) Cosine(i int, vectors Vectors, j int) float64 {
	o, ok := vectors.(Dense)
	if !ok || o.Dim != d.Dim {
		return math.NaN()
	}
	return neighbors.Cosine(d.Row(i), o.Row(j))
}

// Nearest implements Vectors.
func (d Dense) Nearest(ctx context.Context, candidates Vectors, o neighbors.Options) ([]neighbors.Match, error) {
	index, err := indexOf(candidates)
	if err != nil {
		return nil, err
	}
	return index.Nearest(ctx, d.Matrix, o)
}

// TopK implements Vectors.
func (d Dense) TopK(ctx context.Context, candidates Vectors, k int, o neighbors.Options) ([]neighbors.Neighbor, error) {
	index, err := indexOf(candidates)
	if err != nil {
		return nil, err
	}
	return index.TopK(ctx, d.Matrix, k, o)
}

// Ranks implements Vectors.
func (d Dense) Ranks(ctx context.Context, candidates Vectors, targets [][]int, o neighbors.Options) ([][]int, error) {
	index, err := indexOf(candidates)
	if err != nil {
		return nil, err
	}
	return index.Ranks(ctx, d.Matrix, targets, o)
}

func indexOf(candidates Vectors) (*neighbors.Index, error) {
	c, ok := candidates.(Dense)
	if !ok {
		return nil, fmt.Errorf("search neighbours: candidates are %T, queries dense vectors", candidates)
	}
	return neighbors.NewIndex(c.Matrix, neighbors.ByCosine)
}

// Slice implements Vectors.
func (d Dense) Slice(from, to int) Vectors {
	return Dense{neighbors.Matrix{Data: d.Data[from*d.Dim : to*d.Dim], Dim: d.Dim}}
}
