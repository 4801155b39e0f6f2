package neighbors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naive restates the definition: every pair in float64, a stable sort.
func naive(query []float32, candidates Matrix, metric Metric, exclude int) (order []Neighbor, ties int) {
	for c := range candidates.Rows() {
		if c == exclude {
			continue
		}
		var dot, a, b float64
		for i, x := range query {
			y := candidates.Data[c*candidates.Dim+i]
			dot, a, b = dot+float64(x)*float64(y), a+float64(x)*float64(x), b+float64(y)*float64(y)
		}
		if metric == ByCosine {
			if dot /= math.Sqrt(a * b); a*b == 0 {
				dot = 0
			}
		}
		order = append(order, Neighbor{c, dot})
	}
	slices.SortStableFunc(order, func(x, y Neighbor) int { return cmp.Compare(y.Similarity, x.Similarity) })
	for _, n := range order {
		if n.Similarity == order[0].Similarity {
			ties++
		}
	}
	return order, max(0, ties-1)
}

// matrices that make near ties likely: few different values, copies, scaled
// copies, zeros, and copies that differ in the last bit.
func matrices(r *rand.Rand, rows, dim int) Matrix {
	m := Matrix{make([]float32, rows*dim), dim}
	for i := range rows {
		row := m.Row(i)
		switch kind := r.IntN(6); {
		case kind == 0 && i > 0:
			copy(row, m.Row(r.IntN(i)))
		case kind == 1 && i > 0:
			copy(row, m.Row(r.IntN(i)))
			at := r.IntN(dim)
			row[at] = math.Nextafter32(row[at], 9)
		case kind == 2 && i > 0:
			scale := float32(r.ExpFloat64())
			for j, x := range m.Row(r.IntN(i)) {
				row[j] = x * scale
			}
		case kind == 3 && r.IntN(4) == 0:
		case kind == 4:
			for j := range row {
				row[j] = float32(r.IntN(3) - 1)
			}
		default:
			for j := range row {
				row[j] = float32(r.NormFloat64())
			}
		}
	}
	return m
}

func newIndex(t *testing.T, candidates Matrix, metric Metric) *Index {
	t.Helper()
	x, err := NewIndex(candidates, metric)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// check compares the k nearest candidates of queries with those of the definition.
func check(t *testing.T, x *Index, queries Matrix, k int, o Options) {
	t.Helper()
	candidates := x.raw
	nearest, err := x.Nearest(t.Context(), queries, o)
	if err != nil {
		t.Fatal(err)
	}
	var top []Neighbor
	if k > 0 {
		if top, err = x.TopK(t.Context(), queries, k, o); err != nil {
			t.Fatal(err)
		}
	}
	for q := range queries.Rows() {
		out := -1
		if o.Exclude != nil {
			out = o.Exclude[q]
		}
		want, ties := naive(queries.Row(q), candidates, x.metric, out)
		first := Match{Neighbor{Index: -1}, 0}
		if len(want) > 0 {
			first = Match{want[0], ties}
		}
		if nearest[q] != first {
			t.Fatalf("query %d of %d×%d: nearest %+v, want %+v", q, candidates.Rows(), candidates.Dim, nearest[q], first)
		}
		for i := range k {
			w := Neighbor{Index: -1}
			if i < len(want) {
				w = want[i]
			}
			if got := top[q*k+i]; got != w {
				t.Fatalf("query %d of %d×%d: neighbour %d is %+v, want %+v", q, candidates.Rows(), candidates.Dim, i, got, w)
			}
		}
	}
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		dim := 1 + r.IntN(40)
		if seed%10 == 0 {
			dim = 768
		}
		candidates, queries := matrices(r, 1+r.IntN(700), dim), matrices(r, 1+r.IntN(70), dim)
		for i := range queries.Rows() { // most queries are candidates
			if r.IntN(3) > 0 {
				copy(queries.Row(i), candidates.Row(r.IntN(candidates.Rows())))
			}
		}
		var exclude []int
		if seed%2 == 0 {
			for range queries.Rows() {
				exclude = append(exclude, r.IntN(candidates.Rows()+1)-1)
			}
		}
		k, workers := 1+r.IntN(min(20, candidates.Rows())), 1+r.IntN(4)
		check(t, newIndex(t, candidates, Metric(seed%2)), queries, k, Options{Workers: workers, Exclude: exclude})
	}
}

