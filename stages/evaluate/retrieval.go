package evaluate

import (
	"context"
	"fmt"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// RetrievalTask is the name of the task of parallel paragraphs.
const RetrievalTask = "retrieval"

var paragraphRetrieval = task{
	name: RetrievalTask, measures: "translations found among paragraphs of your own, in documents or pairs",
	from: fromTexts, languages: true, read: readRetrieval,
}

// retrieval is the protocol that finds the translation of each of n paragraphs among those of another
// language, for every two of L languages in both directions, and looks which
// language the nearest neighbour has when all stand together: an encoder that
// puts meaning before language has the share (n-1)/(L·n-1) only by chance, and
// less where translations are nearest.
type retrieval struct {
	languages []string
	texts     [][]encoder.Text // by language, in the same order
	ambiguous int
}

func readRetrieval(in *input) (protocol, error) {
	p, m, err := readParagraphs(in.ctx, in.Texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.task, err)
	}
	languages, texts, err := p.common(in.Languages)
	if err != nil {
		return nil, fmt.Errorf("%s: texts %s: %w", in.task, in.Texts, err)
	}
	in.content = m.ContentXXH3
	t := &retrieval{languages: languages, ambiguous: len(p.ambiguous)}
	for i, l := range languages {
		t.texts = append(t.texts, encoder.Texts(l, texts[i]...))
	}
	return t, nil
}

func (t *retrieval) measure(ctx context.Context, e encoder.Encoder, base schemas.Result) ([]schemas.Result, error) {
	pool, sides, err := encodeSides(ctx, e, t.texts...)
	if err != nil {
		return nil, err
	}
	var results []schemas.Result
	var all matchingSum
	for i, from := range t.languages {
		for k, to := range t.languages {
			if i == k {
				continue
			}
			m, err := match(ctx, sides[i], sides[k], t.texts[k])
			if err != nil {
				return nil, fmt.Errorf("%s-%s: %w", from, to, err)
			}
			all.add(m)
			var one matchingSum
			one.add(m)
			r := base
			r.Subtask, r.Language = from+"-"+to, from+"-"+to
			results = append(results, one.results(r, nil)...)
		}
	}
	r := base
	r.Subtask = SubtaskMean
	results = append(results, all.results(r, map[string]any{
		"languages": len(t.languages), "directions": all.directions, "paragraphs": len(t.texts[0]), "ambiguous": t.ambiguous,
	})...)
	same, err := t.sameLanguage(ctx, base, pool)
	return append(results, same...), err
}

// sameLanguage looks for the nearest neighbour of each text among all others.
func (t *retrieval) sameLanguage(ctx context.Context, base schemas.Result, pool encoder.Vectors) ([]schemas.Result, error) {
	n := len(t.texts[0])
	self := make([]int, pool.Len())
	for i := range self {
		self[i] = i
	}
	found, err := pool.Nearest(ctx, pool, neighbors.Options{Exclude: self})
	if err != nil {
		return nil, fmt.Errorf("pool of all languages: %w", err)
	}
	settings := map[string]any{"pool": pool.Len(), "chance": float64(n-1) / float64(pool.Len()-1)}
	var results []schemas.Result
	mean, allTies := make([]float64, n), 0
	for l, code := range t.languages {
		shares, ties := make([]float64, n), 0
		for i := range shares {
			f := found[l*n+i]
			if f.Index/n == l {
				shares[i] = 1
				mean[i] += 1 / float64(len(t.languages))
			}
			if f.Ties > 0 {
				ties++
			}
		}
		r := base
		r.Subtask, r.Language = code, code
		results = append(results, share(r, MetricSameLanguage, shares, 1, with(settings, "ties", ties)))
		allTies += ties
	}
	r := base
	r.Subtask = SubtaskMean
	return append(results, share(r, MetricSameLanguage, mean, len(t.languages), with(settings, "ties", allTies))), nil
}
