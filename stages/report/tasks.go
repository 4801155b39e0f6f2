package report

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// longest is the number of rows above which a table is folded.
const longest = 25

// taskSections shows any results: an overview of models and tasks, and a section for each
// task, with a table for each of its metrics. Nothing here knows a task or a model.
func taskSections(rows []schemas.Result, models []Model, tests comparisons) (overview []markup.Block, sections []markup.Section,
	err error) {
	r, err := collect(rows, models)
	if err != nil {
		return nil, nil, fmt.Errorf("results: %w", err)
	}
	r.compared = tests.by
	languages := languagesOf(r.order)
	byTask := group(r.order, func(c cell) string { return c.task })
	if t := r.overview(byTask); len(byTask) > 1 && len(t.Rows) > 0 && len(t.Columns) > 1 {
		overview = append(overview, t)
	}
	for _, task := range byTask {
		s := markup.Section{Title: task[0].task}
		metrics, repeated := r.metrics(task)
		for _, figures := range metrics {
			s.Blocks = append(s.Blocks, r.figureTables(figures, languages)...)
			s.Blocks = append(s.Blocks, r.heatMaps(figures, languages)...)
		}
		if len(repeated) > 0 {
			s.Blocks = append(s.Blocks, markup.Text{Body: strings.Join(repeated, " ")})
		}
		sections = append(sections, s)
	}
	published, err := r.besidePublished()
	if err != nil {
		return nil, nil, err
	}
	if len(published) > 0 {
		sections = append(sections, markup.Section{Title: "Beside published figures", Blocks: published})
	}
	return overview, sections, nil
}