// Places are those in the order of every pair.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, metric := range []Metric{ByCosine, ByInnerProduct} {
		for range 20 {
			dim := 1 + r.IntN(9)
			queries, candidates := matrices(r, 1+r.IntN(70), dim), matrices(r, 2+r.IntN(90), dim)
			exclude, wanted := make([]int, queries.Rows()), make([][]int, queries.Rows())
			for q := range wanted {
				exclude[q] = r.IntN(candidates.Rows()+1) - 1
				for range r.IntN(4) {
					if c := r.IntN(candidates.Rows()); c != exclude[q] {
						wanted[q] = append(wanted[q], c)
					}
				}
			}
			x, err := NewIndex(candidates, metric)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Ranks(t.Context(), queries, wanted, Options{Workers: 2, Exclude: exclude})
			if err != nil {
				t.Fatal(err)
			}
			for q := range wanted {
				order, _ := naive(queries.Row(q), candidates, metric, exclude[q])
				for i, c := range wanted[q] {
					if want := 1 + slices.IndexFunc(order, func(n Neighbor) bool { return n.Index == c }); got[q][i] != want {
						t.Errorf("metric %d, query %d, candidate %d: place %d, want %d", metric, q, c, got[q][i], want)
					}
				}
			}
		}
	}
	x, err := NewIndex(Matrix{[]float32{1, 2}, 1}, ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		wanted  [][]int
		exclude []int
	}{{[][]int{{2}}, nil}, {[][]int{{-1}}, nil}, {[][]int{{0}, {0}}, nil}, {[][]int{{1}}, []int{1}}} {
		if _, err := x.Ranks(t.Context(), Matrix{[]float32{1}, 1}, bad.wanted, Options{Exclude: bad.exclude}); err == nil {
			t.Errorf("%v without %v passes", bad.wanted, bad.exclude)
		}
	}
}

func TestByHand(t *testing.T) {
	candidates := Matrix{[]float32{
		1, 0,
		3, 4,
		6, 8,
		0, 0,
		-1, 0,
	}, 2}
	tests := []struct {
		name   string
		metric Metric
		query  []float32
		want   Match
	}{
		{"same direction: the first of two equal cosines", ByCosine, []float32{3, 4}, Match{Neighbor{1, 1}, 1}},
		{"scaled query: its length does not count", ByCosine, []float32{30, 40}, Match{Neighbor{1, 1}, 1}},
		{"inner product: the longer one", ByInnerProduct, []float32{3, 4}, Match{Neighbor{2, 50}, 0}},
		{"3/5 lies below 1", ByCosine, []float32{2, 0}, Match{Neighbor{0, 1}, 0}},
		{"zeros: every candidate is as near", ByCosine, []float32{0, 0}, Match{Neighbor{0, 0}, 4}},
		{"only the zero row is not on the far side", ByCosine, []float32{-1, -9}, Match{Neighbor{4, 1 / math.Sqrt(82)}, 0}},
		{"inner product: 0 beats negative ones", ByInnerProduct, []float32{0, -1}, Match{Neighbor{0, 0}, 2}},
	}
	for _, test := range tests {
		x, err := NewIndex(candidates, test.metric)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Nearest(t.Context(), Matrix{test.query, 2}, Options{})
		if err != nil || math.Abs(got[0].Similarity-test.want.Similarity) > 1e-15 || got[0].Index != test.want.Index ||
			got[0].Ties != test.want.Ties {
			t.Errorf("%s: %+v, %v; want %+v", test.name, got, err, test.want)
		}
	}
}

// The float32 pass cannot tell these candidates apart; their order in float64 is
// the reverse of their index.
func TestBelowFloat32(t *testing.T) {
	const dim, n = 768, 300
	r := rand.New(rand.NewPCG(5, 5))
	query := make([]float32, dim)
	for i := range query {
		query[i] = float32(r.NormFloat64())
	}
	candidates := Matrix{nil, dim}
	for i := range n {
		row := slices.Clone(query)
		for range n - i {
			at := r.IntN(dim)
			row[at] = math.Nextafter32(row[at], float32(math.Inf(1)))
		}
		candidates.Data = append(candidates.Data, row...)
	}
	check(t, newIndex(t, candidates, ByCosine), Matrix{query, dim}, 50, Options{Workers: 1})
}

