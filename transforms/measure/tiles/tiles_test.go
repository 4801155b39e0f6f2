package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Every kernel of this processor gives the products to within the bound of float32, and the
// bits of those that reach the thresholds.
func TestKernels(t *testing.T) {
	for name, multiply := range kernels() {
		for _, dim := range []int{1, 2, 7, 64, 385} {
			r := rand.New(rand.NewPCG(1, uint64(dim)))
			rows, columns := make([][]float32, 2*Height-5), make([][]float32, 2*Width-9)
			pack := func(list [][]float32, group int) Rows {
				packed := NewRows(len(list), dim, group)
				for i := range list {
					list[i] = make([]float32, dim)
					for k := range list[i] {
						list[i][k] = float32(r.NormFloat64())
					}
					packed.Set(i, list[i])
				}
				return packed
			}
			a, b := pack(rows, Height), pack(columns, Width)
			if a.Groups() != 2 || b.Groups() != 2 {
				t.Fatalf("%d and %d groups", a.Groups(), b.Groups())
			}
			var tile Tile
			for i := range a.Groups() {
				var thresholds [Height]float32
				for k := range thresholds {
					thresholds[k] = float32(r.NormFloat64())
				}
				thresholds[3] = float32(math.Inf(1))
				for j := range b.Groups() {
					multiply(a.data[i*Height*dim:], b.data[j*Width*dim:], dim, &thresholds, &tile)
					for x := range Height {
						for y := range Width {
							want, size := 0.0, 0.0
							if p, q := i*Height+x, j*Width+y; p < len(rows) && q < len(columns) {
								for k := range dim {
									product := float64(rows[p][k]) * float64(columns[q][k])
									want, size = want+product, size+math.Abs(product)
								}
							}
							got := tile.Products[x*Width+y]
							if math.Abs(float64(got)-want) > size*float64(dim)*0x1p-24 {
								t.Fatalf("%s, dim %d: product %d %d of tile %d %d is %v, want %v", name, dim, x, y, i, j, got, want)
							}
							if reached := tile.Reached[x]>>y&1 == 1; reached != (got >= thresholds[x]) {
								t.Fatalf("%s, dim %d: product %v reaches %v: %t", name, dim, got, thresholds[x], reached)
							}
						}
					}
				}
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	for name, multiply := range kernels() {
		for _, dim := range []int{384, 768} {
			b.Run(fmt.Sprint(name, "/", dim), func(b *testing.B) {
				rows, columns := NewRows(96, dim, Height), NewRows(320, dim, Width)
				var thresholds [Height]float32
				var tile Tile
				for b.Loop() {
					for j := range columns.Groups() {
						for i := range rows.Groups() {
							multiply(rows.data[i*Height*dim:], columns.data[j*Width*dim:], dim, &thresholds, &tile)
						}
					}
				}
				b.ReportMetric(2*96*320*float64(dim)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
