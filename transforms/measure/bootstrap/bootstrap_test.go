package bootstrap

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/random"
)

// normal returns draws of a normal distribution (Box and Muller 1958).
func normal(r *random.Stream) float64 {
	return math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
}

func TestValues(t *testing.T) {
	gold := []float64{1, 2, 3, 4}
	one := func(metric Metric, scores ...float64) Term {
		return Term{Metric: metric, Weight: 1, Scores: [][][]float64{{scores}}, Gold: gold[:len(scores)]}
	}
	without := func(item int) func(_, at int) bool { return func(_, at int) bool { return at != item } }
	tests := []struct {
		name   string
		figure Figure
		keep   func(term, item int) bool
		want   float64
	}{
		{"mean", Figure{Terms: []Term{one(Mean, 1, 0, 0, 1)}}, nil, .5},
		{"mean without an item", Figure{Terms: []Term{one(Mean, 1, 0, 0, 1)}}, without(1), 2. / 3},
		{"error", Figure{1, []Term{{Mean, -1, [][][]float64{{{1, 1, 0, 1}}}, nil}}}, nil, .25},
		{"two terms", Figure{0, []Term{{Mean, .5, [][][]float64{{{1, 1}}}, nil}, {Mean, .5, [][][]float64{{{0, 0, 1}}}, nil}}}, nil,
			2. / 3},
		{"the mean of two runs", Figure{0, []Term{{Mean, 1, [][][]float64{{{1, 1}, {1, 0}}}, nil}}}, nil, .75},
		{"ranks 1.5 1.5 3 4", Figure{Terms: []Term{one(Spearman, 7, 7, 8, 9)}}, nil, 4.5 / math.Sqrt(4.5*5)},
		{"ranks without an item", Figure{Terms: []Term{one(Spearman, 7, 9, 8, 7.5)}}, without(3), .5}, // 1 3 2
		{"a tie of values", Figure{Terms: []Term{one(Pearson, 7, 7, 8, 9)}}, nil, 3.5 / math.Sqrt(2.75*5)},
		{"equal values", Figure{Terms: []Term{one(Pearson, .1, .1, .1)}}, nil, 0},
		{"equal ranks", Figure{Terms: []Term{one(Spearman, .1, .1, .1)}}, nil, 0},
		{"F1", Figure{0, []Term{{F1, 1, [][][]float64{{{1, 1, 0, 0}}}, []float64{1, 0, 1, 0}}}}, nil, .5},
		{"F1 of nothing", Figure{0, []Term{{F1, 1, [][][]float64{{{0, 0}}}, []float64{0, 0}}}}, nil, 0},
	}
	for _, test := range tests {
		if got, ok := test.figure.Values(test.keep); !ok || math.Abs(got[0]-test.want) > 1e-15 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if got, ok := tests[0].figure.Values(func(int, int) bool { return false }); ok {
		t.Errorf("a mean of nothing is %v", got)
	}
}

// figureOf has terms of all metrics, of two lengths, of two models, one with two runs.
func figureOf(seed int) Figure {
	r := random.New(1, uint64(seed), "figure", "", 0)
	list := func(n, levels int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Floor(r.Float64()*float64(levels)) / float64(levels-1)
		}
		return x
	}
	f := Figure{Constant: .25}
	for i, term := range []struct {
		metric    Metric
		n, levels int
	}{{Mean, 40, 2}, {Pearson, 40, 9}, {Spearman, 33, 5}, {F1, 33, 2}, {Spearman, 40, 1 << 30}} { // the last one without ties
		one := Term{Metric: term.metric, Weight: 1 / float64(2+i)}
		for model := range 2 {
			var runs [][]float64
			for range 1 + model {
				runs = append(runs, list(term.n, term.levels))
			}
			one.Scores = append(one.Scores, runs)
		}
		if one.Metric != Mean {
			one.Gold = list(term.n, term.levels)
		}
		f.Terms = append(f.Terms, one)
	}
	return f
}

