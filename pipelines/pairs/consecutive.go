package pairs

import (
	"context"
	"strings"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairing"
)

// Steps and chains of the funnel.
const (
	chainPairs     = "pairs"
	chainSentences = "sentences"
	chainBlocks    = "blocks"
	stepPair       = "pair"
	stepJoin       = "join"
)

// consecutiveTask pairs the texts of each document.
type consecutiveTask struct {
	Config    Config
	Seed      uint64
	Documents *units.Dataset

	pairer *pairing.Pairer
}

// Setup implements units.Task.
func (t *consecutiveTask) Setup(ctx context.Context) (err error) {
	if t.pairer, err = pairing.New(t.Config.pairing(t.Seed)); err != nil {
		return err
	}
	return units.Reopen[schemas.Document](ctx, t.Documents)
}

// Do implements units.Task.
func (t *consecutiveTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal,
		dataset.NewChain(chainSentences, stepPair), dataset.NewChain(chainPairs, stepPair))
	if err != nil {
		return err
	}
	defer attempt.Abort()
	var rows []schemas.Pair
	var result pairing.Result
	err = units.DatasetRows(ctx, t.Documents, unit, func(d schemas.Document) error {
		if rows, err = t.pairer.Rows(rows[:0], &result, d, words, "corpus"); err != nil {
			return err
		}
		for i, reason := range result.Reasons {
			s := d.Sentences[i]
			if reason == "" {
				err = attempt.Funnel().Keep(chainSentences, s.Language, 1)
			} else {
				err = attempt.Funnel().Drop(chainSentences, s.Language, stepPair, reason, 1)
				attempt.Rejects().Add(schemas.Reject{
					ID: d.ID, Source: d.Source, Offset: d.Offset, Step: stepPair, Reason: reason, Language: s.Language, Sample: s.Text,
				})
			}
			if err != nil {
				return err
			}
		}
		for _, row := range rows {
			if err := attempt.Funnel().Keep(chainPairs, languagePair(row.LanguageA, row.LanguageB), 1); err != nil {
				return err
			}
			if err := attempt.Write(ctx, row); err != nil {
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

// words counts what white space separates: a measure that needs no vocabulary.
func words(text string) int { return len(strings.Fields(text)) }

// languagePair is the language of a pair in a funnel: the codes in their order,
// one of them if both are equal.
func languagePair(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a > b:
		a, b = b, a
	}
	return a + "-" + b
}
