package evaluate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/blank"
	"sentweave/stages/encoder"
)

// settingSimilarity is the setting of a figure that says how texts were compared.
const settingSimilarity = "similarity"

// pairs are the items of one subtask: pairs of texts with a gold similarity.
type pairs struct {
	subtask  string
	language string
	a, b     []encoder.Text
	gold     []float64
	settings map[string]any
}

// newPairs are those of a subtask, still none, whose texts are in two languages or one.
func newPairs(subtask, languageA, languageB string) *pairs {
	return &pairs{subtask: subtask, language: languagePair(languageA, languageB)}
}

// protocol measures the correlation of the pairs alone.
func (p *pairs) protocol() protocol { return &similarity{subtasks: []pairs{*p}} }

// constant says whether all pairs have the same gold similarity, and which.
func (p *pairs) constant() (gold float64, same bool) {
	if len(p.gold) == 0 {
		return 0, false
	}
	return p.gold[0], slices.Min(p.gold) == slices.Max(p.gold)
}

func (p *pairs) add(a, b encoder.Text, gold float64) {
	p.a, p.b, p.gold = append(p.a, a), append(p.b, b), append(p.gold, gold)
}

// addPair adds two texts in their languages, of which none may be blank: what an encoder makes of
// nothing is no similarity.
func (p *pairs) addPair(a, b string, codes []string, gold float64) error {
	if blank.Is(a) || blank.Is(b) {
		return errors.New("a text is blank")
	}
	p.add(encoder.Text{Text: a, Language: codes[0]}, encoder.Text{Text: b, Language: codes[1]}, gold)
	return nil
}

// data is the hash of the items.
func (p *pairs) data() string {
	var h dataHash
	for i, gold := range p.gold {
		h.add(gold, p.a[i], p.b[i])
	}
	return h.sum()
}

// similaritiesOf returns those of the pairs of each subtask. For cosines all subtasks are encoded together.
func similaritiesOf(ctx context.Context, e encoder.Encoder, subtasks []pairs) ([][]float64, error) {
	values := make([][]float64, len(subtasks))
	if t, ok := tokensOf(e); ok {
		for i, s := range subtasks {
			scores, err := t.compare(ctx, [][]encoder.Text{s.a, s.b}, [][2]int{{0, 1}})
			if err != nil {
				return nil, err
			}
			values[i] = scores[0]
		}
		return values, nil
	}
	var texts []encoder.Text
	for _, s := range subtasks {
		texts = append(append(texts, s.a...), s.b...)
	}
	v, err := e.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	if v.Len() != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d texts", e.Name(), v.Len(), len(texts))
	}
	offset := 0
	for i, s := range subtasks {
		n := len(s.a)
		values[i] = make([]float64, n)
		for k := range values[i] {
			c := v.Cosine(offset+k, v, offset+n+k)
			if math.IsNaN(c) {
				return nil, fmt.Errorf("%s: the cosine of pair %d of %s is not a number", e.Name(), k+1, s.subtask)
			}
			values[i][k] = c
		}
		offset += 2 * n
	}
	return values, nil
}

// correlations gives both metrics of one list of items. A correlation with
// similarities that are all equal is undefined: it counts as 0, as an encoder
// that tells nothing apart has earned, and the settings say so.
func correlations(base schemas.Result, similarity, gold []float64, settings map[string]any) (results []schemas.Result, undefined int) {
	for _, m := range []struct {
		name  string
		value float64
	}{{MetricSpearman, spearman(similarity, gold)}, {MetricPearson, pearson(similarity, gold)}} {
		r, s := base, settings
		r.Metric, r.Value, r.N = m.name, m.value, int64(len(gold))
		if math.IsNaN(r.Value) {
			r.Value = 0
			s, undefined = withSetting(s, "undefined", true), 1
		}
		r.Settings = encode(s)
		results = append(results, r)
	}
	return results, undefined
}

// means gives the plain and the weighted mean of each metric over the results of
// subtasks, which hold both metrics by turns.
func means(base schemas.Result, results []schemas.Result, settings map[string]any) []schemas.Result {
	var list []schemas.Result
	for k, metric := range []string{MetricSpearman, MetricPearson} {
		plain, weighted, items, count := 0.0, 0.0, 0.0, 0
		for i := k; i < len(results); i += 2 {
			n := float64(results[i].N)
			plain, weighted, items, count = plain+results[i].Value, weighted+results[i].Value*n, items+n, count+1
		}
		if count == 0 {
			continue
		}
		r := base
		r.Metric, r.N = metric, int64(items)
		r.Settings = encode(withSetting(settings, "subtasks", count))
		r.Subtask, r.Value = SubtaskMean, plain/float64(count)
		list = append(list, r)
		r.Subtask, r.Value = SubtaskWeightedMean, weighted/items
		list = append(list, r)
	}
	return list
}

// similarity is the protocol for pairs with gold similarities: the correlation of these
// with the cosines, or with other similarities of the pairs.
type similarity struct {
	subtasks []pairs
	settings map[string]any
	// concatenated asks for one correlation over all subtasks, averaged for means.
	concatenated, averaged bool
	language               string // of the aggregates
}

func (t *similarity) pairsAlone() {}

func (t *similarity) texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, s := range t.subtasks {
		lists = append(lists, s.a, s.b)
	}
	return allTexts(lists...)
}

func (t *similarity) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) ([]schemas.Result, error) {
	values, err := similaritiesOf(ctx, e, t.subtasks)
	if err != nil {
		return nil, err
	}
	var single []schemas.Result
	var predicted, gold []float64
	undefined := 0
	common := withSetting(t.settings, settingSimilarity, similarityOf(e))
	for i, s := range t.subtasks {
		r := base
		r.Subtask, r.Language, r.DataXXH3 = s.subtask, s.language, s.data()
		settings := common
		for k, v := range s.settings {
			settings = withSetting(settings, k, v)
		}
		keep(part{subtask: s.subtask, language: s.language, a: s.a, b: s.b, score: values[i], gold: s.gold})
		rows, count := correlations(r, values[i], s.gold, settings)
		single, undefined = append(single, rows...), undefined+count
		predicted, gold = append(predicted, values[i]...), append(gold, s.gold...)
	}
	results := single
	base.Language, base.DataXXH3 = t.language, together(single...)
	if t.concatenated {
		r := base
		r.Subtask = SubtaskAll
		rows, _ := correlations(r, predicted, gold, withSetting(common, "subtasks", len(t.subtasks)))
		results = append(results, rows...)
	}
	if t.averaged {
		settings := common
		if undefined > 0 {
			settings = withSetting(settings, "undefined", undefined)
		}
		results = append(results, means(base, single, settings)...)
	}
	return results, nil
}
