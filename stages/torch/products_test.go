//go:build libtorch

package torch

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/transforms/measure/neighbors"
)

// nearTies are vectors with ties, copies, scaled copies, rows that differ in a last bit, and zeros.
func nearTies(random *rand.Rand, rows, dim int) neighbors.Matrix {
	m := neighbors.Matrix{Data: make([]float32, rows*dim), Dim: dim}
	for i := range rows {
		row := m.Row(i)
		switch source := m.Row(random.IntN(i + 1)); random.IntN(6) {
		case 0:
			copy(row, source)
		case 1:
			copy(row, source)
			row[i%dim] = math.Nextafter32(row[i%dim], 9)
		case 2:
			for j, x := range source {
				row[j] = 3 * x
			}
		case 3:
			for j := range row {
				row[j] = float32(random.IntN(3) - 1)
			}
		default:
			for j := range row {
				row[j] = float32(random.NormFloat64())
			}
		}
		if i%97 == 0 {
			clear(row)
		}
	}
	return m
}

// What libtorch finds leads to the neighbours of the search in Go, to the last bit, of which there are several parts of queries.
func TestProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type size struct{ queries, candidates, dim, k int }
	for _, size := range []size{{4300, 4100, 24, 4}, {300, 500, 384, 10}, {200, 5, 3, 5}, {1, 1, 1, 1}} {
		queries, candidates := nearTies(random, size.queries, size.dim), nearTies(random, size.candidates, size.dim)
		x, err := neighbors.NewIndex(candidates, neighbors.ByCosine)
		if err != nil {
			t.Fatal(err)
		}
		search := func(p neighbors.Products) []neighbors.Neighbor {
			list, err := x.TopK(t.Context(), queries, size.k, neighbors.Options{Products: p})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		if !slices.Equal(search(Products{}), search(nil)) {
			t.Errorf("%+v: the neighbours are others", size)
		}
	}
}

func TestProductsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := nearTies(rand.New(rand.NewPCG(1, 2)), 10, 4)
	if _, _, err := (Products{}).Top(ctx, m, m, 3); err == nil {
		t.Error("no error")
	}
}
