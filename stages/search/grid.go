package search

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/bootstrap"
)

// SeedAxis is the axis of a grid whose values are repetitions of the same, by which differences are paired.
const SeedAxis = "seed"

// Grid is the table of a grid: rows of settings, each with the values of its seeds.
type Grid struct {
	Version int `json:"version"`
	// Metric names the values, Better is 1 where a greater one is better, −1 where a smaller one is.
	Metric string `json:"metric"`
	Better int    `json:"better"`
	// Equal is what all cells have alike: "steps", "tokens" or "seconds", and Amount how many of them.
	Equal  string  `json:"equal"`
	Amount float64 `json:"amount"`
	// Axes name the labels of rows, Seeds the values of a row.
	Axes  []string `json:"axes"`
	Seeds []string `json:"seeds"`
	Rows  []Row    `json:"rows"`
	// Differences are those of all pairs of rows, each better row first.
	Differences []RowDifference `json:"differences"`
	// Trials are the cells, in their order.
	Trials []Trial `json:"trials"`
}

// Row is what a grid has of the same settings.
type Row struct {
	Labels []string `json:"labels"`
	// Values are those of the seeds, null for a training that has diverged. Mean and Deviation are of the others.
	Values    []*float64 `json:"values"`
	Mean      float64    `json:"mean"`
	Deviation float64    `json:"deviation"`
	// Steps and Tokens are those of one training, Tokens the mean of the seeds.
	Steps  int64 `json:"steps"`
	Tokens int64 `json:"tokens"`
}

// RowDifference is that of two rows, by their places.
type RowDifference struct {
	Row   int `json:"row"`
	Other int `json:"other"`
	Difference
	// Corrected is P after Holm's correction for all pairs. The difference holds if it is below .05.
	Corrected float64 `json:"corrected"`
}

// level is that of a difference that holds.
const level = .05

// Tabulate fills in the seeds, the rows and their differences, given the labels of the trials by axis. Axes are then those
// of the rows.
func (g *Grid) Tabulate(labels [][]string) {
	seed := slices.Index(g.Axes, SeedAxis)
	g.Rows, g.Seeds = nil, nil
	for i, list := range labels {
		name, list := "", slices.Clone(list)
		if seed >= 0 {
			name = list[seed]
			list = slices.Delete(list, seed, seed+1)
		}
		if !slices.Contains(g.Seeds, name) {
			g.Seeds = append(g.Seeds, name)
		}
		k := slices.IndexFunc(g.Rows, func(r Row) bool { return slices.Equal(r.Labels, list) })
		if k < 0 {
			k = len(g.Rows)
			g.Rows = append(g.Rows, Row{Labels: list, Steps: g.Trials[i].Steps})
		}
		g.Rows[k].add(g.Trials[i])
	}
	for k := range g.Rows {
		g.Rows[k].complete()
	}
	if seed >= 0 {
		g.Axes = slices.Delete(slices.Clone(g.Axes), seed, seed+1)
	}
	g.compare()
}

// add adds a cell.
func (r *Row) add(t Trial) {
	end, _ := t.Final()
	r.Tokens += end.Tokens
	if end.Diverged != "" {
		r.Values = append(r.Values, nil)
		return
	}
	r.Values = append(r.Values, &end.Value)
}

func (r *Row) complete() {
	r.Tokens /= int64(len(r.Values))
	r.Mean, r.Deviation = Moments(slices.DeleteFunc(r.numbers(), math.IsNaN))
}

// numbers are the values, which are not numbers where a training has diverged.
func (r *Row) numbers() (list []float64) {
	for _, v := range r.Values {
		if v == nil {
			list = append(list, math.NaN())
		} else {
			list = append(list, *v)
		}
	}
	return list
}

// compare compares all pairs of rows that have a seed together.
func (g *Grid) compare() {
	g.Differences = []RowDifference{}
	var p []float64
	for i := range g.Rows {
		for k := i + 1; k < len(g.Rows); k++ {
			d := RowDifference{Row: i, Other: k}
			if float64(g.Better)*(g.Rows[i].Mean-g.Rows[k].Mean) < 0 {
				d.Row, d.Other = k, i
			}
			d.Difference = Paired(g.Rows[d.Row].numbers(), g.Rows[d.Other].numbers())
			if d.N > 0 {
				g.Differences, p = append(g.Differences, d), append(p, d.P)
			}
		}
	}
	for i, corrected := range bootstrap.Holm(p) {
		g.Differences[i].Corrected = corrected
	}
}

