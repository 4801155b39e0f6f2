package pairfilter

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/pairs/pairfilters"
)

// Of the funnel.
const (
	chainPairs = "pairs"
	stepFilter = "filter"
)

// reasonOneText: a pair that has no second text.
const reasonOneText = "one_text"

// Work is what the tasks of the pipeline share.
type Work struct {
	Pairs      *units.Dataset
	Langid     units.File
	Model      units.File
	Verdicts   units.File
	Embeddings *units.Dataset // nil if there are none
	Dimensions int
	K          int // neighbours by which margins are measured, 0 for none
	Filters    []string
	Settings   map[string]string

	chain    *pairfilters.Chain
	compared bool            // a filter needs vectors
	scratch  *sync.Pool      // of *pairfilters.Pair; each has its own identifier
	verdicts map[string]bool // of pairs that people have judged, by their ids
}

// Setup implements graph.Task.
func (w *Work) Setup(ctx context.Context) error {
	rules, err := pairfilters.List.Choose(w.Filters, w.Settings)
	if err != nil {
		return err
	}
	w.chain = pairfilters.NewChain(rules)
	w.compared = slices.ContainsFunc(rules, func(r pairfilters.Rules) bool {
		return r.Needs == pairfilters.Vectors || r.Needs == pairfilters.Neighborhoods
	})
	var classifier *pairfilters.Classifier
	if w.Model.Location != "" {
		if err := w.Model.Verify(ctx); err != nil {
			return fmt.Errorf("model: %w", err)
		}
		if classifier, err = openModel(ctx, w.Model.Location); err != nil {
			return err
		}
	}
	w.scratch = &sync.Pool{New: func() any { return &pairfilters.Pair{Classifier: classifier} }}
	if w.Langid.Location != "" {
		model, err := identifier.Load(ctx, w.Langid)
		if err != nil {
			return err
		}
		w.scratch.New = func() any { return &pairfilters.Pair{Identifier: model.Clone(), Classifier: classifier} }
	}
	if w.Verdicts.Location != "" {
		if err := w.Verdicts.Verify(ctx); err != nil {
			return fmt.Errorf("verdicts: %w", err)
		}
		if w.verdicts, err = openVerdicts(ctx, w.Verdicts.Location); err != nil {
			return err
		}
	}
	if w.Embeddings != nil {
		if err := units.Reopen[schemas.Embedding](ctx, w.Embeddings); err != nil {
			return err
		}
	}
	return units.Reopen[schemas.Pair](ctx, w.Pairs)
}

// Chains implements graph.Task.
func (w *Work) Chains() []dataset.Chain {
	chains := []dataset.Chain{dataset.NewChain(chainPairs, stepFilter)}
	if w.Verdicts.Location != "" {
		chains = append(chains, dataset.NewChain(chainGood, stepFilter), dataset.NewChain(chainBad, stepFilter))
	}
	return chains
}

// judgement takes a pair: as the filters see it, nil if it has one text alone, and why they drop it, "" if they do not. The measure is not
// a number where none decided.
type judgement func(p *schemas.Pair, judged *pairfilters.Pair, reason string, measure float64) error

// each judges the pairs of a unit, and calls use with each.
func (w *Work) each(ctx context.Context, unit graph.Unit, use judgement) error {
	judged := w.scratch.Get().(*pairfilters.Pair)
	defer w.scratch.Put(judged)
	compare := func(*schemas.Pair) (comparison, error) { return comparison{math.NaN(), math.NaN(), ""}, nil }
	if w.Embeddings != nil {
		v, err := vectors.Read(ctx, w.Embeddings, unit.Ordinal, unit.Ordinal+1)
		if err != nil {
			return err
		}
		defer v.Stop()
		m := newMargins(ctx, unit)
		defer m.stop()
		compare = func(p *schemas.Pair) (comparison, error) { return w.compareSides(p, v, m) }
	}
	return units.DatasetRows(ctx, w.Pairs, unit.Unit, func(p schemas.Pair) error {
		c, err := compare(&p)
		if err != nil {
			return err
		}
		if p.TextB == "" {
			return use(&p, nil, reasonOneText, math.NaN())
		}
		judged.Load(p.TextA, p.LanguageA, p.TextB, p.LanguageB)
		if judged.Cosine, judged.Margin = c.cosine, c.margin; p.Score != nil {
			judged.Score = float64(*p.Score)
		}
		reason, measure := w.chain.Judge(judged)
		if reason == "" && w.compared {
			reason, measure = c.unusable, math.NaN()
		}
		return use(&p, judged, reason, measure)
	})
}

