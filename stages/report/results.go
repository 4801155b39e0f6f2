package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
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
	models  []Model
	figures map[cell]figure
	order   []cell // without model; each once, in the order of the rows
	// compared are comparisons with the best by items, as far as there are some.
	compared map[cell]compared
}

// collect orders rows. Without models, all that the rows have are taken, in their
// order; else only those, and those that have no row are left out. Several rows of a
// model, such as those of several seeds, are one figure: their mean. Rows of other data or
// other settings are an error.
func collect(rows []schemas.Result, models []Model) (*results, error) {
	r := &results{figures: map[cell]figure{}}
	var errs fault.List
	present, listed := map[string]bool{}, map[cell]bool{}
	groups := map[cell][]schemas.Result{}
	for _, row := range rows {
		if !present[row.Model] {
			present[row.Model] = true
			if models == nil {
				r.models = append(r.models, Model{Key: row.Model})
			}
		}
		key := cell{row.Model, row.Task, row.Subtask, row.Language, row.Metric}
		groups[key] = append(groups[key], row)
		if differs := difference(groups[key][0], row); differs != "" {
			errs.Addf("model %q has two results for %s of %s %s %s, which differ in %s: evaluate one of them under another name, as NAME=MODEL",
				row.Model, row.Metric, row.Task, row.Subtask, row.Language, differs)
		}
		key.model = ""
		if !listed[key] {
			listed[key] = true
			r.order = append(r.order, key)
		}
	}
	for key, list := range groups {
		r.figures[key] = figureOf(list...)
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

// rowKey tells rows apart by their values and by the hashes of the model behind them, which are
// among the inputs of the results. A row that is read twice has the same key. Encoders of two
// seeds that agree in a figure have not.
func rowKey(r schemas.Result, inputs []dataset.Input) string {
	seed := int64(-1)
	if r.Seed != nil {
		seed = *r.Seed
	}
	key := fmt.Sprintf("%q %v %d %d", []string{r.Model, r.Task, r.Subtask, r.Language, r.Metric, r.Settings, r.DataXXH3}, r.Value, r.N,
		seed)
	for _, input := range inputs {
		_, name, ok := strings.Cut(input.Role, " ")
		if ok && strings.HasPrefix(r.Model+"+", name+"+") { // what was done to the vectors follows the name
			key += " " + input.Role + " " + input.XXH3
		}
	}
	return key
}

// difference names what forbids that two rows are one figure: other data, or another
// setting. Settings that are words are choices; those that are numbers are often findings,
// such as the ends of an interval.
func difference(a, b schemas.Result) string {
	if a.DataXXH3 != b.DataXXH3 {
		return "their data"
	}
	if a.Settings == b.Settings {
		return ""
	}
	first, second := choices(a.Settings), choices(b.Settings)
	for _, key := range slices.Sorted(maps.Keys(first)) {
		if first[key] != second[key] {
			return "the setting " + key
		}
		delete(second, key)
	}
	for _, key := range slices.Sorted(maps.Keys(second)) {
		return "the setting " + key
	}
	return ""
}

// choices are the settings that are words. Settings of another shape have none.
func choices(settings string) map[string]string {
	var fields map[string]any
	if err := jsonfile.Unmarshal([]byte(settings), &fields); err != nil {
		return nil
	}
	words := map[string]string{}
	for key, v := range fields {
		if word, ok := v.(string); ok {
			words[key] = word
		}
	}
	return words
}

// of returns the figure of a model.
func (r *results) of(m Model, key cell) (figure, bool) {
	key.model = m.Key
	f, ok := r.figures[key]
	return f, ok
}

// figure is a value with its interval or its deviation, NaN where there is none.
type figure struct {
	value, low, high float64
	// deviation is that of a sample over what over says.
	deviation float64
	over      string
	n         int64
	data      string
	settings  resultSettings
	// raw are the settings as they are in the row.
	raw string
}

// resultSettings is what evaluate says beside a figure, as far as reports use it.
type resultSettings struct {
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Chance     *float64 `json:"chance"`
	Paragraphs *int64   `json:"paragraphs"`
	Directions *int64   `json:"directions"`
	// Spread says what the spread of the row is; without it, it is half of an interval.
	Spread string `json:"spread"`
	// Split is the part of a test set.
	Split string `json:"split"`
	// Contaminated counts the items that were left out, and LeftOut is a hash of their places.
	Contaminated *int64 `json:"contaminated"`
	LeftOut      string `json:"left_out"`
	// Vectors says what was done to the vectors before they were compared.
	Vectors string `json:"vectors"`
	// Languages are those of a mean over languages, their number or their codes between spaces.
	Languages any `json:"languages"`
	// Probe, Gold and Fitted are how a classifier was trained, what the gold is and which texts decided
	// what was done to the vectors.
	Probe  string `json:"probe"`
	Gold   string `json:"gold"`
	Fitted string `json:"fitted"`
}

// sameProtocol says whether figures were measured in the same way, as far as both tell.
func (s resultSettings) sameProtocol(o resultSettings) bool {
	for _, pair := range [][2]string{{s.Probe, o.Probe}, {s.Gold, o.Gold}, {s.Split, o.Split}, {s.Fitted, o.Fitted}} {
		if pair[0] != "" && pair[1] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// languages is the number of languages of a mean over languages, 0 where the result does not say it.
func (s resultSettings) languages() int {
	switch l := s.Languages.(type) {
	case float64:
		return int(l)
	case string:
		return len(strings.Fields(l))
	}
	return 0
}

// figureOf takes the ends of the interval from the settings, which keep them when
// they are not equally far from the value; else the spread makes them. Of several rows
// it gives the mean and the deviation.
func figureOf(rows ...schemas.Result) figure {
	row := rows[0]
	f := figure{value: row.Value, low: math.NaN(), high: math.NaN(), deviation: math.NaN(), n: row.N, data: row.DataXXH3, raw: row.Settings}
	// Settings of another shape say nothing of what is wanted here.
	if err := jsonfile.Unmarshal([]byte(row.Settings), &f.settings); err != nil {
		f.settings = resultSettings{}
	}
	switch scope, isDeviation := strings.CutPrefix(f.settings.Spread, "deviation over "); {
	case len(rows) > 1:
		f.value = 0
		for _, r := range rows {
			f.value += r.Value / float64(len(rows))
		}
		squares := 0.0
		for _, r := range rows {
			squares += (r.Value - f.value) * (r.Value - f.value)
		}
		f.deviation, f.over = math.Sqrt(squares/float64(len(rows)-1)), fmt.Sprintf("%d results", len(rows))
	case f.settings.Low != nil && f.settings.High != nil:
		f.low, f.high = *f.settings.Low, *f.settings.High
	case row.Spread != nil && isDeviation:
		f.deviation, f.over = *row.Spread, scope
	case row.Spread != nil:
		f.low, f.high = row.Value-*row.Spread, row.Value+*row.Spread
	}
	return f
}

// sameItems says whether figures are of the same items: of the same data, as many, and without the
// same ones; and measured in the same way.
func sameItems(a, b figure) bool {
	return a.data == b.data && a.n == b.n && a.settings.LeftOut == b.settings.LeftOut && a.settings.sameProtocol(b.settings)
}

// mean names the mean of a metric over the directions or languages of retrieval.
func mean(metric string) cell {
	return cell{task: metrics.RetrievalTask, subtask: metrics.SubtaskMean, metric: metric}
}

// shareCell shows a share in percent with its interval.
func (f figure) shareCell() markup.Cell {
	return markup.Cell{Text: markup.Percent(f.value), Detail: markup.Interval(f.low, f.high)}
}

// columns gives a column of numbers for each model after the first columns.
func (r *results) columns(first ...markup.Column) []markup.Column {
	for _, m := range r.models {
		first = append(first, markup.Column{Name: m.name(), Number: true})
	}
	return first
}

// shares are the cells of a row of all models, in percent and without intervals, after the
// first one.
func (r *results) shares(first markup.Cell, key cell) []markup.Cell {
	row := append([]markup.Cell{first}, r.pivot(key, r.models, &told{})...)
	for i := range row[1:] {
		c := &row[i+1]
		if f, ok := r.of(r.models[i], key); ok {
			c.Text, c.Detail = markup.Percent(f.value), ""
		}
	}
	return row
}
