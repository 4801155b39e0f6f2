package pairclassifier

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/peertest"
	"sentweave/transforms/random"
)

// simulated returns pairs of which three measures tell something, one is constant and one is often absent.
func simulated(n int) Rows {
	rows := Rows{Measures: []string{"a", "b", "constant", "absent", "tail"}}
	s := random.New(1, 1, "simulated pairs", "", 0)
	for range n {
		a, b, x := s.Float64()*10-3, s.Float64(), s.Float64()
		absent := math.NaN()
		if s.Bool(.3) {
			absent = x
		}
		tail := 1 / (1.001 - s.Float64())
		rows.Values = append(rows.Values, float32(a), float32(b), 7, float32(absent), float32(tail))
		rows.Good = append(rows.Good, s.Bool(1/(1+math.Exp(-(a-2)+3*b-2*x+tail/20))))
	}
	return rows
}

// The gradient of the loss, written down here once more, is 0 at the weights: with a penalty, a strictly convex loss has one such point.
func TestFit(t *testing.T) {
	rows := simulated(1000)
	r, err := Fit(rows, .5)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Features) != 4 || r.Features[2].Measure != "absent" {
		t.Fatalf("features %+v", r.Features)
	}
	good := 0.
	for _, g := range rows.Good {
		if g {
			good++
		}
	}
	n := float64(len(rows.Good))
	gradient := make([]float64, 5)
	for k, f := range r.Features {
		gradient[k] = f.Weight / .5
	}
	for i, g := range rows.Good {
		values := rows.row(i)
		columns := []int{0, 1, 3, 4}
		p := r.Probability(func(k int) float32 { return values[columns[k]] })
		slope := p * n / (2 * (n - good))
		if g {
			slope = (p - 1) * n / (2 * good)
		}
		for k, f := range r.Features {
			gradient[k] += slope * f.standard(float64(values[columns[k]]))
		}
		gradient[4] += slope
	}
	for k, g := range gradient {
		if math.Abs(g) > 1e-6 {
			t.Errorf("gradient %d is %g", k, g)
		}
	}
	if z := r.Features[3].standard(1e9); z != mostDeviations {
		t.Errorf("a far value counts %v deviations", z)
	}
	for i := range rows.Good {
		rows.Good[i] = true
	}
	if _, err := Fit(rows, 1); err == nil || !strings.Contains(err.Error(), "both good and bad ones are needed") {
		t.Errorf("of good pairs alone: %v", err)
	}
	if _, err := Fit(Rows{Measures: []string{"a"}, Values: []float32{1, 1}, Good: []bool{true, false}}, 1); err == nil {
		t.Error("a constant measure makes a model")
	}
}

// Weights and bias are those of scikit-learn.
func TestBesideScikit(t *testing.T) {
	python := peertest.PyTorch(t)
	rows := simulated(1000)
	r, err := Fit(rows, .5)
	if err != nil {
		t.Fatal(err)
	}
	var x [][]float64
	for i := range rows.Good {
		values := rows.row(i)
		var z []float64
		for k, column := range []int{0, 1, 3, 4} {
			z = append(z, r.Features[k].standard(float64(values[column])))
		}
		x = append(x, z)
	}
	var theirs []float64
	peertest.Answer(t, map[string]any{"x": x, "y": rows.Good}, &theirs, python, "-c", `import json, sys
from sklearn.linear_model import LogisticRegression
d = json.load(sys.stdin)
m = LogisticRegression(C=.5, class_weight="balanced", tol=1e-10, max_iter=10000).fit(d["x"], d["y"])
print(json.dumps(list(m.coef_[0]) + [m.intercept_[0]]))`)
	ours := []float64{}
	for _, f := range r.Features {
		ours = append(ours, f.Weight)
	}
	for k, w := range append(ours, r.Bias) {
		if math.Abs(w-theirs[k]) > 1e-5 {
			t.Errorf("weight %d is %v, scikit-learn's %v", k, w, theirs[k])
		}
	}
}

func TestMeasure(t *testing.T) {
	// Of 3 × 4 comparisons the good one wins 9 and draws 1.
	got := Measure([]float64{.9, .3, .8, .6}, []float64{.1, .6, .4})
	want := Measured{Precision: (2. / 3) / (2./3 + 1./4), Recall: 2. / 3, AUC: 9.5 / 12}
	if got != want {
		t.Errorf("measured %+v, want %+v", got, want)
	}
	if got := Measure(nil, []float64{.1}); got != (Measured{}) {
		t.Errorf("without good pairs: %+v", got)
	}
}

func TestModel(t *testing.T) {
	if err := new(Regression).Validate(); err == nil {
		t.Error("a regression has no features")
	}
	m := Model{PairFilter: 3, Regression: Regression{[]Feature{{"a", 1, 2, 3}}, .5}, Training: Training{Good: 4, Kinds: []string{"x"}},
		Figures: []Figure{{Kind: "x", Measured: Measured{AUC: .5}}}}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse(data, 3); err != nil || !cmp.Equal(*again, m) {
		t.Errorf("read as %+v, %v", again, err)
	}
	for reason, change := range map[string][2]string{
		"":                {"", ""},
		"its format is 7": {`"format": 1`, `"format": 7`},
		"the measures of pairfilter 4, this is 3: train it anew": {`"pairfilter": 3`, `"pairfilter": 4`},
		"a scale that is not positive":                           {`"scale": 2`, `"scale": 0`},
		"unknown field":                                          {`"bias"`, `"base"`},
		"it has no bias":                                         {`"bias": 0.5`, `"bias": null`},
		`feature "a" lacks a number`:                             {`"weight": 3`, `"weight": null`},
		`feature "a" lacks`:                                      {`"mean": 1,`, ""},
		`feature "a" is there twice`:                             {"]", `, {"measure": "a", "mean": 1, "scale": 1, "weight": 1}]`},
	} {
		_, err := Parse([]byte(strings.Replace(string(data), change[0], change[1], 1)), 3)
		if reason == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), reason) {
			t.Errorf("%v: %v, want %q", change, err, reason)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, _ := (&Model{Regression: Regression{Features: []Feature{{"a", 1, 2, 3}}}}).Encode()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Parse(data, 0); err == nil {
			if p := m.Probability(func(int) float32 { return 1 }); !(p >= 0 && p <= 1) {
				t.Errorf("probability %v", p)
			}
		}
	})
}