// comparison is what the vectors of a pair tell: numbers, or why they cannot be compared.
type comparison struct {
	cosine, margin float64
	unusable       string
}

// compareSides compares the vectors of a pair, which are the next ones.
func (w *Work) compareSides(p *schemas.Pair, v *vectors.Reader, m margins) (c comparison, err error) {
	c.cosine, c.margin = math.NaN(), math.NaN()
	sides, err := sidesOf(v, *p)
	if err != nil || len(sides) < 2 {
		return c, err
	}
	if c.unusable = unusable(sides, w.Dimensions); c.unusable != "" {
		return c, nil
	}
	if c.cosine = neighbors.Cosine(sides[0], sides[1]); w.K > 0 {
		c.margin, err = m.score(c.cosine)
	}
	return c, err
}

// filterTask writes the pairs that no filter drops.
type filterTask struct{ Work }

// Write implements graph.Writer.
func (t *filterTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	funnel := attempt.Funnel()
	return t.each(ctx, unit, func(p *schemas.Pair, _ *pairfilters.Pair, reason string, measure float64) error {
		languages := schemas.LanguagePair(p.LanguageA, p.LanguageB)
		reason, err := t.compare(funnel, p, reason)
		if err != nil {
			return err
		}
		if reason == "" {
			if err := funnel.Keep(chainPairs, languages, 1); err != nil {
				return err
			}
			return attempt.Write(ctx, *p)
		}
		if attempt.Rejects().Wants(stepFilter, reason, languages, p.ID) {
			r := p.Reject(stepFilter, reason)
			if reason != reasonJudged && !math.IsNaN(measure) {
				r.Detail = strconv.FormatFloat(measure, 'g', 4, 64)
			}
			attempt.Rejects().Add(r)
		}
		return funnel.Drop(chainPairs, languages, stepFilter, reason, 1)
	})
}

// scoreTask writes the measures of all pairs that have two texts.
type scoreTask struct{ Work }

// Write implements graph.Writer.
func (t *scoreTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.PairScore]) error {
	funnel, all := attempt.Funnel(), pairfilters.Measuring()
	measures := len(all.Measures())
	return t.each(ctx, unit, func(p *schemas.Pair, judged *pairfilters.Pair, reason string, _ float64) error {
		languages := schemas.LanguagePair(p.LanguageA, p.LanguageB)
		if judged == nil {
			if attempt.Rejects().Wants(stepFilter, reason, languages, p.ID) {
				attempt.Rejects().Add(p.Reject(stepFilter, reason))
			}
			return funnel.Drop(chainPairs, languages, stepFilter, reason, 1)
		}
		if _, err := t.compare(funnel, p, reason); err != nil {
			return err
		}
		row := schemas.PairScore{ID: p.ID, TextA: p.TextA, TextB: p.TextB, LanguageA: p.LanguageA, LanguageB: p.LanguageB,
			Origin: p.Origin, Score: p.Score, Reason: reason}
		values := make([]float32, 0, measures)
		all.Measure(judged, func(name string, value float64) {
			values = append(values, float32(value))
			*row.Measure(name) = &values[len(values)-1]
		})
		if err := funnel.Keep(chainPairs, languages, 1); err != nil {
			return err
		}
		return attempt.Write(ctx, row)
	})
}
