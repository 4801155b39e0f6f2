package boost

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// mix is SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const testColumns = 10

// made returns the rows from one to another of the data of testdata/lightgbm_loss.py.
func made(from, to int) (rows [][]float32, labels, weights []float32) {
	for i := from; i < to; i++ {
		x := make([]float32, testColumns)
		for j := range x {
			x[j] = float32(mix(uint64(i*testColumns+j))>>40) / (1 << 24)
		}
		x[1], x[2] = float32(math.Floor(float64(x[1])*10)), float32(math.Floor(float64(x[2])*10))
		margin := 2*float64(x[3])*float64(x[4]) - 1
		if x[1] > 3 {
			margin += 4 * float64(x[0])
		}
		if x[2] > 5 {
			margin -= 3
		}
		rows, labels, weights = append(rows, x), append(labels, float32(1/(1+math.Exp(-margin)))), append(weights, float32(1+i%3))
	}
	return rows, labels, weights
}

func fit(t testing.TB, n int, c Config) *Forest {
	t.Helper()
	rows, labels, weights := made(0, n)
	columns := make([][]float32, testColumns)
	for _, x := range rows {
		for j, v := range x {
			columns[j] = append(columns[j], v)
		}
	}
	table, err := NewTable(columns)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Fit(context.Background(), table, labels, weights, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func testConfig() Config {
	return Config{Trees: 100, Leaves: 15, MinRows: 20, MinHessian: .5, Rate: .1, L2: 1, Rows: 1, Columns: 1, Seed: 1, Threads: 1}
}

// LightGBM 4.7.0 gives a loss of lightGBMLoss on the same data with the same settings; see
// testdata/lightgbm_loss.py, which also tells the entropy that no model is below.
const (
	lightGBMLoss = 0.452253
	entropy      = 0.451297
)

func TestLossBesideLightGBM(t *testing.T) {
	f := fit(t, 4000, testConfig())
	rows, labels, weights := made(4000, 6000)
	loss, all := 0.0, 0.0
	for i, x := range rows {
		p, y, w := Sigmoid(f.Margin(x)), float64(labels[i]), float64(weights[i])
		loss -= w * (y*math.Log(p) + (1-y)*math.Log(1-p))
		all += w
	}
	loss /= all
	t.Logf("loss %.6f, LightGBM %.6f, entropy %.6f", loss, lightGBMLoss, entropy)
	if ours, theirs := loss-entropy, lightGBMLoss-entropy; ours > 1.1*theirs || ours < 0 {
		t.Errorf("the loss is %.6f above the entropy of the labels, that of LightGBM %.6f", ours, theirs)
	}
}

// TestThreads: the number of threads does not change a byte, nor do runs.
func TestThreads(t *testing.T) {
	c := testConfig()
	c.Trees, c.Rows, c.Columns = 20, .5, .5
	first := fit(t, 2000, c).Append(nil)
	for _, threads := range []int{1, 2, 7} {
		c.Threads = threads
		if !bytes.Equal(first, fit(t, 2000, c).Append(nil)) {
			t.Errorf("%d threads give another forest", threads)
		}
	}
	c.Seed = 2
	if bytes.Equal(first, fit(t, 2000, c).Append(nil)) {
		t.Error("another seed gives the same forest")
	}
}

// TestOneSplit: the tree of two leaves that is worked out by hand. Of the labels 0 0 0 1 1 1 by x
// = 1 to 6, the base is 1/2, the gradients are ±1/2 and the second derivatives 1/4, so that the
// leaves of the split at 3 have ∓(3/2)/(3/4+1/4) = ∓1.5.
func TestOneSplit(t *testing.T) {
	table, err := NewTable([][]float32{{1, 2, 3, 4, 5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Trees: 1, Leaves: 2, MinRows: 1, Rate: 1, L2: .25, Rows: 1, Columns: 1, Threads: 1}
	f, err := Fit(context.Background(), table, []float32{0, 0, 0, 1, 1, 1}, []float32{1, 1, 1, 1, 1, 1}, c)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float32]float64{0: -1.5, 3: -1.5, 3.5: 1.5, 9: 1.5} {
		if got := f.Margin([]float32{x}); math.Abs(got-want) > 1e-5 {
			t.Errorf("margin of %v: %v, want %v", x, got, want)
		}
	}
	parts := []float64{0}
	if f.Contributions([]float32{9}, parts); math.Abs(parts[0]-1.5) > 1e-5 {
		t.Errorf("contribution %v, want 1.5", parts[0])
	}
}

func TestSigmoid(t *testing.T) {
	for x := -60.0; x <= 60; x += .0371 {
		want := 1 / (1 + math.Exp(-x))
		if got := Sigmoid(x); math.Abs(got-want) > 1e-15*want+1e-300 {
			t.Fatalf("Sigmoid(%v) = %v, want %v", x, got, want)
		}
	}
	if Sigmoid(-1e6) != 0 || Sigmoid(1e6) != 1 {
		t.Error("the sigmoid of large numbers is neither 0 nor 1")
	}
}

func TestFaults(t *testing.T) {
	table := func(columns ...[]float32) error { _, err := NewTable(columns); return err }
	fitting := func(labels, weights []float32) error {
		table, err := NewTable([][]float32{{1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Fit(context.Background(), table, labels, weights, testConfig())
		return err
	}
	for want, err := range map[string]error{
		"0 features":               table(),
		"no rows":                  table(nil),
		"feature 1 has 1 rows":     table([]float32{1, 2}, []float32{1}),
		"2 rows with 1 labels":     fitting([]float32{1}, []float32{1, 1}),
		"label 2":                  fitting([]float32{2, 1}, []float32{1, 1}),
		"weight -1":                fitting([]float32{0, 1}, []float32{-1, 1}),
		"all rows have the weight": fitting([]float32{0, 1}, []float32{0, 0}),
		"Trees is 0":               Config{}.Validate(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestMarginWalksTrees compares with going through the trees, also where values are equal to bounds or are not numbers.
func TestMarginWalksTrees(t *testing.T) {
	c := testConfig()
	c.Trees, c.Leaves = treesAtOnce+30, maxLeaves
	f := fit(t, 1500, c)
	rows, _, _ := made(1500, 1600)
	for i, n := range slices.Concat(f.trees...) {
		if n.feature >= 0 {
			rows[i%len(rows)][n.feature] = n.bound
		}
	}
	rows = append(rows, slices.Repeat([]float32{float32(math.NaN())}, testColumns),
		slices.Repeat([]float32{float32(math.Inf(1))}, testColumns))
	for _, row := range rows {
		want := float64(f.base)
		for _, nodes := range f.trees {
			at := int32(0)
			for n := nodes[0]; n.feature >= 0; n = nodes[at] {
				if at = n.left; row[n.feature] > n.bound {
					at++
				}
			}
			want += float64(nodes[at].value)
		}
		if got := f.Margin(row); got != want {
			t.Errorf("%v has the margin %v, through the trees %v", row, got, want)
		}
	}
}

func TestFileRoundTrip(t *testing.T) {
	c := testConfig()
	c.Trees = 5
	f := fit(t, 500, c)
	data := f.Append(nil)
	got, rest, err := Read(append(data, 1, 2))
	if err != nil || len(rest) != 2 {
		t.Fatal(err, rest)
	}
	if !bytes.Equal(got.Append(nil), data) {
		t.Error("another forest is read than was written")
	}
	rows, _, _ := made(500, 600)
	for _, x := range rows {
		if got.Margin(x) != f.Margin(x) {
			t.Fatal("another margin")
		}
	}
	for n := range data {
		if _, _, err := Read(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a forest", n, len(data))
		}
	}
}

// FuzzRead: whatever is read gives margins, and is written as it was.
func FuzzRead(f *testing.F) {
	c := testConfig()
	c.Trees = 2
	f.Add(fit(f, 200, c).Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		forest, rest, err := Read(data)
		if err != nil {
			return
		}
		forest.Margin(make([]float32, forest.Features()))
		forest.Contributions(make([]float32, forest.Features()), make([]float64, forest.Features()))
		if !bytes.Equal(forest.Append(nil), data[:len(data)-len(rest)]) {
			t.Fatal("it is written otherwise than it was read")
		}
	})
}

func BenchmarkMargin(b *testing.B) {
	f := fit(b, 4000, testConfig())
	rows, _, _ := made(4000, 4100)
	b.ReportAllocs()
	for i := range b.N {
		f.Margin(rows[i%len(rows)])
	}
}
