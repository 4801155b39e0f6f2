package neighbors

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// off are fast products that differ from the true ones by a share of what sums in float32 may: those of some pairs upwards, those of
// others downwards.
type off struct{ share float64 }

func (f off) Top(_ context.Context, queries, candidates Matrix, count int) (products []float32, places []int32, err error) {
	bound := float64(queries.Dim) * 0x1p-24 * f.share
	for q := range queries.Rows() {
		row := make([]float32, candidates.Rows())
		for c := range row {
			row[c] = float32(Dot(queries.Row(q), candidates.Row(c)))
			if row[c] != 0 {
				row[c] = float32(Dot(queries.Row(q), candidates.Row(c)) + bound*float64(2*(c%2)-1))
			}
		}
		order := make([]int32, len(row))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(i, j int32) int { return cmp.Or(cmp.Compare(row[j], row[i]), cmp.Compare(j, i)) })
		for _, place := range order[:count] {
			products, places = append(products, row[place]), append(places, place)
		}
	}
	return products, places, nil
}

// With ties, near ties, copies and zeros the nearest are those of the definition, although fast products have nearly the greatest error
// that sums in float32 can have, and put others first.
func TestProductsWithinTheirBound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		dim := 1 + r.IntN(70)
		candidates, queries := matrices(r, 1+r.IntN(150), dim), matrices(r, 1+r.IntN(120), dim)
		o := Options{Workers: 1 + r.IntN(3), Products: off{.95}}
		if r.IntN(2) == 0 {
			for range queries.Rows() {
				o.Exclude = append(o.Exclude, r.IntN(candidates.Rows()+1)-1)
			}
		}
		check(t, newIndex(t, candidates, ByCosine), queries, r.IntN(1+min(20, candidates.Rows())), o)
	}
}

// A hundred copies of a candidate that differ in last bits have cosines nearer to each other than the bound, so that the fast products
// cannot tell which of them are the nearest, and leave those out. The nearest are right all the same, and only such queries are
// searched again.
func TestProductsUncertain(t *testing.T) {
	const dim, copies = 64, 100
	r := rand.New(rand.NewPCG(7, 8))
	draw := func(rows int) Matrix {
		m := Matrix{make([]float32, rows*dim), dim}
		for i := range m.Data {
			m.Data[i] = float32(r.NormFloat64())
		}
		return m
	}
	candidates, queries := draw(3000), draw(400)
	copy(queries.Row(7), candidates.Row(0))
	for c := range copies {
		row := candidates.Row(10 * c)
		copy(row, candidates.Row(0))
		row[c%dim] *= 1 + float32(c)*0x1p-22
	}
	x, products := newIndex(t, candidates, ByCosine), off{.95}
	uncertain, err := x.preselect(t.Context(), queries, 4, Options{Products: products}, func(int, []Neighbor, int) {})
	if err != nil || !slices.Contains(uncertain, 7) || len(uncertain) > 8 {
		t.Errorf("queries %v are uncertain, %v: want that of the copies and few others", uncertain, err)
	}
	check(t, x, queries, 4, Options{Products: products})
}

// Products in a lower precision than float32 are noticed, and so are places and numbers of products that cannot be.
func TestProductsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	candidates, queries := matrices(r, 90, 32), matrices(r, 50, 32)
	for want, products := range map[string]Products{"lower precision": off{3}, "candidate 90 of 90": placed{90},
		"candidate -1 of 90": placed{-1}, "0 products": placed{}} {
		_, err := newIndex(t, candidates, ByCosine).TopK(t.Context(), queries, 3, Options{Products: products})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := newIndex(t, candidates, ByInnerProduct).TopK(t.Context(), queries, 3, Options{Products: off{}})
	if err == nil || !strings.Contains(err.Error(), "for cosines") {
		t.Error(err)
	}
}

// placed are products of 1 in one place.
type placed struct{ place int32 }

func (p placed) Top(_ context.Context, queries, _ Matrix, count int) ([]float32, []int32, error) {
	if p.place == 0 {
		return nil, nil, nil
	}
	n := queries.Rows() * count
	return slices.Repeat([]float32{1}, n), slices.Repeat([]int32{p.place}, n), nil
}
