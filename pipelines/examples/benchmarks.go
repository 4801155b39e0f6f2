package examples

import (
	"context"
	"math"
	"slices"
	"strconv"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// Steps and reasons of items of benchmarks that give no example.
const (
	chainItems     = "items"
	stepSplit      = "split"
	stepLabel      = "label"
	reasonSplit    = "other_split"
	reasonNoGold   = "no_gold"
	reasonLanguage = "other_language"
	reasonTwoTexts = "two_texts"
	reasonOneText  = "one_text"
)

// benchmarksTask makes examples of single texts, or of two texts, with a class.
type benchmarksTask struct {
	Maker maker
	Input *units.Dataset
}

// Setup implements graph.Task.
func (t *benchmarksTask) Setup(ctx context.Context) error {
	if err := t.Maker.setup(ctx); err != nil {
		return err
	}
	return units.Reopen[schemas.Benchmark](ctx, t.Input)
}

// Chains implements graph.Task.
func (t *benchmarksTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainItems, stepSplit, stepLabel, stepTokenize), dataset.NewChain(chainExamples, stepMask)}
}

// Write implements graph.Writer.
func (t *benchmarksTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Example]) error {
	w := t.Maker.writer(attempt)
	c := t.Maker.Config
	var ids, second []int32
	return units.DatasetRows(ctx, t.Input, unit.Unit, func(b schemas.Benchmark) error {
		ids, second = w.tokenizer.Encode(ids[:0], b.TextA), w.tokenizer.Encode(second[:0], b.TextB)
		label, ok := c.class(b)
		step, reason := "", ""
		switch {
		case len(c.Splits) > 0 && !slices.Contains(c.Splits, b.Split):
			step, reason = stepSplit, reasonSplit
		case len(c.Languages) > 0 && (!slices.Contains(c.Languages, b.LanguageA) || b.TextB != "" &&
			!slices.Contains(c.Languages, b.LanguageB)):
			step, reason = stepSplit, reasonLanguage
		case b.Skip:
			step, reason = stepLabel, reasonNoGold
		case b.TextB != "" && !c.TwoTexts:
			step, reason = stepLabel, reasonTwoTexts
		case b.TextB == "" && c.TwoTexts:
			step, reason = stepLabel, reasonOneText
		case !ok:
			step, reason = stepLabel, ReasonUnknownLabel
		case len(ids) == 0 || c.TwoTexts && len(second) == 0:
			step, reason = stepTokenize, reasonNoTokens
		}
		if reason != "" {
			if attempt.Rejects().Wants(step, reason, b.LanguageA, b.ID) {
				attempt.Rejects().Add(schemas.Reject{ID: b.ID, Source: b.File, Step: step, Reason: reason, Language: b.LanguageA,
					Detail: "label " + strconv.Quote(b.Label), Sample: b.TextA})
			}
			return attempt.Funnel().Drop(chainItems, b.LanguageA, step, reason, 1)
		}
		if err := attempt.Funnel().Keep(chainItems, b.LanguageA, 1); err != nil {
			return err
		}
		w.a = w.wrap(w.a, ids)
		row := schemas.Example{ID: schemas.ItemExampleID(b.ID, b.LanguageA), Kind: schemas.KindSingle, LanguageA: b.LanguageA, TokensA: w.a,
			Label: &label}
		if c.TwoTexts {
			w.b = w.wrap(w.b, second)
			row.Kind, row.LanguageB, row.TokensB = schemas.KindNLI, b.LanguageB, w.b
		}
		return w.write(ctx, row)
	})
}

// class returns the class of an item: its label as a number from 0, of two texts as a name of inference, too; or 1 if label or
// target is above a number that is given, and else 0.
func (c Config) class(b schemas.Benchmark) (label int32, ok bool) {
	if c.Above == 0 {
		if index := slices.Index(schemas.Labels(), b.Label); c.TwoTexts && index >= 0 {
			return int32(index), true
		}
		n, err := strconv.ParseInt(b.Label, 10, 32)
		return int32(n), err == nil && n >= 0
	}
	value, err := strconv.ParseFloat(b.Label, 64)
	if b.Label == "" && b.Target != nil {
		value, err = *b.Target, nil
	}
	if value > c.Above {
		label = 1
	}
	return label, err == nil && !math.IsNaN(value)
}
