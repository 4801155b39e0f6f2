package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/evaluate"
)

// Model is one that is compared.
type Model struct {
	// Key is the model of its result rows.
	Key string
	// Name is shown; empty shows the key.
	Name string
	// Baseline draws it in grey.
	Baseline bool
}

func (m Model) name() string {
	if m.Name == "" {
		return m.Key
	}
	return m.Name
}

// cell names a figure.
type cell struct{ model, task, subtask, language, metric string }

// results are rows by what they measure.
type results struct {
	models []Model
	rows   map[cell]schemas.Result
	order  []cell // without model; each once, in the order of the rows
}

// collect orders rows. Without models, all that the rows have are taken, in their
// order; else only those, and those that have no row are left out. A figure that
// stands twice is an error: which one should count is not known.
func collect(rows []schemas.Result, models []Model) (*results, error) {
	r := &results{rows: map[cell]schemas.Result{}}
	var errs fault.List
	present, seen := map[string]bool{}, map[cell]bool{}
	for _, row := range rows {
		if !present[row.Model] {
			present[row.Model] = true
			if models == nil {
				r.models = append(r.models, Model{Key: row.Model})
			}
		}
		at := cell{row.Model, row.Task, row.Subtask, row.Language, row.Metric}
		if _, twice := r.rows[at]; twice {
			errs.Addf("model %q has two results for %s of %s %s %s", row.Model, row.Metric, row.Task, row.Subtask, row.Language)
		}
		r.rows[at] = row
		at.model = ""
		if !seen[at] {
			seen[at] = true
			r.order = append(r.order, at)
		}
	}
	for _, m := range models {
		if slices.ContainsFunc(r.models, func(o Model) bool { return o.Key == m.Key }) {
			errs.Addf("model %q is listed twice", m.Key)
		} else if present[m.Key] {
			r.models = append(r.models, m)
		}
	}
	return r, errs.Err()
}

// of returns the figure of a model.
func (r *results) of(m Model, at cell) (figure, bool) {
	at.model = m.Key
	row, ok := r.rows[at]
	return figureOf(row), ok
}

// figure is a value with its interval, NaN where there is none.
type figure struct {
	value, low, high float64
	n                int64
	settings         resultSettings
}

// resultSettings is what evaluate says beside a figure, as far as reports use it.
type resultSettings struct {
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Chance     *float64 `json:"chance"`
	Paragraphs *int64   `json:"paragraphs"`
	Directions *int64   `json:"directions"`
}

// figureOf takes the ends of the interval from the settings, which keep them when
// they are not equally far from the value; else the spread makes them.
func figureOf(row schemas.Result) figure {
	f := figure{value: row.Value, low: math.NaN(), high: math.NaN(), n: row.N}
	// Settings of another shape say nothing of what is wanted here.
	if err := json.Unmarshal([]byte(row.Settings), &f.settings); err != nil {
		f.settings = resultSettings{}
	}
	switch {
	case f.settings.Low != nil && f.settings.High != nil:
		f.low, f.high = *f.settings.Low, *f.settings.High
	case row.Spread != nil:
		f.low, f.high = row.Value-*row.Spread, row.Value+*row.Spread
	}
	return f
}

// mean names the mean of a metric over the directions or languages of retrieval.
func mean(metric string) cell {
	return cell{task: evaluate.RetrievalTask, subtask: evaluate.SubtaskMean, metric: metric}
}

// shareCell shows a share in percent with its interval.
func (f figure) shareCell() Cell {
	return Cell{Text: percent(f.value), Detail: interval(f.low, f.high)}
}

// columns gives a column of numbers for each model after the first columns.
func (r *results) columns(first ...Column) []Column {
	for _, m := range r.models {
		first = append(first, Column{m.name(), true})
	}
	return first
}

// pivot adds a row of cells, one for each model. The greatest value is set strong
// if there are several models.
func (r *results) pivot(first []Cell, at cell, show func(figure) Cell) []Cell {
	best, count := math.Inf(-1), 0
	for _, m := range r.models {
		if f, ok := r.of(m, at); ok && finite(f.value) {
			best, count = max(best, f.value), count+1
		}
	}
	for _, m := range r.models {
		c := Cell{Text: absent}
		if f, ok := r.of(m, at); ok {
			c = show(f)
			c.Strong = count > 1 && f.value == best
		}
		first = append(first, c)
	}
	return first
}

// resultTable shows any results: a row for each figure, in the order of the rows,
// and a column for each model. Values stand in their natural unit.
func resultTable(caption string, rows []schemas.Result, models []Model) (Table, error) {
	r, err := collect(rows, models)
	if err != nil {
		return Table{}, fmt.Errorf("table %q: %w", caption, err)
	}
	t := Table{Caption: caption, Columns: r.columns(Column{Name: "Task"}, Column{Name: "Part"}, Column{Name: "Language"}, Column{Name: "Measure"}, Column{"n", true})}
	for _, at := range r.order {
		t.Rows = append(t.Rows, r.pivot(append(cells(at.task, at.subtask, at.language, at.metric), r.count(at)), at, func(f figure) Cell {
			return Cell{Text: number(f.value, 4)}
		}))
	}
	return t, nil
}

// count shows over how many items a figure is taken: least and most where models
// differ.
func (r *results) count(at cell) Cell {
	least, most := int64(math.MaxInt64), int64(-1)
	for _, m := range r.models {
		if f, ok := r.of(m, at); ok {
			least, most = min(least, f.n), max(most, f.n)
		}
	}
	switch {
	case most < 0:
		return Cell{Text: absent}
	case least < most:
		return Cell{Text: number(float64(least), 0) + " to " + number(float64(most), 0)}
	default:
		return Cell{Text: number(float64(most), 0)}
	}
}
