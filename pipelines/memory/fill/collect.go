package fill

import (
	"context"
	"errors"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
	"sentweave/transforms/testsets/benchmark"
)

// Chains and steps of the funnel. Texts in other languages are counted by theirs, all
// else by pairs of languages ("eng-spa").
const (
	chainTexts      = "texts"
	chainCharacters = "characters"
	chainSegments   = "segments"
	chainRequests   = "requests"
	chainAnswers    = "answers"
	stepGold        = "gold"
	stepLanguage    = "language"
	stepUnique      = "unique"
	stepMemory      = "memory"
	stepEngine      = "engine"
	stepQuality     = "quality"
	stepCut         = "cut"

	reasonNoGold   = "no_gold"
	reasonLanguage = "other_language"
	reasonRepeated = "repeated"
	reasonKnown    = "known"
)

// chains are those of a job that translates, or of one that only counts. The texts that
// pass are the rows, with a usable answer or without.
func chains(estimate bool) []dataset.Chain {
	list := []dataset.Chain{
		dataset.NewChain(chainTexts, stepGold, stepLanguage, stepUnique),
		// The characters of unique texts; what no memory has is sent.
		dataset.NewChain(chainCharacters, stepMemory),
	}
	if estimate {
		return append(list, dataset.NewChain(chainSegments, stepMemory), dataset.NewChain(chainRequests, stepCut))
	}
	return append(list, dataset.NewChain(chainAnswers, stepEngine, stepQuality))
}

// collectTask spills the texts that are to be translated, and the translations that
// memories have.
type collectTask struct {
	Reuse         string
	RetryRejected bool
	GoldOnly      bool
	Pairs         []pairEngine
	Texts         graph.Parts[*texts.Source]
	Memory        graph.Datasets
	// Anew says of each memory that rows of the same engine are judged again, since other
	// rules or none made them pass.
	Anew []bool
	// Judge judges what memories have; it is nil where there are none.
	Judge    *judge
	Layout   layout
	Estimate bool

	byPair map[engines.Pair]int
	// bySource are the pairs that a language is translated by.
	bySource map[string][]int
}

// Setup implements graph.Task.
func (t *collectTask) Setup(ctx context.Context) error {
	t.byPair, t.bySource = map[engines.Pair]int{}, map[string][]int{}
	for i, p := range t.Pairs {
		t.byPair[p.Pair] = i
		t.bySource[p.Pair.Source] = append(t.bySource[p.Pair.Source], i)
	}
	for _, part := range t.Texts {
		if err := part.From.Reopen(ctx); err != nil {
			return err
		}
	}
	if err := graph.Reopen[schemas.Translation](ctx, t.Memory); err != nil || t.Judge == nil {
		return err
	}
	return t.Judge.setup(ctx)
}

// Chains implements graph.Task.
func (t *collectTask) Chains() []dataset.Chain { return chains(t.Estimate) }

// Combine implements graph.Spiller.
func (t *collectTask) Combine() exchange.Combine { return combineSegments }

// Spill implements graph.Spiller: the unit's texts, or its part of a memory.
func (t *collectTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if memory, number := t.Memory.Of(unit.Ordinal); number >= 0 {
		return t.memory(ctx, memory, number, unit, output)
	}
	source, _ := t.Texts.Of(unit.Ordinal)
	return t.texts(ctx, source, unit, output)
}

func (t *collectTask) texts(ctx context.Context, source *texts.Source, unit graph.Unit, output *exchange.Output) error {
	var key, value []byte
	foreign, noGold := map[string]int64{}, map[string]int64{}
	err := source.Each(ctx, unit.Unit, func(x texts.Text) error {
		text := benchmark.Clean(x.Text) // texts that differ in white space are one
		if text == "" {
			return nil
		}
		if t.GoldOnly && x.NoGold {
			noGold[x.Language]++
			return nil
		}
		pairs := t.bySource[x.Language]
		if len(pairs) == 0 {
			foreign[x.Language]++
			if r := output.Rejects(); r.Wants(stepLanguage, reasonLanguage, x.Language, x.ID) {
				r.Add(schemas.Reject{ID: x.ID, Source: x.Document, Step: stepLanguage, Reason: reasonLanguage, Language: x.Language,
					Sample: x.Text})
			}
			return nil
		}
		value = segment{count: 1, text: text}.append(value[:0])
		for _, pair := range pairs {
			key = t.Layout.appendKey(key[:0], pair, text)
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var errs []error // counting commutes
	for language, n := range noGold {
		errs = append(errs, output.Funnel().Drop(chainTexts, language, stepGold, reasonNoGold, n))
	}
	for language, n := range foreign {
		errs = append(errs, output.Funnel().Drop(chainTexts, language, stepLanguage, reasonLanguage, n))
	}
	return errors.Join(errs...)
}

// memory spills what a memory has. It is judged here, before one row of a text goes
// before another: of two memories the one whose row can be used.
func (t *collectTask) memory(ctx context.Context, memory *units.Dataset, number int, unit graph.Unit, output *exchange.Output) error {
	checker, release := t.Judge.checker()
	defer release()
	var key, value []byte
	return units.DatasetRows(ctx, memory, unit.Unit, func(row schemas.Translation) error {
		pair, ok := t.byPair[engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}]
		if !ok {
			return nil
		}
		i := t.Pairs[pair].Identity
		identical := row.Engine == i.Engine && row.Model == i.Model && row.OptionsXXH3 == i.OptionsXXH3()
		if !identical && t.Reuse != reuseAny {
			return nil
		}
		row.Text = benchmark.Clean(row.Text)
		t.Judge.known(checker, &row, t.Anew[number] && identical) // others, and people, are as they are there
		rank := 1 + uint64(number)
		if row.Status != schemas.TranslationOK {
			if t.RetryRejected {
				return nil
			}
			rank += rejectedRank
		}
		value = segment{rank: rank, text: row.Text, known: row}.append(value[:0])
		key = t.Layout.appendKey(key[:0], pair, row.Text)
		return output.Add(key, value)
	})
}