// Page is the table as a page of the report's kind.
func (g *Grid) Page() markup.Report {
	values := markup.Table{Note: fmt.Sprintf(
		"Mean ± standard deviation over the seeds %s, each with the value of its best validation. All have equal %s.",
		strings.Join(g.Seeds, ", "), g.Equal)}
	for _, axis := range g.Axes {
		values.Columns = append(values.Columns, markup.Column{Name: axis})
	}
	if len(g.Axes) == 0 {
		values.Columns = []markup.Column{{Name: "training"}}
	}
	values.Columns = append(values.Columns, markup.Column{Name: g.Metric, Number: true}, markup.Column{Name: "Seeds", Number: true},
		markup.Column{Name: "Steps", Number: true}, markup.Column{Name: "Tokens", Number: true})
	best := 0
	for i, r := range g.Rows {
		if float64(g.Better)*(r.Mean-g.Rows[best].Mean) > 0 {
			best = i
		}
	}
	for i, r := range g.Rows {
		value, counted := markup.Cell{Text: markup.Absent}, slices.DeleteFunc(r.numbers(), math.IsNaN)
		if len(counted) > 0 {
			value = markup.Cell{Text: g.text(r.Mean), Strong: i == best}
		}
		if len(counted) > 1 {
			value.Text += " ± " + g.text(r.Deviation)
		}
		if n := len(r.Values) - len(counted); n > 0 {
			value.Detail = markup.Counted(n, "seed has diverged", "seeds have diverged")
		}
		labels := r.Labels
		if len(g.Axes) == 0 {
			labels = []string{"all"}
		}
		values.Rows = append(values.Rows, append(markup.Cells(labels...), value, markup.Cell{Text: markup.Count(int64(len(counted)))},
			markup.Cell{Text: markup.Count(r.Steps)}, markup.Cell{Text: markup.Count(r.Tokens)}))
	}
	page := markup.Report{Title: "Trainings compared by " + g.Metric,
		Sections: []markup.Section{{Title: "Values", Blocks: []markup.Block{values}}}}
	if len(g.Differences) > 0 {
		page.Sections = append(page.Sections, markup.Section{Title: "Differences", Blocks: []markup.Block{g.differences()}})
	}
	return page
}

// differences is their table.
func (g *Grid) differences() markup.Table {
	t := markup.Table{
		Note: fmt.Sprintf(
			"Differences are paired by seed, with the interval of 95 %% by Student's t. A difference holds if its two-sided p value, after Holm's correction for %s, is below 5 %%. A seed alone tells nothing of chance.",
			markup.Counted(len(g.Differences), "comparison", "comparisons")),
		Columns: []markup.Column{{Name: "Better"}, {Name: "Other"}, {Name: "Difference", Number: true}, {Name: "p", Number: true},
			{Name: "p, corrected", Number: true}, {Name: "Holds"}},
	}
	for _, d := range g.Differences {
		cell := markup.Cell{Text: g.signed(d.Mean)}
		if d.N > 1 {
			cell.Text += " ± " + g.text(d.Deviation)
			cell.Detail = g.signed(d.Low) + " to " + g.signed(d.High)
		}
		holds := markup.Cell{Text: "no"}
		if d.Corrected < level {
			holds = markup.Cell{Text: "yes", Strong: true}
		}
		t.Rows = append(t.Rows, append(markup.Cells(g.name(d.Row), g.name(d.Other)), cell, markup.Cell{Text: markup.Number(d.P, 4)},
			markup.Cell{Text: markup.Number(d.Corrected, 4)}, holds))
	}
	return t
}

// name is that of a row.
func (g *Grid) name(row int) string { return strings.Join(g.Rows[row].Labels, ", ") }

// scale is by how much values are shown greater, and with how many digits behind the point.
func (g *Grid) scale() (factor float64, digits int) {
	if metrics.ByName(path.Base(g.Metric)).Percent {
		return 100, 2
	}
	return 1, 4
}

func (g *Grid) text(v float64) string {
	factor, digits := g.scale()
	return markup.Number(factor*v, digits)
}

func (g *Grid) signed(v float64) string {
	factor, digits := g.scale()
	return markup.Signed(factor*v, digits)
}
