package metrics

import (
	"math"
	"testing"

	"sentweave/schemas"
)

// Figures that are equal by construction have one hypothesis, whatever their names are; others have
// hypotheses of their own.
func TestHypothesis(t *testing.T) {
	group := func(subtask string, texts []uint64, gold []float64, one, other []float64) Group {
		return Group{Subtask: subtask, A: texts, B: texts, Gold: gold,
			Outcomes: [][]Outcome{{{Score: one}}, {{Score: other}}, {{Score: gold}}}}
	}
	a := group("a", []uint64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, []float64{1, 2, 4, 3}, []float64{4, 2, 3, 1})
	b := group("b", []uint64{5, 6, 7, 8}, []float64{4, 3, 2, 1}, []float64{1, 3, 4, 2}, []float64{4, 1, 3, 2})
	longer := group("c", []uint64{5, 6, 7, 8, 9}, []float64{4, 3, 2, 1, 5}, []float64{1, 3, 4, 2, 5}, []float64{4, 1, 3, 2, 5})
	other := a // the same numbers of other texts
	other.A = []uint64{11, 12, 13, 14}
	classes := group("d", []uint64{1, 2, 3, 4}, nil, []float64{1, 0, 1, 1}, []float64{0, 0, 1, 0})
	classes.Outcomes[2][0].Score = []float64{1, 1, 1, 1}
	of := func(subtask, metric string, groups []Group, first, second int) Hypothesis {
		t.Helper()
		var figures []schemas.Result
		for _, g := range groups {
			figures = append(figures, schemas.Result{Subtask: g.Subtask, Metric: metric, Settings: "{}"})
		}
		row := schemas.Result{Subtask: subtask, Metric: metric, Settings: "{}"}
		for _, candidate := range candidates(row, figures, groups) { // whatever the values are
			if c := candidate.of(metric, groups, []float64{0, 0, math.NaN()}); len(c.Models) > 1 {
				return c.Hypothesis(first, second)
			}
		}
		t.Fatalf("%s %s does not follow from the items", subtask, metric)
		return Hypothesis{}
	}
	one, two, unequal := []Group{a}, []Group{a, b}, []Group{a, longer}
	part := of("a", Pearson, one, 0, 1)
	for name, h := range map[string]Hypothesis{
		"the mean of one part":           of("mean", Pearson, one, 0, 1),
		"its weighted mean":              of("wmean", Pearson, one, 0, 1),
		"all items of one part":          of("all", Pearson, one, 0, 1),
		"the models the other way round": of("a", Pearson, one, 1, 0),
		"the part beside another one":    of("a", Pearson, two, 0, 1),
	} {
		if h != part {
			t.Errorf("%s is another hypothesis than the part", name)
		}
	}
	if of("mean", Pearson, two, 0, 1) != of("wmean", Pearson, two, 0, 1) {
		t.Error("the means of parts of one size are two hypotheses")
	}
	if of("d", Accuracy, []Group{classes}, 0, 1) != of("d", ErrorRate, []Group{classes}, 0, 1) {
		t.Error("accuracy and error rate are two hypotheses")
	}
	seen := map[Hypothesis]string{part: "the part"}
	for name, h := range map[string]Hypothesis{
		"the other metric":                of("a", Spearman, one, 0, 1),
		"other texts with equal scores":   of("a", Pearson, []Group{other}, 0, 1),
		"another part":                    of("b", Pearson, two, 0, 1),
		"the mean of two parts":           of("mean", Pearson, two, 0, 1),
		"all items of two parts":          of("all", Pearson, two, 0, 1),
		"the mean of parts of two sizes":  of("mean", Pearson, unequal, 0, 1),
		"the weighted mean of such parts": of("wmean", Pearson, unequal, 0, 1),
		"another model": of(
			"a", Pearson, []Group{{Subtask: "a", A: a.A, B: a.B, Gold: a.Gold, Outcomes: [][]Outcome{a.Outcomes[0], a.Outcomes[2], nil}}},
			0, 1),
	} {
		if as := seen[h]; as != "" {
			t.Errorf("%s is taken for %s", name, as)
		}
		seen[h] = name
	}
}
