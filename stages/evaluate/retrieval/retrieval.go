// Package retrieval has the tasks that seek translations among the texts of other languages, and those that ask how much
// vectors tell of the language.
package retrieval

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/measure/neighbors"
)

// Paragraphs is the task retrieval.
var Paragraphs = protocol.Task{
	Name: metrics.RetrievalTask, Measures: "translations found among paragraphs of your own, in documents or pairs",
	From: []protocol.Source{protocol.FromTexts}, Languages: true, Read: readRetrieval,
}

// retrieval is the protocol that finds the translation of each of n paragraphs among those of another
// language, for every two of L languages in both directions, and looks which
// language the nearest neighbour has when all stand together: an encoder that
// puts meaning before language has the share (n-1)/(L·n-1) only by chance, and
// less where translations are nearest.
type retrieval struct {
	languages []string
	sides     [][]encoder.Text // by language, in the same order
	ambiguous int
}

// TranslationsAmong is the protocol that seeks the translation of each text of a language in each other language; texts
// are in the same order in all.
func TranslationsAmong(languages []string, sides [][]encoder.Text) protocol.Protocol {
	return &retrieval{languages: languages, sides: sides}
}

func readRetrieval(reader *protocol.Input) (protocol.Protocol, error) {
	p, m, err := readParagraphs(reader.Context, reader.Texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reader.Task, err)
	}
	languages, texts, err := p.common(reader.Languages)
	if err != nil {
		return nil, fmt.Errorf("%s: texts %s: %w", reader.Task, reader.Texts, err)
	}
	reader.Content = m.ContentXXH3
	var list retrievals
	maximum := 0 // of the texts that two languages have in common
	for i, a := range languages {
		for _, b := range languages[i+1:] {
			if two, texts, err := p.common([]string{a, b}); err == nil {
				list, maximum = append(list, p.retrieval(two, texts)), max(maximum, len(texts[0]))
			}
		}
	}
	if n := len(texts[0]); n > 0 && 2*n >= maximum {
		return p.retrieval(languages, texts), nil
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: texts %s: no paragraph is there in two of the languages %s; %s", reader.Task, reader.Texts,
			strings.Join(languages, ", "), p.losses())
	}
	return list, nil
}

// retrieval is the protocol on texts of languages.
func (p *paragraphs) retrieval(languages []string, texts [][]string) *retrieval {
	t := &retrieval{languages: languages, ambiguous: len(p.ambiguous)}
	for i, l := range languages {
		t.sides = append(t.sides, encoder.Texts(l, texts[i]...))
	}
	return t
}

// retrievals measures two languages at a time, each two on the paragraphs that both have,
// where those in all languages are fewer than half as many as two of them have: bitext of
// several corpora, or pages that are not translated into all. The means go over the
// paragraphs of all.
type retrievals []*retrieval

// Texts implements protocol.Protocol.
func (list retrievals) Texts() iter.Seq[encoder.Text] {
	var lists [][]encoder.Text
	for _, t := range list {
		lists = append(lists, t.sides...)
	}
	return protocol.AllTexts(lists...)
}

// Measure implements protocol.Protocol.
func (list retrievals) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	results []schemas.Result, err error) {
	var total matchingSum
	var shares []float64
	texts := 0
	for _, t := range list {
		pool, sides, err := protocol.EncodeSides(ctx, e, t.sides...)
		if err != nil {
			return nil, err
		}
		rows, sum, err := t.directions(ctx, sides, base, keep)
		if err != nil {
			return nil, err
		}
		_, mean, err := t.sameLanguage(ctx, base, pool, func(protocol.Part) {}) // languages are in several pairs of them
		if err != nil {
			return nil, err
		}
		results = append(results, rows...)
		total.hits, total.textHits = append(total.hits, sum.hits...), append(total.textHits, sum.textHits...)
		total.directions, total.ties = sum.directions, total.ties+sum.ties // two of each
		shares, texts = append(shares, mean...), texts+len(t.sides[0])
	}
	r := base
	r.Subtask = metrics.SubtaskMean
	settings := map[string]any{"pairs_of_languages": len(list), "directions": 2 * len(list), "paragraphs": texts,
		"ambiguous": list[0].ambiguous}
	return append(append(results, total.results(r, settings)...), share(r, metrics.SameLanguage, shares, 2, settings)), nil
}

// Texts implements protocol.Protocol.
func (t *retrieval) Texts() iter.Seq[encoder.Text] { return protocol.AllTexts(t.sides...) }

// Measure implements protocol.Protocol.
func (t *retrieval) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) ([]schemas.Result, error) {
	pool, sides, err := protocol.EncodeSides(ctx, e, t.sides...)
	if err != nil {
		return nil, err
	}
	results, sum, err := t.directions(ctx, sides, base, keep)
	if err != nil {
		return nil, err
	}
	r := base
	r.Subtask = metrics.SubtaskMean
	results = append(results, sum.results(r, map[string]any{
		"languages": len(t.languages), "directions": sum.directions, "paragraphs": len(t.sides[0]), "ambiguous": t.ambiguous,
	})...)
	neighbours, _, err := t.sameLanguage(ctx, base, pool, keep)
	return append(results, neighbours...), err
}

// directions measures every direction, and returns their sum, too.
func (t *retrieval) directions(ctx context.Context, sides []encoder.Vectors, base schemas.Result,
	keep protocol.Keeper) (results []schemas.Result, sum matchingSum, err error) {
	for i, source := range t.languages {
		for k, target := range t.languages {
			if i == k {
				continue
			}
			m, err := match(ctx, sides[i], sides[k], t.sides[k])
			if err != nil {
				return nil, sum, fmt.Errorf("%s-%s: %w", source, target, err)
			}
			sum.add(m)
			var single matchingSum
			single.add(m)
			r := base
			r.Subtask, r.Language = source+"-"+target, source+"-"+target
			r.DataXXH3 = protocol.ParallelHash(t.sides[i], t.sides[k])
			keep(m.part(r.Subtask, r.Language, t.sides[i], t.sides[k]))
			results = append(results, single.results(r, nil)...)
		}
	}
	return results, sum, nil
}

// sameLanguage looks for the nearest neighbour of each text among all others. The mean has,
// for each paragraph, the share of its texts that have it in their language.
func (t *retrieval) sameLanguage(ctx context.Context, base schemas.Result, pool encoder.Vectors, keep protocol.Keeper) (
	results []schemas.Result, mean []float64, err error) {
	n := len(t.sides[0])
	self := make([]int, pool.Len())
	for i := range self {
		self[i] = i
	}
	nearest, err := pool.Nearest(ctx, pool, neighbors.Options{Exclude: self})
	if err != nil {
		return nil, nil, fmt.Errorf("pool of all languages: %w", err)
	}
	settings := map[string]any{"pool": pool.Len(), "chance": float64(n-1) / float64(pool.Len()-1)}
	mean, allTies, candidates := make([]float64, n), 0, slices.Concat(t.sides...)
	for l, code := range t.languages {
		shares, places, ties := make([]float64, n), make([]int, n), 0
		for i := range shares {
			f := nearest[l*n+i]
			places[i] = f.Index
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
		keep(protocol.Part{Subtask: code, Language: code, A: t.sides[l], Found: places, Candidates: candidates, Score: shares})
		results = append(results, share(r, metrics.SameLanguage, shares, 1, protocol.WithSetting(settings, "ties", ties)))
		allTies += ties
	}
	r := base
	r.Subtask = metrics.SubtaskMean
	return append(results, share(r, metrics.SameLanguage, mean, len(t.languages), protocol.WithSetting(settings, "ties", allTies))), mean,
		nil
}
