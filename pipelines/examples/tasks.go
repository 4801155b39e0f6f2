package examples

import (
	"context"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairing"
)

// documentsTask makes examples of consecutive sequences.
type documentsTask struct {
	Maker maker
	Input *units.Dataset
}

// Setup implements units.Task.
func (t *documentsTask) Setup(ctx context.Context) error {
	if err := t.Maker.setup(); err != nil {
		return err
	}
	return units.Reopen[schemas.Document](ctx, t.Input)
}

// Do implements units.Task.
func (t *documentsTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Example](env.Folder, env.Plan, unit.Ordinal,
		dataset.NewChain(chainSentences, stepPair), dataset.NewChain(chainExamples, stepMask))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	var e encoded
	var result pairing.Result
	m := &t.Maker
	var side []int32
	err = units.DatasetRows(ctx, t.Input, unit, func(d schemas.Document) error {
		e.encode(m.tokenizer, d.Sentences)
		m.pairer.Pairs(&result, d.ID, e.sentences)
		if err := countSentences(attempt, d, result.Reasons); err != nil {
			return err
		}
		for _, p := range result.Pairs {
			row := schemas.Example{
				ID: pairID(d, p), Kind: schemas.KindConsecutive,
				LanguageA: d.Sentences[p.A.First].Language, LanguageB: d.Sentences[p.B.First].Language,
			}
			side = p.A.Append(side[:0], e.tokens)
			row.TokensA = m.wrap(side)
			side = p.B.Append(side[:0], e.tokens)
			row.TokensB = m.wrap(side)
			if err := m.write(ctx, attempt, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return attempt.Commit(ctx)
}

// countSentences counts the sentences that stand in no pair, and samples them.
func countSentences(attempt *dataset.Attempt[schemas.Example], d schemas.Document, reasons []string) error {
	for i, reason := range reasons {
		s := d.Sentences[i]
		if reason == "" {
			if err := attempt.Funnel().Keep(chainSentences, s.Language, 1); err != nil {
				return err
			}
			continue
		}
		if err := attempt.Funnel().Drop(chainSentences, s.Language, stepPair, reason, 1); err != nil {
			return err
		}
		id := schemas.DerivedID("sentence", d.ID, fmt.Sprint(s.Position))
		if attempt.Rejects().Wants(stepPair, reason, s.Language, id) {
			attempt.Rejects().Add(schemas.Reject{
				ID: id, Source: d.Source, Offset: d.Offset, Step: stepPair, Reason: reason, Language: s.Language,
				Detail: fmt.Sprint("position ", s.Position), Sample: s.Text,
			})
		}
	}
	return nil
}

// pairsTask makes examples of pairs of any kind.
type pairsTask struct {
	Maker maker
	Input *units.Dataset
}

// Setup implements units.Task.
func (t *pairsTask) Setup(ctx context.Context) error {
	if err := t.Maker.setup(); err != nil {
		return err
	}
	return units.Reopen[schemas.Pair](ctx, t.Input)
}

// labels are the classes of NLI pairs.
var labels = map[string]int32{"entailment": 0, "neutral": 1, "contradiction": 2}

// Do implements units.Task.
func (t *pairsTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Example](env.Folder, env.Plan, unit.Ordinal,
		dataset.NewChain(chainPairs, stepTokenize), dataset.NewChain(chainExamples, stepMask))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	m := &t.Maker
	var a, b []int32
	err = units.DatasetRows(ctx, t.Input, unit, func(p schemas.Pair) error {
		language := p.LanguageA
		if p.LanguageB != "" && p.LanguageB != p.LanguageA {
			language = min(p.LanguageA, p.LanguageB) + "-" + max(p.LanguageA, p.LanguageB)
		}
		a, b = m.tokenizer.Encode(a[:0], p.TextA), m.tokenizer.Encode(b[:0], p.TextB)
		if len(a) == 0 || p.Kind != schemas.KindSingle && len(b) == 0 {
			attempt.Rejects().Add(schemas.Reject{
				ID: p.ID, Source: p.DocumentA, Step: stepTokenize, Reason: reasonNoTokens, Language: language, Sample: p.TextA + "\n" + p.TextB,
			})
			return attempt.Funnel().Drop(chainPairs, language, stepTokenize, reasonNoTokens, 1)
		}
		if err := attempt.Funnel().Keep(chainPairs, language, 1); err != nil {
			return err
		}
		row := schemas.Example{ID: p.ID, Kind: p.Kind, LanguageA: p.LanguageA, LanguageB: p.LanguageB, TokensA: m.wrap(a), Group: p.Group}
		if p.Kind != schemas.KindSingle {
			row.TokensB = m.wrap(b)
		}
		if p.Label != "" {
			label, ok := labels[p.Label]
			if !ok {
				return fmt.Errorf("pair %s: label %q is none of entailment, neutral, contradiction", p.ID, p.Label)
			}
			row.Label = &label
		}
		if p.Target != nil {
			target := float32(*p.Target)
			row.Target = &target
		}
		return m.write(ctx, attempt, row)
	})
	if err != nil {
		return err
	}
	return attempt.Commit(ctx)
}
