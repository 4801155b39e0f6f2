package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/bootstrap"
)

// compared is how the figure of a model compares with that of the best model, over the same items.
type compared struct {
	best string
	// Difference is that of the best model less that of this one.
	bootstrap.Difference
	// corrected is the p value after the correction for all comparisons, in which those of one hypothesis
	// are one.
	corrected  float64
	hypothesis metrics.Hypothesis
}

// level is the p value below which a difference holds.
const level = .05

func (c compared) holds() bool { return c.corrected < level }

// comparisons are by figure and model. The best model itself has none.
type comparisons struct {
	by    map[cell]compared
	order []cell
	// distinct is the number of hypotheses.
	distinct int
	draws    int
	// lacking are the results of evaluate whose items are gone: their models cannot be compared.
	lacking []string
}

// compare draws the items of all figures that stand open on the page, as far as they have some.
func (e experiment) compare(ctx context.Context, items *metrics.Items, draws int) (result comparisons, err error) {
	result = comparisons{by: map[cell]compared{}, draws: draws}
	r, err := collect(e.Results, e.Models)
	if err != nil || draws == 0 || len(r.models) < 2 {
		return result, err
	}
	var keys []string
	for _, m := range r.models {
		keys = append(keys, m.Key)
	}
	for _, task := range group(r.order, func(c cell) string { return c.task }) {
		var groups []metrics.Group
		byMetric, _ := r.metrics(task)
		for _, figures := range byMetric {
			open := opened(figures)
			if metrics.ByName(figures[0].metric).Better == 0 || len(open) == 0 {
				continue
			}
			if groups == nil {
				if groups, err = items.Task(task[0].task, keys); err != nil {
					return result, err
				}
			}
			if err := result.add(ctx, r, task, open, groups); err != nil {
				return result, err
			}
		}
	}
	result.correct()
	return result, nil
}

// correct corrects the p values. A figure that is under several names is tested once.
func (tests *comparisons) correct() {
	places := map[metrics.Hypothesis]int{}
	var p []float64
	for _, key := range tests.order {
		c := tests.by[key]
		if _, ok := places[c.hypothesis]; !ok {
			places[c.hypothesis] = len(p)
			p = append(p, c.P)
		}
	}
	tests.distinct = len(p)
	corrected := bootstrap.Holm(p)
	for _, key := range tests.order {
		c := tests.by[key]
		c.corrected = corrected[places[c.hypothesis]]
		tests.by[key] = c
	}
}

// opened are the figures of a metric that are in an open table: all, or of many the aggregates.
func opened(figures []cell) []cell {
	if len(figures) <= longest {
		return figures
	}
	aggregates := slices.DeleteFunc(slices.Clone(figures), func(c cell) bool { return !metrics.IsAggregate(c.subtask) })
	if len(aggregates) > longest {
		return nil
	}
	return aggregates
}

// add compares the models of figures with the best of each.
func (tests *comparisons) add(ctx context.Context, r *results, task, figures []cell, groups []metrics.Group) error {
	row := func(key cell) schemas.Result {
		x := schemas.Result{Task: key.task, Subtask: key.subtask, Language: key.language, Metric: key.metric}
		for _, m := range r.models {
			if f, ok := r.of(m, key); ok {
				x.Settings = f.raw
			}
		}
		return x
	}
	var rows []schemas.Result
	for _, key := range task {
		rows = append(rows, row(key))
	}
	var composed []bootstrap.Figure
	var pairs [][]bootstrap.Pair
	var cells []cell // of the pairs, one after the other
	var bests []string
	var hypotheses []metrics.Hypothesis
	for _, key := range figures {
		best, ok := r.best(key, r.models)
		if !ok {
			continue
		}
		values := make([]float64, len(r.models))
		for i, m := range r.models {
			values[i] = math.NaN()
			if f, ok := r.of(m, key); ok && metrics.UndefinedOf(f.raw) == "" { // which counts as 0, and is not a figure
				values[i] = f.value
			}
		}
		c, ok := metrics.Compose(row(key), values, rows, groups)
		place := slices.Index(c.Models, best)
		if !ok || place < 0 {
			continue
		}
		var list []bootstrap.Pair
		for i, m := range c.Models {
			if i != place {
				list = append(list, bootstrap.Pair{A: place, B: i})
				key.model = r.models[m].Key
				cells, bests = append(cells, key), append(bests, r.models[best].Key)
				hypotheses = append(hypotheses, c.Hypothesis(place, i))
			}
		}
		composed, pairs = append(composed, c.Figure), append(pairs, list)
	}
	differences, err := bootstrap.Compare(ctx, composed, pairs, tests.draws)
	if err != nil {
		return err
	}
	for i, d := range slices.Concat(differences...) {
		tests.by[cells[i]] = compared{best: bests[i], Difference: d, hypothesis: hypotheses[i]}
		tests.order = append(tests.order, cells[i])
	}
	return nil
}

