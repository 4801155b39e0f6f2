package translation

import (
	"cmp"
	"context"
	"fmt"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/memory/lookup"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/testsets/benchmark"
)

// Chains and steps of the funnel, by the target language. A text for which
// a fallback stands, or the source's own since its row has no gold, is counted as dropped
// from the translations; its row is kept.
const (
	chainRows         = "rows"
	chainTranslations = "translations"
	stepLanguage      = "language"
	stepMemory        = "memory"

	reasonLanguage = "other_language"
	reasonRejected = "rejected"
	reasonNoGold   = "no_gold"
	reasonNoText   = "source_text"
)

// writeTask writes the rows of a unit in one language.
type writeTask struct {
	Fallback   string
	GoldOnly   bool
	Benchmarks *units.Dataset
	Pairs      []engines.Pair
	Reading    int
}

// Setup implements graph.Task.
func (t *writeTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Benchmark](ctx, t.Benchmarks)
}

// Chains implements graph.Task.
func (t *writeTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainRows, stepLanguage), dataset.NewChain(chainTranslations, stepMemory)}
}

// Write implements graph.Writer.
func (t *writeTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Benchmark]) error {
	answers, stop := lookup.Answers(ctx, unit)
	defer stop()
	w := writer{benchmarks: t.Benchmarks.Location, fallback: t.Fallback, goldOnly: t.GoldOnly, attempt: attempt, answers: answers,
		pair: unit.Ordinal / t.Reading}
	w.source, w.target = t.Pairs[w.pair].Source, t.Pairs[w.pair].Target
	return units.DatasetRows(ctx, t.Benchmarks, unit.Unit, func(row schemas.Benchmark) error { return w.row(ctx, row) })
}

// writer translates the rows of a unit one by one.
type writer struct {
	benchmarks     string // their location
	fallback       string
	goldOnly       bool
	attempt        *dataset.Attempt[schemas.Benchmark]
	answers        *lookup.Cursor
	pair           int
	source, target string
	texts          int // that were seen, as texts.Source counts them
}

func (w *writer) row(ctx context.Context, row schemas.Benchmark) error {
	f := w.attempt.Funnel()
	inA, inB := row.LanguageA == w.source, row.LanguageB == w.source
	if !inA || row.TextB != "" && !inB {
		// Its texts are counted, and answered where one of them is in the source language.
		if _, _, err := w.text(row, row.TextA, inA); err != nil {
			return err
		}
		if _, _, err := w.text(row, row.TextB, inB); err != nil {
			return err
		}
		return f.Drop(chainRows, row.LanguageA, stepLanguage, reasonLanguage, 1)
	}
	a, foundA, err := w.text(row, row.TextA, true)
	if err != nil {
		return err
	}
	b, foundB, err := w.text(row, row.TextB, true)
	if err != nil {
		return err
	}
	if !foundA || !foundB { // a row is of one language, whatever else has one of its texts
		a, b = row.TextA, row.TextB
	}
	translated, err := benchmark.Translate(row, w.target, a, b)
	if err != nil {
		return err
	}
	if err := f.Keep(chainRows, w.target, 1); err != nil {
		return err
	}
	return w.attempt.Write(ctx, translated)
}

// text returns the translation of the next text of the unit, or what stands for it. Translated
// is false for a text without one, in a row without gold, where these may stay.
func (w *writer) text(row schemas.Benchmark, text string, inSource bool) (translation string, translated bool, err error) {
	if text == "" {
		return "", true, nil
	}
	number := w.texts
	w.texts++
	if !inSource {
		return "", true, nil
	}
	answer, err := w.answers.Take(number, w.pair)
	if err != nil {
		return "", false, err
	}
	if benchmark.Clean(text) == "" {
		return text, true, nil
	}
	if !answer.Found && row.Skip && w.goldOnly {
		return text, false, w.attempt.Funnel().Drop(chainTranslations, w.target, stepMemory, reasonNoGold, 1)
	}
	if !answer.Found {
		stay := ""
		if row.Skip {
			stay = "; with --gold-only the texts of rows without gold, as this one, stay as they are"
		}
		return "", false, fmt.Errorf("the memories have no translation into %s of row %d of %s, %q: run `sentweave translations --texts %s --targets %s …` and give its output as --memory%s",
			w.target, row.Row, row.File, dataset.Sample(text), w.benchmarks, w.target, stay)
	}
	translation = benchmark.Clean(answer.Text)
	if !answer.Rejected && translation != "" {
		return translation, true, w.attempt.Funnel().Keep(chainTranslations, w.target, 1)
	}
	if w.fallback == fallbackFail {
		return "", false, fmt.Errorf("the translation into %s of row %d of %s, %q, failed the checks: give another --fallback, or a memory that has a better one",
			w.target, row.Row, row.File, dataset.Sample(text))
	}
	reason, failed := reasonRejected, cmp.Or(translation, text)
	if w.fallback == fallbackSource || translation == "" || checks.IsBroken(text, translation) {
		reason, translation = reasonNoText, benchmark.Clean(text)
	}
	id := schemas.DerivedID("translated text", row.ID, w.target, fmt.Sprint(number))
	if r := w.attempt.Rejects(); r.Wants(stepMemory, reason, w.target, id) {
		r.Add(schemas.Reject{ID: id, Source: row.File, Offset: int64(row.Row), Step: stepMemory, Reason: reason, Language: w.target,
			Detail: dataset.Sample(failed), Sample: dataset.Sample(text)})
	}
	return translation, true, w.attempt.Funnel().Drop(chainTranslations, w.target, stepMemory, reason, 1)
}
