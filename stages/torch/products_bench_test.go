//go:build libtorch

package torch

import (
	"math/rand/v2"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
)

// BenchmarkSearch measures the processor time of a search by libtorch and by Go, on one thread, by blocks as large as those of knn.
func BenchmarkSearch(b *testing.B) {
	const rows, dim, block, k = 20_000, 384, 10_922, 4
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() neighbors.Matrix {
		m := neighbors.Matrix{Data: make([]float32, rows*dim), Dim: dim}
		for i := range m.Data {
			m.Data[i] = float32(random.NormFloat64())
		}
		return m
	}
	queries, candidates := draw(), draw()
	SetThreads(1)
	part := func(m neighbors.Matrix, from int) neighbors.Matrix {
		return neighbors.Matrix{Data: m.Data[from*dim : min(from+block, rows)*dim], Dim: dim}
	}
	for _, way := range []struct {
		name     string
		products neighbors.Products
	}{{"go", nil}, {"libtorch", Products{}}} {
		b.Run(way.name, func(b *testing.B) {
			began := peertest.ProcessorSeconds(b)
			for b.Loop() {
				for q := 0; q < rows; q += block {
					for c := 0; c < rows; c += block {
						x, err := neighbors.NewIndex(part(candidates, c), neighbors.ByCosine)
						if err == nil {
							_, err = x.TopK(b.Context(), part(queries, q), k, neighbors.Options{Workers: 1, Products: way.products})
						}
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			b.ReportMetric((peertest.ProcessorSeconds(b)-began)/float64(b.N), "CPU-s")
		})
	}
}
