package search

import (
	"math"
	"strings"
	"testing"
)

// The distribution of Student's t has a closed form for three degrees of freedom; 3.182446 is its quantile of .975.
func TestPaired(t *testing.T) {
	d := Paired([]float64{3, 5, 4, 6}, []float64{1, 4, 4, 2})
	x := 1.75 / (1.707825 / 2) / math.Sqrt(3)
	p := 1 - 2/math.Pi*(math.Atan(x)+x/(1+x*x))
	for _, x := range []struct{ got, want float64 }{
		{d.Mean, 1.75}, {d.Deviation, 1.707825}, {d.Low, 1.75 - 3.182446*1.707825/2}, {d.High, 1.75 + 3.182446*1.707825/2}, {d.P, p},
	} {
		if math.Abs(x.got-x.want) > 1e-5 {
			t.Errorf("%+v: %v, want %v", d, x.got, x.want)
		}
	}
	if d := Paired([]float64{2, math.NaN()}, []float64{1, 5}); d.N != 1 || d.Mean != 1 || d.Low != 1 || d.High != 1 || d.P != 1 {
		t.Errorf("one pair: %+v", d)
	}
	if d := Paired([]float64{2, 3}, []float64{1, 2}); d.P != 0 || d.Low != 1 || d.Deviation != 0 {
		t.Errorf("equal differences: %+v", d)
	}
	if d := Paired([]float64{2, 3}, []float64{2, 3}); d.P != 1 || d.Mean != 0 {
		t.Errorf("no differences: %+v", d)
	}
	if d := Paired(nil, nil); d.N != 0 || d.P != 1 {
		t.Errorf("nothing: %+v", d)
	}
}

// cell is a trial that has come to its end.
func cell(value float64, diverged string) Trial {
	return Trial{Steps: 10, Reached: []Reached{{Until: 10, Taken: 10, Value: value, Tokens: 1000, Diverged: diverged}}}
}

func TestGrid(t *testing.T) {
	g := &Grid{Metric: "stsb/spearman", Better: 1, Equal: "steps", Amount: 10, Axes: []string{"objective", "seed"}}
	labels := [][]string{{"mlm", "1"}, {"mlm", "2"}, {"mlm", "3"}, {"br", "1"}, {"br", "2"}, {"br", "3"},
		{"bsl", "1"}, {"bsl", "2"}, {"bsl", "3"}}
	for i, value := range []float64{.40, .42, .41, .61, .62, .60, .5, 0, .5} {
		diverged := ""
		if i == 7 {
			diverged = "the loss is NaN"
		}
		g.Trials = append(g.Trials, cell(value, diverged))
	}
	g.Tabulate(labels)
	text := string(g.Page().Markdown())
	for _, want := range []string{
		"| objective | stsb/spearman | Seeds | Steps | Tokens |",
		"| mlm | 41.00 ± 1.00 | 3 | 10 | 1,000 |", "| br | **61.00 ± 1.00** | 3 |", "| bsl | 50.00 ± 0.00 (1 seed has diverged) | 2 |",
		"| br | mlm | +20.00 ± 1.00 (+17.52 to +22.48) | 0.0008 | 0.0025 | **yes** |",
		"for 3 comparisons",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	alone := &Grid{Metric: "loss", Better: -1, Equal: "tokens", Axes: []string{"data"}, Trials: []Trial{cell(2.5, ""), cell(2, "")}}
	alone.Tabulate([][]string{{"a"}, {"b"}})
	text = string(alone.Page().Markdown())
	for _, want := range []string{"| a | 2.5000 | 1 |", "| b | **2.0000** |", "| b | a | −0.5000 | 1.0000 | 1.0000 | no |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if err := alone.Page().Validate(); err != nil {
		t.Error(err)
	}
}
