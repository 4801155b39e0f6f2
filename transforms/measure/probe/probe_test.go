package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"sentweave/schemas/peertest"
	"sentweave/transforms/random"
)

// normal draws from the standard normal distribution.
func normal(s *random.Stream) float64 {
	return math.Sqrt(-2*math.Log(1-s.Float64())) * math.Cos(2*math.Pi*s.Float64())
}

// clusters are rows of two classes, whose means lie so many standard deviations from the
// plane between them: the best classifier is right in the share that the normal
// distribution has below that number.
func clusters(n, dimension int, deviations float64) Rows {
	draw := random.New(1, 1, "clusters", fmt.Sprint(n, dimension), 0)
	var r Rows
	for i := range n {
		v := make([]float32, dimension)
		for k := range v {
			v[k] = float32(normal(&draw))
		}
		shift := deviations
		if i%2 == 0 {
			shift = -shift
		}
		for k := range v { // in the direction of (1, 1, …)
			v[k] += float32(shift / math.Sqrt(float64(dimension)))
		}
		r.Vectors, r.Classes = append(r.Vectors, v), append(r.Classes, i%2)
	}
	return r
}

// The accuracy on clusters of a known distance is that of the best classifier, less what
// an estimate from so few rows loses.
func TestSchemes(t *testing.T) {
	c := Literature()
	c.Folds = 5
	rows := clusters(9000, 10, 1)
	want := .5 * math.Erfc(-1/math.Sqrt2) // .8413
	a, b, d := rows.at(upTo(9000)[:5000]), rows.at(upTo(9000)[5000:6000]), rows.at(upTo(9000)[6000:])
	for name, run := range map[string]func(c Config) (Result, error){
		"nested":          func(c Config) (Result, error) { return c.Nested(t.Context(), 7, a, 2) },
		"cross-validated": func(c Config) (Result, error) { return c.CrossValidated(t.Context(), 7, Parts{Train: a, Test: d}, 2) },
		"split":           func(c Config) (Result, error) { return c.Split(t.Context(), 7, Parts{Train: a, Dev: b, Test: d}, 2) },
	} {
		for preset, c := range map[string]Config{"literature": c, "prototyping": Prototyping()} {
			got, err := run(c)
			if err != nil {
				t.Fatal(err)
			}
			if t.Logf("%s, %s: %.4f, dev %.4f, penalties %v", name, preset, got.Test, got.Dev, got.Penalties); math.Abs(
				got.Test-want) > .03 {
				t.Errorf("%s, %s: accuracy %.4f, want %.4f", name, preset, got.Test, want)
			}
			c.Workers = 1
			if one, err := run(c); err != nil || one.Test != got.Test || !slices.Equal(one.Predicted, got.Predicted) {
				t.Errorf("%s, %s: %.4f with one worker, %.4f with several, error %v", name, preset, one.Test, got.Test, err)
			}
		}
	}
}

// Penalties that are trained side by side give the models that each gives alone.
func TestSideBySide(t *testing.T) {
	c := Literature()
	rows := clusters(600, 16, .7)
	tr := trainer{config: c, rows: rows, classes: 2, seed: 3, name: "x"}
	train, dev := upTo(600)[:500], upTo(600)[500:]
	all, err := tr.fit(t.Context(), train, dev, c.Penalties)
	if err != nil {
		t.Fatal(err)
	}
	for i, penalty := range c.Penalties {
		alone, err := tr.fit(t.Context(), train, dev, []float64{penalty})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone[0].first.weights, all[i].first.weights) || alone[0].Penalty != all[i].Penalty {
			t.Errorf("penalty %v has other weights alone", penalty)
		}
	}
	if slices.Equal(all[0].first.weights, all[3].first.weights) {
		t.Error("the penalty changes nothing")
	}
}

// Weights are those of a restatement in numpy from the same initial weights and orders.
func TestBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	rows := clusters(203, 6, .5)
	for i := range rows.Classes { // three classes
		if rows.Vectors[i][0] > .8 {
			rows.Classes[i] = 2
		}
	}
	for _, optimizer := range []Optimizer{adam, rmsProp} {
		for _, hidden := range []int{0, 5} {
			c := Literature()
			c.Optimizer, c.Hidden, c.Batch, c.MaxEpoch, c.EpochSize = optimizer, hidden, 32, 0, 3
			tr := trainer{config: c, rows: rows, classes: 3, seed: 5, name: "n"}
			draw := random.New(version, tr.seed, "probe weights", tr.name, 0)
			s := newStack(1, 6, 3, hidden, &draw)
			run := map[string]any{
				"x": rows.Vectors, "y": rows.Classes, "hidden": hidden, "batch": c.Batch, "penalty": .01, "optimizer": optimizer,
				"weights": matrix(s.first), "bias": s.first.bias,
			}
			if hidden > 0 {
				run["weights2"], run["bias2"] = matrix(s.second[0]), s.second[0].bias
			}
			var orders [][]int
			for pass := range c.EpochSize {
				shuffle := random.New(version, tr.seed, "probe order", tr.name, int64(pass))
				order := upTo(len(rows.Classes))
				random.Shuffle(&shuffle, order)
				orders = append(orders, order)
			}
			run["orders"] = orders
			models, err := tr.fit(t.Context(), upTo(len(rows.Classes)), []int{0}, []float64{.01})
			if err != nil {
				t.Fatal(err)
			}
			var want []json.RawMessage
			peertest.Answer(t, run, &want, python, "testdata/probe.py")
			got := []any{matrix(models[0].first), models[0].first.bias}
			if hidden > 0 {
				got = append(got, matrix(models[0].second[0]), models[0].second[0].bias)
			}
			for i := range got {
				if diff := distance(t, got[i], want[i]); diff > 2e-5 {
					t.Errorf("%s, hidden %d: list %d differs by %v", optimizer, hidden, i, diff)
				}
			}
		}
	}
}

