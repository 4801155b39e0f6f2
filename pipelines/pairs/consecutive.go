package pairs

import (
	"context"
	"strconv"
	"unicode"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairs/pairing"
)

// Steps and chains of the funnel.
const (
	chainPages  = "pages"
	chainBlocks = "blocks"
	chainPairs  = "pairs"
	stepPair    = "pair"
	stepJoin    = "join"
	stepMatch   = "match"
	stepVectors = "vectors"

	// ChainSentences is what CountSentences counts, at StepPair.
	ChainSentences = "sentences"
	StepPair       = stepPair
)

// consecutiveTask pairs the texts of each document.
type consecutiveTask struct {
	Config    Settings
	Seed      uint64
	Documents *units.Dataset

	pairer *pairing.Pairer
}

// Setup implements graph.Task.
func (t *consecutiveTask) Setup(ctx context.Context) (err error) {
	if t.pairer, err = pairing.New(t.Config.pairing(t.Seed)); err != nil {
		return err
	}
	return units.Reopen[schemas.Document](ctx, t.Documents)
}

// Chains implements graph.Task.
func (t *consecutiveTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(ChainSentences, stepPair), dataset.NewChain(chainPairs, stepPair)}
}

// Write implements graph.Writer.
func (t *consecutiveTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	var rows []schemas.Pair
	var result pairing.Result
	return units.DatasetRows(ctx, t.Documents, unit.Unit, func(d schemas.Document) (err error) {
		if rows, err = t.pairer.Rows(rows[:0], &result, d, words, "corpus"); err != nil {
			return err
		}
		if err := CountSentences(attempt.Funnel(), attempt.Rejects(), d, result.Reasons); err != nil {
			return err
		}
		for i := range rows {
			if err := attempt.Funnel().Keep(chainPairs, schemas.LanguagePair(rows[i].LanguageA, rows[i].LanguageB), 1); err != nil {
				return err
			}
			if err := attempt.Write(ctx, rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// CountSentences counts the sentences of a document that are in a pair, and
// those that do not, of which it offers samples. Reasons are those of
// pairing.Result. The funnel must have ChainSentences with StepPair.
func CountSentences(f *dataset.Funnel, r *dataset.Rejects, d schemas.Document, reasons []string) error {
	for from := 0; from < len(reasons); {
		// Neighbours mostly share language and fate: counted at once.
		to := from + 1
		for to < len(reasons) && reasons[to] == reasons[from] && d.Sentences[to].Language == d.Sentences[from].Language {
			to++
		}
		var err error
		if language := d.Sentences[from].Language; reasons[from] == "" {
			err = f.Keep(ChainSentences, language, int64(to-from))
		} else {
			err = f.Drop(ChainSentences, language, stepPair, reasons[from], int64(to-from))
			for _, s := range d.Sentences[from:to] {
				rejectSentence(r, d, s, reasons[from])
			}
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

func rejectSentence(r *dataset.Rejects, d schemas.Document, s schemas.Sentence, reason string) {
	position := strconv.Itoa(int(s.Position))
	id := schemas.DerivedID("sentence", d.ID, position)
	if !r.Wants(stepPair, reason, s.Language, id) {
		return
	}
	r.Add(schemas.Reject{
		ID: id, Source: d.Source, Offset: d.Offset, Step: stepPair, Reason: reason, Language: s.Language,
		Detail: "position " + position, Sample: s.Text,
	})
}

// words counts what white space separates, and every character of a script that
// is written without spaces: a measure that needs no vocabulary.
func words(text string) int {
	n := 0
	inside := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			inside = false
		case r >= firstUnspaced && unicode.In(r, unspaced...) && unicode.IsLetter(r):
			n++
			inside = false
		case !inside:
			n++
			inside = true
		}
	}
	return n
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// firstUnspaced is the first character of them.
const firstUnspaced = '\u0e01'
