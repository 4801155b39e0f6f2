package retrieval

import (
	"context"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// Newstest is the task newstest2012.
var Newstest = protocol.Task{
	Name: "newstest2012", Measures: "translations found among the sentences of newstest2012, from every language to every other one (Schwenk and Douze 2017)",
	From: []protocol.Source{protocol.FromData}, Languages: true, Read: readNewstest,
}

var newstestFile = regexp.MustCompile(`^newstest2012/newstest2012\.([a-z]+)$`)

// readNewstest reads newstest2012/newstest2012.XX, a text a line.
func readNewstest(reader *protocol.Input) (protocol.Protocol, error) {
	files, err := reader.Matching("newstest2012/", newstestFile)
	if err != nil {
		return nil, err
	}
	t := &matchings{}
	for _, file := range files {
		codes, err := protocol.LanguageCodes(newstestFile.FindStringSubmatch(file)[1:])
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, file, err)
		}
		if !reader.Wants(codes[0]) {
			continue
		}
		lines, err := reader.TextLines(file)
		if err != nil {
			return nil, err
		}
		t.languages, t.sides = append(t.languages, codes[0]), append(t.sides, encoder.Texts(codes[0], lines...))
	}
	if len(t.languages) < 2 {
		reader.Missing = append(reader.Missing, "newstest2012/newstest2012.XX in two languages")
		return nil, nil
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("read %s: %w", reader.Task, err)
	}
	return t, nil
}

// matchings is the protocol that finds the translation of each text of k languages, line by
// line parallel, in each other one.
type matchings struct{ retrieval }

// check returns an error unless all languages have as many texts, and counts those that stand
// twice in a language: they have two right answers, of which one counts as wrong.
func (t *matchings) check() error {
	for i, side := range t.sides {
		if len(side) != len(t.sides[0]) {
			return fmt.Errorf("there are %d texts in %s and %d in %s: they are not parallel", len(t.sides[0]), t.languages[0], len(side),
				t.languages[i])
		}
		listed := map[string]bool{}
		for _, text := range side {
			if listed[text.Text] {
				t.ambiguous++
			}
			listed[text.Text] = true
		}
	}
	return nil
}

// Texts implements protocol.Protocol.
func (t *matchings) Texts() iter.Seq[encoder.Text] { return protocol.AllTexts(t.sides...) }

// Measure implements protocol.Protocol.
func (t *matchings) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) ([]schemas.Result, error) {
	_, sides, err := protocol.EncodeSides(ctx, e, t.sides...)
	if err != nil {
		return nil, err
	}
	rows, _, err := t.directions(ctx, sides, base, keep)
	if err != nil {
		return nil, err
	}
	var results []schemas.Result
	bySource, byTarget := make([][]float64, len(t.languages)), make([][]float64, len(t.languages))
	var rates []float64
	direction := 0
	for i := range t.languages {
		for k := range t.languages {
			if i == k {
				continue
			}
			r := rows[2*direction] // its accuracy; the next one is by text
			direction++
			low, high := metrics.Wilson(r.Value, float64(r.N))
			r.Metric, r.Value = metrics.ErrorRate, 1-r.Value
			r.Settings = protocol.EncodeSettings(
				map[string]any{"similarity": "cosine", "interval": metrics.IntervalShares, "repeated": t.ambiguous, "low": 1 - high,
					"high": 1 - low})
			results = append(results, r)
			bySource[i], byTarget[k], rates = append(bySource[i], r.Value), append(byTarget[k], r.Value), append(rates, r.Value)
		}
	}
	summary := func(subtask, language string, values []float64, parts []schemas.Result) {
		r := base
		r.DataXXH3 = protocol.JointHash(parts...)
		r.Subtask, r.Language, r.Metric, r.Value, r.N = subtask, language, metrics.ErrorRate, mean(values),
			int64(len(values)*len(t.sides[0]))
		settings := map[string]any{"similarity": "cosine", "directions": len(values), "repeated": t.ambiguous}
		if len(values) > 1 {
			spread := deviation(values)
			r.Spread = &spread
			settings["spread"] = "deviation over directions"
		}
		r.Settings = protocol.EncodeSettings(settings)
		results = append(results, r)
	}
	directions := results
	selected := func(accepts func(string) bool) []schemas.Result {
		return slices.DeleteFunc(slices.Clone(directions), func(r schemas.Result) bool { return !accepts(r.Subtask) })
	}
	for i, code := range t.languages {
		summary("from/"+code, code, bySource[i], selected(func(s string) bool { return strings.HasPrefix(s, code+"-") }))
		summary("to/"+code, code, byTarget[i], selected(func(s string) bool { return strings.HasSuffix(s, "-"+code) }))
	}
	summary(metrics.SubtaskMean, "", rates, directions)
	return results, nil
}

// deviation is that of a sample.
func deviation(values []float64) float64 {
	m, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}