func TestFaults(t *testing.T) {
	nan := float32(math.NaN())
	good, err := NewIndex(Matrix{[]float32{1, 2, 3, 4}, 2}, ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	build := func(m Matrix, metric Metric) error {
		_, err := NewIndex(m, metric)
		return err
	}
	find := func(m Matrix, o Options) error {
		_, err := good.Nearest(t.Context(), m, o)
		return err
	}
	top := func(k int) error {
		_, err := good.TopK(t.Context(), Matrix{[]float32{1, 2}, 2}, k, Options{})
		return err
	}
	one := Matrix{[]float32{1, 2}, 2}
	tests := []struct {
		err  error
		want string
	}{
		{build(Matrix{nil, 0}, ByCosine), "0 columns"},
		{build(Matrix{nil, MaxDim + 1}, ByCosine), "want 1 to 65536"},
		{build(Matrix{[]float32{1, 2, 3}, 2}, ByCosine), "whole rows"},
		{build(Matrix{[]float32{1, 2, 3, nan}, 2}, ByCosine), "row 1: it holds a value that is not finite"},
		{build(one, Metric(7)), "metric 7"},
		{find(Matrix{[]float32{1, 2, 3}, 3}, Options{}), "queries have 3 columns, candidates 2"},
		{find(Matrix{[]float32{1, float32(math.Inf(1))}, 2}, Options{}), "queries: row 0"},
		{find(one, Options{Exclude: []int{1, 2}}), "2 exclusions for 1 queries"},
		{find(one, Options{Workers: -1}), "negative"},
		{top(0), "nearest 0"},
		{top(3), "nearest 3"},
	}
	for _, test := range tests {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("error %v, want %q", test.err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Nearest(ctx, one, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	empty, err := NewIndex(Matrix{nil, 2}, ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Nearest(t.Context(), one, Options{}); err != nil || got[0].Index != -1 {
		t.Errorf("no candidates: %+v, %v", got, err)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(2), uint8(3), false)
	f.Add([]byte("a few bytes that stand for rows of numbers"), uint8(3), uint8(1), true)
	f.Fuzz(func(t *testing.T, data []byte, dim, k uint8, product bool) {
		d := int(dim%16) + 1
		values := make([]float32, len(data)/d*d)
		for i := range values {
			values[i] = float32(math.Ldexp(float64(int8(data[i])), int(data[i]%5)*20-40))
		}
		m := Matrix{values, d}
		if m.Rows() == 0 {
			return
		}
		metric := ByCosine
		if product {
			metric = ByInnerProduct
		}
		check(t, newIndex(t, m, metric), m, 1+int(k)%m.Rows(), Options{Workers: 2})
	})
}

func TestNoAllocationsPerQuery(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	x, err := NewIndex(matrices(r, 2000, 32), ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	count := func(queries int) float64 {
		m := matrices(rand.New(rand.NewPCG(4, 4)), queries, 32)
		return testing.AllocsPerRun(3, func() {
			if _, err := x.Nearest(t.Context(), m, Options{Workers: 1}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(queryBlock), count(8*queryBlock); many > few+16 { // lists grow at first
		t.Errorf("%v allocations for %d queries, %v for %d", few, queryBlock, many, 8*queryBlock)
	}
}

func BenchmarkNearest(b *testing.B) {
	for _, size := range []struct{ queries, candidates, dim int }{{1000, 1000, 768}, {2000, 50000, 384}} {
		b.Run(fmt.Sprintf("%dx%dx%d", size.queries, size.candidates, size.dim), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			gauss := func(rows int) Matrix {
				m := Matrix{make([]float32, rows*size.dim), size.dim}
				for i := range m.Data {
					m.Data[i] = float32(r.NormFloat64())
				}
				return m
			}
			queries := gauss(size.queries)
			x, err := NewIndex(gauss(size.candidates), ByCosine)
			if err != nil {
				b.Fatal(err)
			}
			for _, k := range []int{1, 4} {
				b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
					b.SetBytes(4 * int64(size.dim) * int64(size.queries) * int64(size.candidates))
					b.ReportAllocs()
					for b.Loop() {
						if _, err := x.TopK(b.Context(), queries, k, Options{}); err != nil {
							b.Fatal(err)
						}
					}
					operations := 2 * float64(size.queries) * float64(size.candidates) * float64(size.dim) * float64(b.N)
					b.ReportMetric(operations/b.Elapsed().Seconds()/1e9, "GFLOPS")
				})
			}
		})
	}
}
