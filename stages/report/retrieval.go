package report

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// Retrieval holds the results of the task retrieval, by model.
type Retrieval struct{ results *results }

// newRetrieval takes the rows of the task retrieval out of rows. Models chooses
// and orders them; nil takes all in the order of the rows. Models without rows are
// left out. A figure that occurs twice for a model is an error.
func newRetrieval(rows []schemas.Result, models []Model) (Retrieval, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r schemas.Result) bool { return r.Task != metrics.RetrievalTask })
	r, err := collect(rows, models)
	if err != nil {
		return Retrieval{}, fmt.Errorf("results of retrieval: %w", err)
	}
	return Retrieval{r}, nil
}

// directions lists the directions in the order of the rows.
func (r Retrieval) directions(metric string) []cell {
	var list []cell
	for _, key := range r.results.order {
		if key.metric == metric && key.subtask != metrics.SubtaskMean {
			list = append(list, key)
		}
	}
	return list
}

// bars shows a mean of each model that has one.
func (r Retrieval) bars(metric string) markup.Bars {
	var b markup.Bars
	b.Axis = markup.Axis{Percent: true, Max: 1}
	for _, m := range r.results.models {
		if f, ok := r.results.of(m, mean(metric)); ok {
			b.Bars = append(b.Bars, markup.Bar{Name: m.name(), Value: f.value, Low: f.low, High: f.high, Muted: m.Baseline})
		}
	}
	return b
}

// accuracyBars shows the mean accuracy over all directions with its 95 % interval.
func (r Retrieval) accuracyBars() markup.Bars {
	b := r.bars(metrics.Accuracy)
	directions, paragraphs := r.extent()
	b.Title = "Texts whose translation is nearest"
	b.Axis.Label = "accuracy, mean over the directions"
	if directions > 0 && paragraphs > 0 {
		b.Axis.Label = fmt.Sprintf("accuracy, mean over %d directions of %s texts", directions, markup.Number(float64(paragraphs), 0))
	}
	b.Note = "Whiskers are 95 % intervals over texts: the directions of one text are not independent."
	return b
}

// sameLanguageBars shows the share of texts whose nearest neighbour in the pool of
// all languages has the same language, and what chance would give.
func (r Retrieval) sameLanguageBars() markup.Bars {
	b := r.bars(metrics.SameLanguage)
	b.Title = "Nearest neighbours of the same language, in the pool of all languages"
	b.Axis.Label = "share of texts"
	b.Note = "Lower is better: the nearest neighbour should be a translation, whatever its language. Whiskers are 95 % intervals over texts."
	for _, m := range r.results.models {
		if f, ok := r.results.of(m, mean(metrics.SameLanguage)); ok && f.settings.Chance != nil {
			b.Levels = []markup.Level{{Name: "if language told nothing", Value: *f.settings.Chance}}
			break
		}
	}
	return b
}

// extent returns the number of directions and that of paragraphs in each; 0 where
// the rows do not tell.
func (r Retrieval) extent() (directions, paragraphs int64) {
	list := r.directions(metrics.Accuracy)
	for _, m := range r.results.models {
		f, ok := r.results.of(m, mean(metrics.Accuracy))
		if !ok {
			continue
		}
		if s := f.settings; s.Directions != nil && s.Paragraphs != nil {
			return *s.Directions, *s.Paragraphs
		}
		for _, key := range list {
			if direction, ok := r.results.of(m, key); ok {
				return int64(len(list)), direction.n
			}
		}
	}
	return int64(len(list)), 0
}

// table shows the means of each model: accuracy by position and by text, and the
// share of neighbours of the same language.
func (r Retrieval) table() markup.Table {
	t := markup.Table{
		Caption: "Means over all directions, in percent, with 95 % intervals",
		Columns: []markup.Column{{Name: "Model"}, {Name: "Accuracy", Number: true}, {Name: "Equal text counts", Number: true},
			{Name: "Same language nearest", Number: true}},
		Note: "“Equal text counts” takes any text with exactly the right text for right. Equally near candidates: the first counts.",
	}
	for _, m := range r.results.models {
		row := markup.Cells(m.name())
		for _, metric := range []string{metrics.Accuracy, metrics.TextAccuracy, metrics.SameLanguage} {
			c := markup.Cell{Text: markup.Absent}
			if f, ok := r.results.of(m, mean(metric)); ok {
				c = f.shareCell()
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// directionTable shows the accuracy of each direction, and the mean.
func (r Retrieval) directionTable() markup.Table {
	t := markup.Table{
		Caption: "Accuracy by direction, in percent",
		Columns: r.results.columns(markup.Column{Name: "From → to"}),
	}
	for _, key := range r.directions(metrics.Accuracy) {
		t.Rows = append(t.Rows, r.results.shares(markup.Cell{Text: strings.Replace(key.subtask, "-", "\u00a0→\u00a0", 1)}, key))
	}
	if len(t.Rows) > 0 {
		t.Rows = append(t.Rows, r.results.shares(markup.Cell{Text: "mean", Strong: true}, mean(metrics.Accuracy)))
	}
	t.Note = "The best of each row is bold."
	if width := r.directionWidth(); width > 0 {
		t.Note += fmt.Sprintf(" The 95 %% interval of one direction reaches up to %s points to either side.", markup.Number(100*width, 1))
	}
	return t
}

// directionWidth returns the greatest distance of an end of an interval from its
// value, over all directions and models.
func (r Retrieval) directionWidth() float64 {
	width := 0.0
	for _, key := range r.directions(metrics.Accuracy) {
		for _, m := range r.results.models {
			if f, ok := r.results.of(m, key); ok && markup.Finite(f.low) && markup.Finite(f.high) {
				width = max(width, f.value-f.low, f.high-f.value)
			}
		}
	}
	return width
}

// sameLanguageTable shows for each language the share of its texts whose nearest
// neighbour in the pool has the same language.
func (r Retrieval) sameLanguageTable() markup.Table {
	t := markup.Table{Caption: "Nearest neighbours of the same language, in percent",
		Columns: r.results.columns(markup.Column{Name: "Language"})}
	list := r.directions(metrics.SameLanguage)
	if len(list) > 0 {
		list = append(list, mean(metrics.SameLanguage))
	}
	for _, key := range list {
		t.Rows = append(t.Rows, r.results.shares(markup.Cell{Text: key.subtask, Strong: key.subtask == metrics.SubtaskMean}, key))
	}
	return t
}

// means returns the mean of a metric by the key of a model, of those that have one.
func (r Retrieval) means(metric string) map[string]float64 {
	values := map[string]float64{}
	for _, m := range r.results.models {
		if f, ok := r.results.of(m, mean(metric)); ok && markup.Finite(f.value) {
			values[m.Key] = f.value
		}
	}
	return values
}
