package probe

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"sentweave/transforms/random"
)

// The kernels give the bits of the code without them, and inner products and sums to within
// the bound of float32.
func TestKernels(t *testing.T) {
	draw := random.New(1, 1, "kernels", "", 0)
	row := func(n int) (list []float32) {
		for range n {
			list = append(list, float32(normal(&draw)))
		}
		return list
	}
	near := func(what string, got float32, terms ...float64) {
		t.Helper()
		want, size := 0.0, 0.0
		for _, x := range terms {
			want, size = want+x, size+math.Abs(x)
		}
		if math.Abs(float64(got)-want) > size*float64(len(terms))*0x1p-24 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	multiplyKernel, addKernel := multiplyLanes, addLanes
	defer func() { multiplyLanes, addLanes = multiplyKernel, addKernel }()
	for _, dim := range []int{1, 7, 8, 21, 64, 385} {
		for _, n := range []int{1, 5, together} {
			var list [][]float32
			for range n {
				list = append(list, row(dim))
			}
			with, to := row(dim), row(dim)
			factors := [together]float32(append(row(n), make([]float32, together-n)...))
			run := func() (products [together]float32, sum []float32) {
				var b bundle
				if got := b.take(list); got != n {
					t.Fatalf("%d of %d rows", got, n)
				}
				b.multiply(with)
				products, b.factors = b.factors, factors
				sum = slices.Clone(to)
				b.add(sum)
				return products, sum
			}
			multiplyLanes, addLanes = multiplyKernel, addKernel
			products, sum := run()
			multiplyLanes, addLanes = nil, nil
			if p, s := run(); p != products || !slices.Equal(s, sum) {
				t.Errorf("%d rows of %d: products %v and sum %v, without kernels %v and %v", n, dim, products, sum, p, s)
			}
			for i, x := range list {
				var terms []float64
				for k := range x {
					terms = append(terms, float64(x[k])*float64(with[k]))
				}
				near(fmt.Sprintf("product %d of %d with %d columns", i, n, dim), products[i], terms...)
			}
			for k := range sum {
				terms := []float64{float64(to[k])}
				for i, x := range list {
					terms = append(terms, float64(factors[i])*float64(x[k]))
				}
				near(fmt.Sprintf("sum %d of %d with %d rows", k, dim, n), sum[k], terms...)
			}
		}
	}
}