// The figures of each draw, the interval and the p value are those that numpy gives on lists
// that are drawn.
func TestBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	const draws = 300
	f := figureOf(4)
	drawn := map[string][][]int{}
	for _, p := range plansOf([]Figure{f}) {
		w := workersOf([]*plan{p})[0]
		values := [][][]float64{{make([]float64, draws), make([]float64, draws)}}
		for d := range draws {
			w.draw(d, values)
			var list []int
			for i, c := range w.counts {
				list = append(list, slices.Repeat([]int{i}, int(c))...)
			}
			drawn[strconv.Itoa(p.items)] = append(drawn[strconv.Itoa(p.items)], list)
		}
	}
	var terms []map[string]any
	for _, term := range f.Terms {
		terms = append(terms, map[string]any{"metric": term.Metric, "weight": term.Weight, "scores": term.Scores, "gold": term.Gold,
			"items": term.items()})
	}
	var want struct {
		Values       [2][]float64
		Low, High, P float64
	}
	peertest.Answer(t, map[string]any{"draws": draws, "constant": f.Constant, "terms": terms, "drawn": drawn}, &want, python,
		"testdata/draws.py")
	values, err := drawAll(t.Context(), []Figure{f}, draws)
	if err != nil {
		t.Fatal(err)
	}
	for m := range values[0] {
		for d, got := range values[0][m] {
			if math.Abs(got-want.Values[m][d]) > 1e-12 {
				t.Fatalf("model %d, draw %d: %v, numpy has %v", m, d, got, want.Values[m][d])
			}
		}
	}
	all, err := Compare(t.Context(), []Figure{f}, [][]Pair{{{0, 1}}}, draws)
	if err != nil {
		t.Fatal(err)
	}
	if d := all[0][0]; math.Abs(d.Low-want.Low) > 1e-12 || math.Abs(d.High-want.High) > 1e-12 || math.Abs(d.P-want.P) > 1e-12 {
		t.Errorf("%+v, numpy has %v to %v, p %v", d, want.Low, want.High, want.P)
	}
}

// An interval of 95 % holds the true difference in 93 to 97 of 100 sets: of accuracies, whose
// answers agree in part, and of correlations of ranks.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it takes some seconds")
	}
	const sets, items, draws = 1000, 400, 500
	// The correlation of ranks of normal variables of the correlation r (Kruskal 1958).
	ranked := func(r float64) float64 { return 6 / math.Pi * math.Asin(r/2) }
	for _, test := range []struct {
		name   string
		metric Metric
		truth  float64
	}{{"accuracy", Mean, .05}, {"spearman", Spearman, ranked(.8) - ranked(.6)}} {
		inside, rejected := 0, 0
		for set := range sets {
			r := random.New(1, 0, "coverage "+test.name, "", int64(set))
			a, b, gold := make([]float64, items), make([]float64, items), make([]float64, items)
			for i := range a {
				if test.metric == Mean {
					hard := r.Float64()
					a[i], b[i] = right(hard < .4 || r.Float64() < .5), right(hard < .4 || r.Float64() < .5-.05/.6)
					continue
				}
				gold[i] = normal(&r)
				a[i], b[i] = .8*gold[i]+.6*normal(&r), .6*gold[i]+.8*normal(&r)
			}
			f := Figure{Terms: []Term{{test.metric, 1, [][][]float64{{a}, {b}}, gold}}}
			all, err := Compare(t.Context(), []Figure{f}, [][]Pair{{{0, 1}}}, draws)
			if err != nil {
				t.Fatal(err)
			}
			d := all[0][0]
			if d.Low <= test.truth && test.truth <= d.High {
				inside++
			}
			if d.P < .05 && d.Value < 0 {
				rejected++
			}
		}
		if inside < 930 || inside > 970 || rejected > 25 {
			t.Errorf("%s: %d of %d intervals hold the difference, %d find the worse model better", test.name, inside, sets, rejected)
		}
		t.Logf("%s: %d of %d", test.name, inside, sets)
	}
}