// group parts a list by a key, in the order in which the keys occur first.
func group(list []cell, key func(cell) string) (groups [][]cell) {
	places := map[string]int{}
	for _, c := range list {
		i, ok := places[key(c)]
		if !ok {
			i = len(groups)
			places[key(c)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// languagesOf are the codes in the column of languages, where two stand with a hyphen
// between them.
func languagesOf(order []cell) map[string]bool {
	languages := map[string]bool{}
	for _, key := range order {
		for code := range strings.SplitSeq(key.language, "-") {
			languages[code] = code != ""
		}
	}
	return languages
}

// codes are the languages of a figure: those of its column, and those that its part names.
func (c cell) codes(languages map[string]bool) string {
	var list []string
	for _, code := range append(strings.Split(c.language, "-"), c.parts()...) {
		if languages[code] && !slices.Contains(list, code) {
			list = append(list, code)
		}
	}
	return strings.Join(list, " ")
}

// parts are those of the name of what was measured.
func (c cell) parts() []string {
	return strings.FieldsFunc(c.subtask, func(r rune) bool { return r == '-' || r == '/' })
}

// tells says that the name of what was measured has all languages.
func (c cell) tells() bool {
	parts := c.parts()
	return c.language == "" || !slices.ContainsFunc(strings.Split(c.language, "-"),
		func(code string) bool { return !slices.Contains(parts, code) })
}

// headlines are the figures of a task that stand for the whole of it: those of its first
// metric that has some and a better side, or of its first one that has some, over all languages
// where there are such, and one of each test set. The only part of a task stands for the whole, too.
func headlines(task []cell) (list []cell) {
	alone := len(group(task, func(c cell) string { return c.subtask + " " + c.language })) == 1
	for _, figures := range group(task, func(c cell) string { return c.metric }) {
		judged := metrics.ByName(figures[0].metric).Better != 0
		aggregates := slices.DeleteFunc(slices.Clone(figures), func(c cell) bool {
			return !alone && !metrics.IsAggregate(c.subtask) && c.metric != metrics.Mean
		})
		if len(aggregates) > 0 && (judged || len(list) == 0) {
			list = aggregates
		}
		if len(aggregates) > 0 && judged {
			break
		}
	}
	if overall := slices.DeleteFunc(slices.Clone(list), func(c cell) bool { return c.language != "" }); len(overall) > 0 {
		list = overall
	}
	var chosen []cell
	for _, set := range group(list, func(c cell) string { return path.Dir(c.subtask) + " " + c.language }) {
		best := set[len(set)-1]
		for _, name := range []string{metrics.SubtaskMean, metrics.SubtaskAll} {
			if i := slices.IndexFunc(set, func(c cell) bool { return path.Base(c.subtask) == name }); i >= 0 {
				best = set[i]
			}
		}
		chosen = append(chosen, best)
	}
	return chosen[:min(len(chosen), mostHeadlines)]
}

// mostHeadlines is the number of columns that a task has in the overview.
const mostHeadlines = 4

// overview is the table of models and tasks, as papers have it: a row for each model, or for each
// figure of a task where these are more, so that the table is not wider than it must be.
func (r *results) overview(byTask [][]cell) markup.Table {
	t := markup.Table{Caption: "Models and tasks", Columns: []markup.Column{{Name: "Task"}}, Sortable: true}
	for _, m := range r.models {
		t.Columns = append(t.Columns, markup.Column{Name: m.name(), Number: true})
	}
	var told told
	for _, task := range byTask {
		for _, key := range headlines(task) {
			name := markup.Cell{Text: strings.TrimSpace(key.task + " " + key.subtask), Detail: key.metric}
			t.Rows = append(t.Rows, append([]markup.Cell{name}, r.pivot(key, r.models, &told)...))
		}
	}
	t.Note = told.note()
	if len(t.Rows) > len(r.models) {
		return t
	}
	models := t
	models.Columns, models.Rows = []markup.Column{{Name: "Model"}}, nil
	for i, m := range r.models {
		models.Rows = append(models.Rows, markup.Cells(m.name()))
		for _, figure := range t.Rows {
			models.Rows[i] = append(models.Rows[i], figure[i+1])
		}
	}
	for _, figure := range t.Rows {
		models.Columns = append(models.Columns, markup.Column{Name: figure[0].Text + " " + figure[0].Detail, Number: true})
	}
	return models
}

// figureTables shows the figures of a task by one metric: a row for each part and language,
// which has no column of its own where parts name it, and a column for each model. Of many rows the aggregates stand
// open, the others folded.
func (r *results) figureTables(figures []cell, languages map[string]bool) []markup.Block {
	models := slices.DeleteFunc(slices.Clone(r.models), func(m Model) bool {
		return !slices.ContainsFunc(figures, func(c cell) bool { _, ok := r.of(m, c); return ok })
	})
	caption := figures[0].metric
	if metrics.ByName(caption).Percent {
		caption += ", × 100"
	}
	table := func(list []cell) markup.Table {
		columns := []markup.Column{{Name: "Part"}}
		explicit := !slices.ContainsFunc(list, func(c cell) bool { return !c.tells() })
		if !explicit {
			columns = append(columns, markup.Column{Name: "Language"})
		}
		t := markup.Table{Caption: caption, Columns: append(columns, markup.Column{Name: "n", Number: true}), Languages: []string{}}
		for _, m := range models {
			t.Columns = append(t.Columns, markup.Column{Name: m.name(), Number: true})
		}
		var told told
		for _, key := range list {
			first := []markup.Cell{{Text: key.subtask, Strong: metrics.IsAggregate(key.subtask)}}
			if key.subtask == "" {
				first[0].Text = key.task
			}
			if !explicit {
				first = append(first, markup.Cell{Text: key.language})
			}
			t.Rows = append(t.Rows, append(append(first, r.count(key)), r.pivot(key, models, &told)...))
			t.Languages = append(t.Languages, key.codes(languages))
		}
		t.Note = told.note()
		return t
	}
	if len(figures) <= longest {
		return []markup.Block{table(figures)}
	}
	aggregates := slices.DeleteFunc(slices.Clone(figures), func(c cell) bool { return !metrics.IsAggregate(c.subtask) })
	block := markup.Folded{Summary: fmt.Sprintf("All %d figures of %s", len(figures), figures[0].metric),
		Blocks: []markup.Block{table(figures)}}
	if len(aggregates) == 0 || len(aggregates) > longest {
		return []markup.Block{block}
	}
	return []markup.Block{table(aggregates), block}
}

// told collects which marks a table has, for its note.
type told struct{ best, drawn, overlap, interval, deviation, treated, contaminated, undefined, otherData bool }

func (t told) note() string {
	var note []string
	for _, part := range []struct {
		is   bool
		says string
	}{
		{t.best, "The best of a row, or of a column of tasks, is bold."},
		{t.interval, "Small figures from … to … are intervals of 95 %."},
		{t.drawn, "≈ marks a figure that may not differ from the best, by their items: see which differences hold."},
		{t.overlap && t.drawn, "Where there are no items, it marks an interval that overlaps with that of the best."},
		{t.overlap && !t.drawn, "≈ marks a figure whose interval overlaps with that of the best: the two may not differ."},
		{t.deviation, "± is the standard deviation over what it names."},
		{t.treated, "A figure “against raw” is the difference to the same model with its vectors as they are."},
		{t.contaminated, "Small figures after “without” count the items that were left out, because a text of theirs is in the training of the model."},
		{t.undefined, "“undefined” marks correlations with similarities that are all equal, each of which counts as 0."},
		{t.otherData, "≠ marks figures that were measured on other data than the first model's, on other items of it or by other classifiers: they do not compare, and none is marked as the best."},
	} {
		if part.is {
			note = append(note, part.says)
		}
	}
	return strings.Join(note, " ")
}

// pivot shows a figure of each model, with its interval or deviation. The best value is set
// strong if there are several models and the metric has a better side.
func (r *results) pivot(key cell, models []Model, told *told) []markup.Cell {
	metric := metrics.ByName(key.metric)
	place, marked := r.best(key, models)
	var best figure
	if marked {
		best, _ = r.of(models[place], key)
	}
	var first *figure
	for _, m := range models {
		if f, ok := r.of(m, key); ok && markup.Finite(f.value) {
			first = &f
			break
		}
	}
	row := make([]markup.Cell, len(models))
	for i, m := range models {
		f, ok := r.of(m, key)
		if !ok {
			row[i].Text = markup.Absent
			continue
		}
		c := markup.Cell{Text: f.text(metric.Percent), Strong: marked && f.value == best.value}
		details := []string{f.detail(metric.Percent)}
		if untreated, ok := r.untreated(m, key, f); ok {
			told.treated = true
			details = append(details, signedText(f.value-untreated.value, metric.Percent)+" against raw")
		}
		drawn, ok := r.compared[cell{m.Key, key.task, key.subtask, key.language, key.metric}]
		switch {
		case !marked || c.Strong:
		case ok && drawn.holds():
		case ok:
			told.drawn = true
			details = append(details, "≈")
		case f.low <= best.high && best.low <= f.high:
			told.overlap = true
			details = append(details, "≈")
		}
		if contaminated := f.settings.Contaminated; contaminated != nil {
			told.contaminated = true
			details = append(details, "without "+markup.Count(*contaminated))
		}
		if undefined := metrics.UndefinedOf(f.raw); undefined != "" {
			told.undefined = true
			details = append(details, undefined)
		}
		if first != nil && !sameItems(f, *first) {
			told.otherData = true
			details = append(details, "≠")
		}
		c.Detail = strings.Join(slices.DeleteFunc(details, func(s string) bool { return s == "" }), " ")
		told.best = told.best || c.Strong
		told.interval = told.interval || markup.Finite(f.low) && markup.Finite(f.high)
		told.deviation = told.deviation || markup.Finite(f.deviation)
		row[i] = c
	}
	return row
}

// untreated returns the figure of the same model with its vectors as they are.
// Evaluations name a model whose vectors were treated after the model, with a plus sign.
func (r *results) untreated(m Model, key cell, f figure) (figure, bool) {
	i := strings.LastIndex(m.Key, "+")
	if i < 0 || f.settings.Vectors == "" {
		return figure{}, false
	}
	raw, ok := r.of(Model{Key: m.Key[:i]}, key)
	return raw, ok && sameItems(raw, f) && raw.settings.Vectors == ""
}

// text writes the value: a hundred times as great with two digits, or as it is with four.
func (f figure) text(percent bool) string {
	if percent {
		return markup.Number(100*f.value, 2)
	}
	return markup.Number(f.value, 4)
}

func signedText(v float64, percent bool) string {
	if percent {
		return markup.Signed(100*v, 2)
	}
	return markup.Signed(v, 4)
}

// detail writes the interval, or the deviation and over what it is.
func (f figure) detail(percent bool) string {
	show := func(v float64) string {
		if percent {
			return markup.Number(100*v, 1)
		}
		return markup.Number(v, 4)
	}
	switch {
	case markup.Finite(f.low) && markup.Finite(f.high):
		return show(f.low) + " to " + show(f.high)
	case markup.Finite(f.deviation):
		return "± " + show(f.deviation) + " over " + f.over
	}
	return ""
}

// count shows over how many items a figure is taken: least and most where models
// differ.
func (r *results) count(key cell) markup.Cell {
	minimum, maximum := int64(math.MaxInt64), int64(-1)
	for _, m := range r.models {
		if f, ok := r.of(m, key); ok {
			minimum, maximum = min(minimum, f.n), max(maximum, f.n)
		}
	}
	switch {
	case maximum < 0:
		return markup.Cell{Text: markup.Absent}
	case minimum < maximum:
		return markup.Cell{Text: markup.Number(float64(minimum), 0) + " to " + markup.Number(float64(maximum), 0)}
	default:
		return markup.Cell{Text: markup.Number(float64(maximum), 0)}
	}
}