// best is the place of the model with the best figure, if there are several, all measured on the
// same items by a metric that has a better side.
func (r *results) best(key cell, models []Model) (best int, ok bool) {
	better := float64(metrics.ByName(key.metric).Better)
	several := 0
	var first, top figure
	for i, m := range models {
		f, ok := r.of(m, key)
		if !ok || !markup.Finite(f.value) {
			continue
		}
		if several++; several == 1 {
			first, top, best = f, f, i
		} else if better*f.value > better*top.value {
			top, best = f, i
		}
		if !sameItems(f, first) {
			return 0, false
		}
	}
	return best, several > 1 && better != 0
}

// blocks is the section that shows them.
func (tests comparisons) blocks(name func(model string) string) []markup.Block {
	var blocks []markup.Block
	if len(tests.lacking) > 0 {
		blocks = append(blocks,
			markup.Text{Body: fmt.Sprintf(
				"Models in %s are not compared: there are no items, the scores of single texts that evaluate writes beside its results.",
				strings.Join(tests.lacking, ", "))})
	}
	if len(tests.order) == 0 {
		return blocks
	}
	t := markup.Table{
		Caption: "Against the best", Sortable: true,
		Columns: []markup.Column{{Name: "Figure"}, {Name: "Best"}, {Name: "Other"}, {Name: "Difference, × 100", Number: true},
			{Name: "p", Number: true}, {Name: "p, corrected", Number: true}, {Name: "Holds"}},
	}
	for _, key := range tests.order {
		c := tests.by[key]
		what := []string{key.task}
		for _, part := range []string{key.subtask, key.language, key.metric} {
			if part != "" && part != what[len(what)-1] {
				what = append(what, part)
			}
		}
		holds := "no"
		if c.holds() {
			holds = "yes"
		}
		difference := markup.Cell{Text: markup.Signed(100*c.Value, 2), Detail: markup.Signed(100*c.Low, 2) + " to " +
			markup.Signed(100*c.High, 2)}
		t.Rows = append(t.Rows, append(markup.Cells(strings.Join(what, " "), name(c.best), name(key.model)), difference,
			markup.Cell{Text: probability(c.P)}, markup.Cell{Text: probability(c.corrected)}, markup.Cell{Text: holds, Strong: c.holds()}))
	}
	blocks = append(blocks,
		markup.Text{Body: fmt.Sprintf(
			"Each model is compared with the best of a figure over the same items, which are drawn %s times with replacement, the same ones for both. Small figures are the interval of 95 %% of the difference. A difference holds if its two-sided p value, after Holm's correction for all %s, is below 5 %%.%s",
			markup.Count(int64(tests.draws)), markup.Counted(tests.distinct, "comparison", "comparisons"), tests.repeated())})
	if len(t.Rows) > longest {
		return append(blocks, markup.Folded{Summary: fmt.Sprintf("All %d comparisons", len(t.Rows)), Blocks: []markup.Block{t}})
	}
	return append(blocks, t)
}

// repeated says that some comparisons are in the table more than once.
func (tests comparisons) repeated() string {
	if tests.distinct == len(tests.order) {
		return ""
	}
	return fmt.Sprintf(" Of the %s in the table, those that are equal by construction, such as the mean of one part and that part, count once.",
		markup.Counted(len(tests.order), "line", "lines"))
}

// probability writes a p value.
func probability(p float64) string {
	if p < 1e-4 {
		return "< 0.0001"
	}
	return markup.Number(p, 4)
}