func matrix(l layer) [][]float32 { return slices.Collect(slices.Chunk(l.weights, l.in)) }

// distance is the largest difference of two lists of numbers.
func distance(t *testing.T, a any, b json.RawMessage) (most float64) {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(text []byte) (list []float64) {
		if err := json.Unmarshal([]byte("["+strings.Trim(strings.NewReplacer("[", "", "]", "").Replace(string(text)), ",")+"]"),
			&list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	x, y := numbers(text), numbers(b)
	if len(x) != len(y) {
		t.Fatalf("%d numbers, and %d", len(x), len(y))
	}
	for i := range x {
		most = max(most, math.Abs(x[i]-y[i]))
	}
	return most
}

func TestFolds(t *testing.T) {
	classes := make([]int, 103)
	for i := range classes {
		classes[i] = min(2, i/40) // 40, 40, 23
	}
	parts, err := folds(1, "x", classes, upTo(103), 10)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for i, part := range parts {
		counts := [3]int{}
		for _, k := range part {
			counts[classes[k]]++
		}
		if counts[0] != 4 || counts[1] != 4 || counts[2] < 2 || counts[2] > 3 || !slices.IsSorted(part) {
			t.Errorf("part %d has %v of the classes", i, counts)
		}
		all = append(all, part...)
		if rest := rowsWithout(parts, i); len(rest)+len(part) != 103 ||
			slices.ContainsFunc(part, func(k int) bool { return slices.Contains(rest, k) }) {
			t.Errorf("part %d and the rest are not all", i)
		}
	}
	if slices.Sort(all); !slices.Equal(all, upTo(103)) {
		t.Error("the parts are not all rows once")
	}
	if other, _ := folds(2, "x", classes, upTo(103), 10); slices.Equal(other[0], parts[0]) {
		t.Error("another seed gives the same parts")
	}
	if _, err := folds(1, "x", []int{0, 0, 0, 1, 1}, upTo(5), 4); err == nil || !strings.Contains(err.Error(), "no class has 4 rows") {
		t.Errorf("too few rows: %v", err)
	}
}

func TestRelatedness(t *testing.T) {
	draw := random.New(1, 1, "scored", "", 0)
	scored := func(n int) (s Scored) {
		for range n {
			v := make([]float32, 4)
			for k := range v {
				v[k] = float32(normal(&draw))
			}
			s.Vectors = append(s.Vectors, v)
			s.Scores = append(s.Scores, 5*stat.Mean([]float64{1 / (1 + math.Exp(-2*float64(v[0]))), 1 / (1 + math.Exp(float64(v[1])))},
				nil))
		}
		return s
	}
	train, dev, test := scored(800), scored(200), scored(300)
	got, err := Relatedness(t.Context(), 1, train, dev, test)
	if err != nil {
		t.Fatal(err)
	}
	if r := stat.Correlation(got[0], test.Scores, nil); r < .95 {
		t.Errorf("Pearson %.4f", r)
	}
	for y, want := range map[float64][bins]float64{0: {}, .25: {.25}, 1: {1}, 2.3: {0, .7, .3}, 4.5: {0, 0, 0, .5, .5},
		5: {0, 0, 0, 0, 1}} {
		var to [bins]float64
		if target(y, &to); slices.ContainsFunc(upTo(bins), func(i int) bool { return math.Abs(to[i]-want[i]) > 1e-12 }) {
			t.Errorf("the target of %v is %v, want %v", y, to, want)
		}
	}
	test.Scores[0] = 5.5
	if _, err := Relatedness(t.Context(), 1, train, dev, test); err == nil || !strings.Contains(err.Error(), "score 5.5") {
		t.Errorf("error %v", err)
	}
}

func TestFaults(t *testing.T) {
	good := clusters(60, 3, 1)
	c := Literature()
	c.Batch, c.Folds, c.Dropout, c.Penalties, c.Optimizer = 0, 1, 1, []float64{-1}, "sgd"
	if _, err := c.Nested(t.Context(), 1, good, 2); err == nil || strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("the configuration: %v", err)
	}
	for want, change := range map[string]func(r *Rows){
		"not finite":                func(r *Rows) { r.Vectors[3] = []float32{0, float32(math.NaN()), 0} },
		"row 4 has 2 values":        func(r *Rows) { r.Vectors[4] = []float32{0, 0} },
		"row 5 is of class 9":       func(r *Rows) { r.Classes[5] = 9 },
		"60 vectors have 59":        func(r *Rows) { r.Classes = r.Classes[1:] },
		"there are no rows":         func(r *Rows) { *r = Rows{} },
		"no class has 10 rows":      func(r *Rows) { *r = r.at(upTo(10)) },
		"15 rows are too few: 0.05": func(r *Rows) { *r = r.at(upTo(15)); r.Classes = make([]int, 15) },
	} {
		r := Rows{Vectors: slices.Clone(good.Vectors), Classes: slices.Clone(good.Classes)}
		change(&r)
		c := Literature()
		c.MaxEpoch = 0
		if _, err := c.CrossValidated(t.Context(), 1, Parts{Train: r, Test: good}, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, error %v", want, err)
		}
	}
}

// A fold of MR: 8,636 rows of 768 values, four penalties.
func BenchmarkFit(b *testing.B) {
	c := Literature()
	c.MaxEpoch = 0
	rows := clusters(8636, 768, .5)
	tr := trainer{config: c, rows: rows, classes: 2, seed: 1}
	for b.Loop() {
		if _, err := tr.fit(b.Context(), upTo(8000), upTo(8636)[8000:], c.Penalties); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.EpochSize*8000), "ns/row")
}