func right(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// The draws do not depend on the number of processors, on other figures or on their order.
func TestDeterminism(t *testing.T) {
	f, g := figureOf(1), figureOf(2)
	pair := []Pair{{0, 1}, {1, 0}}
	compare := func(figures ...Figure) [][]Difference {
		pairs := slices.Repeat([][]Pair{pair}, len(figures))
		all, err := Compare(t.Context(), figures, pairs, 500)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	alone := compare(f)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := compare(f); !reflect.DeepEqual(one, alone) {
		t.Errorf("%+v with one processor, %+v with more", one, alone)
	}
	if both := compare(g, f); !reflect.DeepEqual(both[1], alone[0]) {
		t.Errorf("%+v beside another figure, %+v alone", both[1], alone[0])
	}
	twice := Figure{Constant: 1, Terms: slices.Clone(f.Terms)} // of the same lists
	for i := range twice.Terms {
		twice.Terms[i].Weight *= 2
	}
	if both := compare(f, twice); !reflect.DeepEqual(both[0], alone[0]) || math.Abs(both[1][0].Low-2*alone[0][0].Low) > 1e-12 ||
		both[1][0].P != alone[0][0].P {
		t.Errorf("%+v of twice the terms, %+v once", both[1], alone[0])
	}
	if d := alone[0]; d[0].Value != -d[1].Value || d[0].P != d[1].P || math.Abs(d[0].Low+d[1].High) > 1e-15 {
		t.Errorf("the other way round: %+v", d)
	}
}

// Models that answer alike do not differ, and one that is better on all items does so surely.
func TestExtremes(t *testing.T) {
	same, none, all := []float64{0, 1, 1, 0, 1}, make([]float64, 50), slices.Repeat([]float64{1}, 50)
	f := []Figure{
		{Terms: []Term{{Mean, 1, [][][]float64{{same}, {same}}, nil}}},
		{Terms: []Term{{Mean, 1, [][][]float64{{all}, {none}}, nil}}},
	}
	d, err := Compare(t.Context(), f, [][]Pair{{{0, 1}}, {{0, 1}}}, 999)
	if err != nil {
		t.Fatal(err)
	}
	if got := d[0][0]; got != (Difference{0, 0, 0, 1}) {
		t.Errorf("alike: %+v", got)
	}
	if got := d[1][0]; math.Abs(got.Low-1) > 1e-12 || math.Abs(got.High-1) > 1e-12 || got.P != .002 {
		t.Errorf("better on all: %+v", got)
	}
	if _, err := Compare(t.Context(), f, nil, 10); err == nil {
		t.Error("figures without pairs pass")
	}
}

// The example of Holm's procedure: .01 · 4, .03 · 3, .03 · 2 is not less, .04 · 1 neither.
func TestHolm(t *testing.T) {
	got := fmt.Sprintf("%.3f", Holm([]float64{.04, .01, .03, .03}))
	if got != "[0.090 0.040 0.090 0.090]" {
		t.Error(got)
	}
	if got := Holm([]float64{.6, .7}); got[0] != 1 || got[1] != 1 {
		t.Error(got)
	}
}

func BenchmarkCompare(b *testing.B) {
	const models, items = 20, 5000
	r := random.New(1, 0, "bench", "", 0)
	for _, metric := range []Metric{Mean, Pearson, Spearman} {
		term := Term{Metric: metric, Weight: 1, Gold: make([]float64, items)}
		for range models {
			run := make([]float64, items)
			for i := range run {
				run[i], term.Gold[i] = right(r.Bool(.5)), r.Float64()
				if metric != Mean {
					run[i] = r.Float64()
				}
			}
			term.Scores = append(term.Scores, [][]float64{run})
		}
		var pairs []Pair
		for m := 1; m < models; m++ {
			pairs = append(pairs, Pair{0, m})
		}
		b.Run(fmt.Sprint(metric), func(b *testing.B) {
			for b.Loop() {
				if _, err := Compare(b.Context(), []Figure{{Terms: []Term{term}}}, [][]Pair{pairs}, Draws); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
