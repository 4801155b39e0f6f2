package translations

import (
	"context"
	"errors"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/benchmark"
	"sentweave/transforms/engines"
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
	Texts         []textsFrom
	Memory        []memoryFrom
	// Judge judges what memories have; it is nil where there are none.
	Judge *judge
	// First is the ordinal of the first spilling unit.
	First    int
	Segments exchange.Exchange
	Estimate bool

	byPair map[engines.Pair]int
	// bySource are the pairs that a language is translated by.
	bySource map[string][]int
}

// textsFrom and memoryFrom are datasets that are spilled by the spilling units from
// First on.
type (
	textsFrom struct {
		Source *texts.Source
		First  int
	}
	memoryFrom struct {
		Dataset *units.Dataset
		First   int
		// Anew: rows of the same engine are judged again, since other rules or none made
		// them pass.
		Anew bool
	}
)

// Setup implements units.Task.
func (t *collectTask) Setup(ctx context.Context) error {
	t.byPair, t.bySource = map[engines.Pair]int{}, map[string][]int{}
	for i, p := range t.Pairs {
		t.byPair[p.Pair] = i
		t.bySource[p.Pair.Source] = append(t.bySource[p.Pair.Source], i)
	}
	for _, from := range t.Texts {
		if err := from.Source.Reopen(ctx); err != nil {
			return err
		}
	}
	for _, from := range t.Memory {
		if err := units.Reopen[schemas.Translation](ctx, from.Dataset); err != nil {
			return err
		}
	}
	if t.Judge == nil {
		return nil
	}
	return t.Judge.setup(ctx)
}

// Do implements units.Task.
func (t *collectTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	out, err := t.Segments.Begin(ctx, env, unit.Ordinal, combineSegments, chains(t.Estimate)...)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := t.spill(ctx, unit, out); err != nil {
		return err
	}
	return out.Commit(ctx)
}

// spill spills the unit's texts, or its part of a memory.
func (t *collectTask) spill(ctx context.Context, unit dataset.Unit, out *exchange.Output) error {
	place := unit.Ordinal - t.First
	for i := len(t.Memory) - 1; i >= 0; i-- {
		if from := t.Memory[i]; place >= from.First {
			return t.memory(ctx, from, uint64(i), unit, out)
		}
	}
	for i := len(t.Texts) - 1; i >= 0; i-- {
		if from := t.Texts[i]; place >= from.First {
			return t.texts(ctx, from.Source, unit, out)
		}
	}
	return nil
}

func (t *collectTask) texts(ctx context.Context, source *texts.Source, unit dataset.Unit, out *exchange.Output) error {
	var key, value []byte
	others, noGold := map[string]int64{}, map[string]int64{}
	err := source.Each(ctx, unit, func(x texts.Text) error {
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
			others[x.Language]++
			if r := out.Rejects(); r.Wants(stepLanguage, reasonLanguage, x.Language, x.ID) {
				r.Add(schemas.Reject{ID: x.ID, Source: x.Document, Step: stepLanguage, Reason: reasonLanguage, Language: x.Language, Sample: x.Text})
			}
			return nil
		}
		value = segment{count: 1, text: text}.append(value[:0])
		for _, pair := range pairs {
			key = t.layout().appendKey(key[:0], pair, text)
			if err := out.Add(key, value); err != nil {
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
		errs = append(errs, out.Funnel().Drop(chainTexts, language, stepGold, reasonNoGold, n))
	}
	for language, n := range others {
		errs = append(errs, out.Funnel().Drop(chainTexts, language, stepLanguage, reasonLanguage, n))
	}
	return errors.Join(errs...)
}

// memory spills what a memory has. It is judged here, before one row of a text goes
// before another: of two memories the one whose row can be used.
func (t *collectTask) memory(ctx context.Context, from memoryFrom, number uint64, unit dataset.Unit, out *exchange.Output) error {
	checker, done := t.Judge.checker()
	defer done()
	var key, value []byte
	return units.DatasetRows(ctx, from.Dataset, unit, func(row schemas.Translation) error {
		pair, ok := t.byPair[engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}]
		if !ok {
			return nil
		}
		i := t.Pairs[pair].Identity
		same := row.Engine == i.Engine && row.Model == i.Model && row.OptionsXXH3 == i.OptionsXXH3()
		if !same && t.Reuse != reuseAny {
			return nil
		}
		row.Text = benchmark.Clean(row.Text)
		t.Judge.known(checker, &row, from.Anew && same) // others, and people, are as they stand there
		rank := 1 + number
		if row.Status != schemas.TranslationOK {
			if t.RetryRejected {
				return nil
			}
			rank += rejectedRank
		}
		value = segment{rank: rank, text: row.Text, known: row}.append(value[:0])
		key = t.layout().appendKey(key[:0], pair, row.Text)
		return out.Add(key, value)
	})
}

func (t *collectTask) layout() layout {
	return layout{pairs: len(t.Pairs), buckets: t.Segments.Buckets}
}

// Routes implements units.Router.
func (t *collectTask) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.Segments.Routes(ctx, env, unit)
}
