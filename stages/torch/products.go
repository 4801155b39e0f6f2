//go:build libtorch

package torch

import (
	"context"
	"errors"
	"fmt"

	"sentweave/stages/torch/native"
	"sentweave/transforms/measure/neighbors"
)

const (
	// productBytes is the size of the products that are on the device at once.
	productBytes = 32 << 20
	// mostCandidates are the places that float32 has exactly.
	mostCandidates = 1 << 24
)

// Products finds candidates by libtorch for searches of neighbours, computing as UseLanes says, in float32. On a GPU one call computes at
// a time, whose device memory is that of its vectors, of productBytes and of what is found.
type Products struct{}

// Top implements neighbors.Products.
func (Products) Top(ctx context.Context, queries, candidates neighbors.Matrix, count int) ([]float32, []int32, error) {
	if n := candidates.Rows(); n > mostCandidates {
		return nil, nil, fmt.Errorf("%d candidates, at most %d can be compared at once by libtorch", n, mostCandidates)
	}
	products, places := make([]float32, queries.Rows()*count), make([]int32, queries.Rows()*count)
	result, err := native.OnLane(ctx, func() error { return top(ctx, products, places, queries, candidates) })
	if err == nil {
		err = <-result
	}
	return products, places, err
}

// top sets the greatest products and their places, by parts of the queries.
func top(ctx context.Context, products []float32, places []int32, queries, candidates neighbors.Matrix) error {
	defer native.WithoutGradients()()
	var outer native.Scope
	defer outer.Free()
	n, dim := candidates.Rows(), int64(queries.Dim)
	columns := outer.Transpose(outer.Floats(candidates.Data, int64(n), dim), 0, 1)
	if outer.Err != nil {
		return outer.Err
	}
	count := len(products) / max(1, queries.Rows())
	rows := max(1, productBytes/(4*n))
	numbers := make([]float32, min(rows*count, len(places)))
	for from := 0; from < queries.Rows(); from += rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		part := queries.Data[from*queries.Dim : min(from+rows, queries.Rows())*queries.Dim]
		var s native.Scope
		values, indices := s.Top(s.Product(s.Floats(part, int64(len(part))/dim, dim), columns), count)
		if s.Err == nil {
			size := len(part) / queries.Dim * count
			s.Err = errors.Join(native.Floats(products[from*count:][:size], values), native.Floats(numbers[:size], indices))
			for i, place := range numbers[:size] {
				places[from*count+i] = int32(place)
			}
		}
		s.Free()
		if s.Err != nil {
			return s.Err
		}
	}
	return nil
}
