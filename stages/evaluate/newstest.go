package evaluate

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
)

var newstest = task{
	name: "newstest2012", measures: "translations found among the sentences of newstest2012, from every language to every other one (Schwenk and Douze 2017)",
	from: []source{fromData}, languages: true, read: readNewstest,
}

var newstestFile = regexp.MustCompile(`^newstest2012/newstest2012\.([a-z]+)$`)

// readNewstest reads newstest2012/newstest2012.XX, a text a line.
func readNewstest(reader *input) (protocol, error) {
	files, err := reader.matching("newstest2012/", newstestFile)
	if err != nil {
		return nil, err
	}
	t := &matchings{}
	for _, file := range files {
		codes, err := codesOf(newstestFile.FindStringSubmatch(file)[1:])
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.task, file, err)
		}
		if !reader.wants(codes[0]) {
			continue
		}
		lines, err := reader.textLines(file)
		if err != nil {
			return nil, err
		}
		t.languages, t.sides = append(t.languages, codes[0]), append(t.sides, encoder.Texts(codes[0], lines...))
	}
	if len(t.languages) < 2 {
		reader.missing = append(reader.missing, "newstest2012/newstest2012.XX in two languages")
		return nil, nil
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("read %s: %w", reader.task, err)
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
			return fmt.Errorf("there are %d texts in %s and %d in %s: they are not parallel", len(t.sides[0]), t.languages[0], len(side), t.languages[i])
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

func (t *matchings) texts() iter.Seq[encoder.Text] { return allTexts(t.sides...) }

func (t *matchings) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) ([]schemas.Result, error) {
	_, sides, err := encodeSides(ctx, e, t.sides...)
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
			low, high := wilson(r.Value, float64(r.N))
			r.Metric, r.Value = metricError, 1-r.Value
			r.Settings = encode(map[string]any{"similarity": "cosine", "interval": intervalShares, "repeated": t.ambiguous, "low": 1 - high, "high": 1 - low})
			results = append(results, r)
			bySource[i], byTarget[k], rates = append(bySource[i], r.Value), append(byTarget[k], r.Value), append(rates, r.Value)
		}
	}
	summary := func(subtask, language string, values []float64, parts []schemas.Result) {
		r := base
		r.DataXXH3 = together(parts...)
		r.Subtask, r.Language, r.Metric, r.Value, r.N = subtask, language, metricError, mean(values), int64(len(values)*len(t.sides[0]))
		settings := map[string]any{"similarity": "cosine", "directions": len(values), "repeated": t.ambiguous}
		if len(values) > 1 {
			spread := deviation(values)
			r.Spread = &spread
			settings["spread"] = "deviation over directions"
		}
		r.Settings = encode(settings)
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
	summary(SubtaskMean, "", rates, directions)
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
