package metrics

import (
	"math"
	"slices"
	"testing"

	"sentweave/schemas"
)

// The parts of an aggregate are found by their names, and a figure that is defined in another way
// than its items tell is not taken for theirs. By hand.
func TestCompose(t *testing.T) {
	row := func(subtask, metric string, value float64) schemas.Result {
		return schemas.Result{Subtask: subtask, Metric: metric, Value: value, Settings: "{}"}
	}
	one := func(subtask string, score, gold []float64, more ...[]float64) Group {
		g := Group{Subtask: subtask, A: make([]uint64, len(score)), Gold: gold, Outcomes: [][]Outcome{{{Score: score}}, nil}}
		for _, s := range more {
			g.Outcomes[1] = append(g.Outcomes[1], Outcome{Score: s})
		}
		return g
	}
	groups := []Group{one("a", []float64{1, 2, 3}, []float64{1, 2, 3}, []float64{3, 2, 1}),
		one("b", []float64{1, 2}, []float64{2, 1}, []float64{1, 2}), one("c", []float64{1}, nil)}
	figures := []schemas.Result{row("a", Pearson, 1), row("b", Pearson, -1), row("c", Accuracy, 1)}
	for _, test := range []struct {
		name   string
		row    schemas.Result
		values []float64
		models []int
		want   []float64
	}{
		{"a part", row("a", Pearson, 1), []float64{1, -1}, []int{0, 1}, []float64{1, -1}},
		{"a model without the figure", row("a", Pearson, 1), []float64{math.NaN(), -1}, []int{1}, []float64{-1}},
		{"a model that measures otherwise", row("a", Pearson, 1), []float64{1, .5}, []int{0}, []float64{1}},
		{"the mean", row("mean", Pearson, 0), []float64{0, -1}, []int{0, 1}, []float64{0, -1}},
		{"weighted", row("wmean", Pearson, .2), []float64{.2, -1}, []int{0, 1}, []float64{.2, -1}},
		{"no such metric of it", row("c", Pearson, 1), []float64{1, math.NaN()}, nil, nil},
		{"another metric", row("c", "precision", 1), []float64{1, math.NaN()}, nil, nil},
		{"a mean that is not one", row("mean", Pearson, 0), []float64{.3, .3}, nil, nil},
	} {
		c, ok := Compose(test.row, test.values, figures, groups)
		got, _ := c.Values(nil)
		if ok != (test.models != nil) || !slices.Equal(c.Models, test.models) ||
			!slices.EqualFunc(got, test.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: %t, models %v, %v; want models %v, %v", test.name, ok, c.Models, got, test.models, test.want)
		}
	}
	c, ok := Compose(row("all", Pearson, 0), []float64{allPearson, math.NaN()}, figures, groups)
	if !ok {
		t.Fatal("items of two parts together")
	}
	if g, at := c.At(0, 4); g != 1 || at != 1 {
		t.Errorf("the last of five items is %d of group %d", at, g)
	}
}

// allPearson is the correlation of 1 2 3 1 2 and 1 2 3 2 1: deviations -.8 .2 1.2 -.8 .2 of both, the
// last two exchanged.
const allPearson = (.64 + .04 + 1.44 - .16 - .16) / (.64 + .04 + 1.44 + .64 + .04)
