// Package similarity has the tasks of pairs of texts whose similarity people scored.
package similarity

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
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// settingSimilarity is the setting of a figure that says how texts were compared.
const settingSimilarity = "similarity"

// Pairs are the items of one subtask: pairs of texts with a gold similarity.
type Pairs struct {
	subtask  string
	language string
	a, b     []encoder.Text
	gold     []float64
	settings map[string]any
}

// NewPairs are those of a subtask, still none, whose texts are in two languages or one.
func NewPairs(subtask, languageA, languageB string) *Pairs {
	return &Pairs{subtask: subtask, language: languagePair(languageA, languageB)}
}

// Protocol measures the correlation of the pairs alone.
func (p *Pairs) Protocol() protocol.Protocol { return &similarity{subtasks: []Pairs{*p}} }

// Constant says whether all pairs have the same gold similarity, and which.
func (p *Pairs) Constant() (gold float64, same bool) {
	if len(p.gold) == 0 {
		return 0, false
	}
	return p.gold[0], slices.Min(p.gold) == slices.Max(p.gold)
}

// Add adds a pair.
func (p *Pairs) Add(a, b encoder.Text, gold float64) {
	p.a, p.b, p.gold = append(p.a, a), append(p.b, b), append(p.gold, gold)
}

// addPair adds two texts in their languages, of which none may be blank: what an encoder makes of
// nothing is not similarity.
func (p *Pairs) addPair(a, b string, codes []string, gold float64) error {
	if blank.IsBlank(a) || blank.IsBlank(b) {
		return errors.New("a text is blank")
	}
	p.Add(encoder.Text{Text: a, Language: codes[0]}, encoder.Text{Text: b, Language: codes[1]}, gold)
	return nil
}

// data is the hash of the items.
func (p *Pairs) data() string {
	var h protocol.DataHash
	for i, gold := range p.gold {
		h.Add(gold, p.a[i], p.b[i])
	}
	return h.Sum()
}

// similaritiesOf returns those of the pairs of each subtask. For cosines all subtasks are encoded together.
func similaritiesOf(ctx context.Context, e encoder.Encoder, subtasks []Pairs) ([][]float64, error) {
	values := make([][]float64, len(subtasks))
	if t, ok := encoders.TokensOf(e); ok {
		for i, s := range subtasks {
			scores, err := t.Compare(ctx, [][]encoder.Text{s.a, s.b}, [][2]int{{0, 1}})
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
	}{{metrics.Spearman, metrics.RankCorrelation(similarity, gold)}, {metrics.Pearson, metrics.LinearCorrelation(similarity, gold)}} {
		r, s := base, settings
		r.Metric, r.Value, r.N = m.name, m.value, int64(len(gold))
		if math.IsNaN(r.Value) {
			r.Value = 0
			s, undefined = protocol.WithSetting(s, "undefined", true), 1
		}
		r.Settings = protocol.EncodeSettings(s)
		results = append(results, r)
	}
	return results, undefined
}

// means gives the plain and the weighted mean of each metric over the results of
// subtasks, which hold both metrics by turns.
func means(base schemas.Result, results []schemas.Result, settings map[string]any) []schemas.Result {
	var list []schemas.Result
	for k, metric := range []string{metrics.Spearman, metrics.Pearson} {
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
		r.Settings = protocol.EncodeSettings(protocol.WithSetting(settings, "subtasks", count))
		r.Subtask, r.Value = metrics.SubtaskMean, plain/float64(count)
		list = append(list, r)
		r.Subtask, r.Value = metrics.SubtaskWeightedMean, weighted/items
		list = append(list, r)
	}
	return list
}

// similarity is the protocol for pairs with gold similarities: the correlation of these
// with the cosines, or with other similarities of the pairs.
type similarity struct {
	subtasks []Pairs
	settings map[string]any
	// concatenated asks for one correlation over all subtasks, averaged for means.
	concatenated, averaged bool
	language               string // of the aggregates
}

// PairsAlone implements protocol.Pairwise.
func (t *similarity) PairsAlone() {}

// Texts implements protocol.Protocol.
func (t *similarity) Texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, s := range t.subtasks {
		lists = append(lists, s.a, s.b)
	}
	return protocol.AllTexts(lists...)
}

// Measure implements protocol.Protocol.
func (t *similarity) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) ([]schemas.Result, error) {
	values, err := similaritiesOf(ctx, e, t.subtasks)
	if err != nil {
		return nil, err
	}
	var single []schemas.Result
	var predicted, gold []float64
	undefined := 0
	common := protocol.WithSetting(t.settings, settingSimilarity, encoders.SimilarityOf(e))
	for i, s := range t.subtasks {
		r := base
		r.Subtask, r.Language, r.DataXXH3 = s.subtask, s.language, s.data()
		settings := common
		for k, v := range s.settings {
			settings = protocol.WithSetting(settings, k, v)
		}
		keep(protocol.Part{Subtask: s.subtask, Language: s.language, A: s.a, B: s.b, Score: values[i], Gold: s.gold})
		rows, count := correlations(r, values[i], s.gold, settings)
		single, undefined = append(single, rows...), undefined+count
		predicted, gold = append(predicted, values[i]...), append(gold, s.gold...)
	}
	results := single
	base.Language, base.DataXXH3 = t.language, protocol.JointHash(single...)
	if t.concatenated {
		r := base
		r.Subtask = metrics.SubtaskAll
		rows, _ := correlations(r, predicted, gold, protocol.WithSetting(common, "subtasks", len(t.subtasks)))
		results = append(results, rows...)
	}
	if t.averaged {
		settings := common
		if undefined > 0 {
			settings = protocol.WithSetting(settings, "undefined", undefined)
		}
		results = append(results, means(base, single, settings)...)
	}
	return results, nil
}
