package tiles

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// Products of rows with rows, and of columns with columns, of matrices of any shape and stride are added to what stands
// there, to within the bound of float32, and are the same on any number of processors.
func TestProducts(t *testing.T) {
	var a, b Rows // used again, larger and smaller
	for _, shape := range [][3]int{{1, 1, 1}, {12, 32, 5}, {13, 31, 64}, {50, 7, 3}, {5, 100, 40}, {2, 3, 1}} {
		m, n, dim := shape[0], shape[1], shape[2]
		r := rand.New(rand.NewPCG(1, uint64(dim)))
		drawn := func(rows, columns int) blas32.General {
			g := blas32.General{Rows: rows, Cols: columns, Stride: columns + 3, Data: make([]float32, rows*(columns+3))}
			for i := range g.Data {
				g.Data[i] = float32(r.NormFloat64())
			}
			return g
		}
		transposed := func(g blas32.General) blas32.General {
			to := drawn(g.Cols, g.Rows)
			for i := range g.Rows {
				for k := range g.Cols {
					to.Data[k*to.Stride+i] = g.Data[i*g.Stride+k]
				}
			}
			return to
		}
		x, y, before := drawn(m, dim), drawn(n, dim), drawn(m, n)
		var first []float32
		for _, byColumns := range []bool{false, true} {
			for _, processors := range []int{1, 3} {
				if byColumns {
					a.PackColumns(transposed(x), Height)
					b.PackColumns(transposed(y), Width)
				} else {
					a.Pack(x, Height)
					b.Pack(y, Width)
				}
				got := before
				got.Data = slices.Clone(before.Data)
				previous := runtime.GOMAXPROCS(processors)
				Products(a, b, got)
				runtime.GOMAXPROCS(previous)
				if first == nil {
					first = got.Data
				} else if !slices.Equal(got.Data, first) {
					t.Errorf("%v: other products with columns %t on %d processors", shape, byColumns, processors)
				}
			}
		}
		for i := range m {
			for j := range before.Stride {
				at := i*before.Stride + j
				want, size := float64(before.Data[at]), math.Abs(float64(before.Data[at]))
				for k := range dim * min(1, max(0, n-j)) { // beyond the columns nothing is added
					product := float64(x.Data[i*x.Stride+k]) * float64(y.Data[j*y.Stride+k])
					want, size = want+product, size+math.Abs(product)
				}
				if math.Abs(float64(first[at])-want) > size*float64(dim+1)*0x1p-24 {
					t.Errorf("%v: product %d %d is %v, want %v", shape, i, j, first[at], want)
				}
			}
		}
	}
}
