package examples

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairs/pairing"
)

// documentsTask makes examples of consecutive sequences.
type documentsTask struct {
	Maker maker
	Input *units.Dataset

	pairer *pairing.Pairer
}

// Setup implements graph.Task.
func (t *documentsTask) Setup(ctx context.Context) error {
	if err := t.Maker.setup(ctx); err != nil {
		return err
	}
	var err error
	if t.pairer, err = pairing.New(t.Maker.Config.pairing(t.Maker.Seed)); err != nil {
		return err
	}
	return units.Reopen[schemas.Document](ctx, t.Input)
}

// Chains implements graph.Task.
func (t *documentsTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(pairs.ChainSentences, pairs.StepPair), dataset.NewChain(chainExamples, stepMask)}
}

// Write implements graph.Writer.
func (t *documentsTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Example]) error {
	var e encoded
	var result pairing.Result
	var side []int32
	w := t.Maker.writer(attempt)
	return units.DatasetRows(ctx, t.Input, unit.Unit, func(d schemas.Document) error {
		e.encode(w.tokenizer, d.Sentences)
		t.pairer.Pairs(&result, d.ID, e.sentences)
		if err := pairs.CountSentences(attempt.Funnel(), attempt.Rejects(), d, result.Reasons); err != nil {
			return err
		}
		for _, p := range result.Pairs {
			side = p.A.Append(side[:0], e.tokens)
			w.a = w.wrap(w.a, side)
			side = p.B.Append(side[:0], e.tokens)
			w.b = w.wrap(w.b, side)
			err := w.write(ctx, schemas.Example{
				ID: pairID(d, p), Kind: schemas.KindConsecutive,
				LanguageA: d.Sentences[p.A.First].Language, LanguageB: d.Sentences[p.B.First].Language,
				TokensA: w.a, TokensB: w.b,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// pairID is the identity of two sides of a document, whatever their order.
func pairID(d schemas.Document, p pairing.Pair) string {
	first, second := p.A, p.B
	if p.Swapped {
		first, second = second, first
	}
	place := func(s pairing.Side) string {
		return strconv.Itoa(int(d.Sentences[s.First].Position)) + "." + strconv.Itoa(s.From)
	}
	return schemas.DerivedID(schemas.KindConsecutive, d.ID, place(first), place(second))
}

// pairsTask makes examples of pairs of any kind.
type pairsTask struct {
	Maker maker
	Input *units.Dataset
}

// Setup implements graph.Task.
func (t *pairsTask) Setup(ctx context.Context) error {
	if err := t.Maker.setup(ctx); err != nil {
		return err
	}
	return units.Reopen[schemas.Pair](ctx, t.Input)
}

// Chains implements graph.Task.
func (t *pairsTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainPairs, stepTokenize), dataset.NewChain(chainExamples, stepMask)}
}

// Write implements graph.Writer.
func (t *pairsTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Example]) error {
	w := t.Maker.writer(attempt)
	labels := schemas.Labels()
	var a, b []int32
	return units.DatasetRows(ctx, t.Input, unit.Unit, func(p schemas.Pair) error {
		language := w.language(p.LanguageA, p.LanguageB)
		a, b = w.tokenizer.Encode(a[:0], p.TextA), w.tokenizer.Encode(b[:0], p.TextB)
		label := int32(slices.Index(labels, p.Label))
		switch {
		case len(a) == 0 || p.Kind != schemas.KindSingle && len(b) == 0:
			return drop(attempt, p, language, reasonNoTokens, "")
		case p.Label != "" && label < 0:
			return drop(attempt, p, language, ReasonUnknownLabel, strconv.Quote(p.Label)+" is not one of "+strings.Join(labels, ", "))
		}
		if err := attempt.Funnel().Keep(chainPairs, language, 1); err != nil {
			return err
		}
		w.a = w.wrap(w.a, a)
		row := schemas.Example{
			ID: p.ID, Kind: p.Kind, LanguageA: p.LanguageA, LanguageB: p.LanguageB, TokensA: w.a, Group: p.Group,
		}
		if p.Label != "" {
			row.Label = &label
		}
		if p.Kind != schemas.KindSingle {
			w.b = w.wrap(w.b, b)
			row.TokensB = w.b
		}
		if p.Target != nil {
			target := float32(*p.Target)
			row.Target = &target
		}
		return w.write(ctx, row)
	})
}

// drop counts a pair that gives no example, and offers it to the sample.
func drop(attempt *dataset.Attempt[schemas.Example], p schemas.Pair, language, reason, detail string) error {
	if attempt.Rejects().Wants(stepTokenize, reason, language, p.ID) {
		attempt.Rejects().Add(schemas.Reject{
			ID: p.ID, Source: p.DocumentA, Step: stepTokenize, Reason: reason, Language: language, Detail: detail,
			Sample: p.TextA + "\n" + p.TextB,
		})
	}
	return attempt.Funnel().Drop(chainPairs, language, stepTokenize, reason, 1)
}
