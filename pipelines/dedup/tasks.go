package dedup

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/filters/dedup"
)

// Chains and steps of the funnel.
const (
	chainDocuments = "documents"
	chainSentences = "sentences"
	stepDuplicates = "duplicates"
)

func chains(level string) []dataset.Chain {
	list := []dataset.Chain{dataset.NewChain(chainDocuments, stepDuplicates)}
	if level != LevelDocument {
		list = append(list, dataset.NewChain(chainSentences, stepDuplicates))
	}
	return list
}

// keysTask spills the keys of a unit's texts.
type keysTask struct {
	Config    Config
	Documents graph.Part[*units.Dataset]
	Against   graph.Datasets
	// Extended is what was made of a part of the documents, nil for none.
	Extended *units.Dataset
	graph.Nothing
}

// Setup implements graph.Task.
func (t *keysTask) Setup(ctx context.Context) error {
	return errors.Join(graph.Reopen[schemas.Document](ctx, graph.Datasets{t.Documents}, t.Against),
		units.ReopenExtended[schemas.Document](ctx, t.Extended))
}

// Chains implements graph.Task.
func (t *keysTask) Chains() []dataset.Chain { return chains(t.Config.Level) }

// Spill implements graph.Spiller.
func (t *keysTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	keyer, err := dedup.New(t.Config.keys())
	if err != nil {
		return err
	}
	input, number := t.Against.Of(unit.Ordinal)
	c := claim{own: number < 0}
	if c.own {
		input, c.unit = t.Documents.From, uint32(unit.Ordinal-t.Documents.First)
	}
	if unit.Adopts != nil {
		if found, err := t.spillKept(ctx, unit, output); found || err != nil {
			return err
		}
	}
	stretches, list := levels[t.Config.Level], []dedup.Stretch(nil)
	var key, value []byte
	put := func(k dedup.Key) error {
		key, value = appendKey(key[:0], k), c.append(value[:0])
		return output.Add(key, value)
	}
	return units.DatasetRows(ctx, input, unit.Unit, func(d schemas.Document) error {
		if c.id, err = rawID(d.ID); err != nil {
			return err
		}
		if stretches == nil {
			if err := put(keyer.DocumentKey(d)); err != nil {
				return err
			}
		} else {
			list = stretches(list[:0], d.Sentences)
			for _, s := range list {
				c.sentence, c.language = uint32(s.Start), xxh3.HashString(d.Sentences[s.Start].Language)
				if err := put(keyer.Key(d.Sentences[s.Start:s.End])); err != nil {
					return err
				}
			}
		}
		c.row++
		return nil
	})
}

// losersTask finds, of each key in a bucket, all claims but the first of a language;
// what another dataset claims is lost in all languages, since what it was taken for
// there is a guess. A side of a pair is lost to another dataset, or to PerText others.
type losersTask struct {
	PerText int // 0 for any number
	// Named says that the losers' ids follow the reasons.
	Named bool
	graph.Nothing
}

// Spill implements graph.Spiller.
func (t *losersTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var last, key, value []byte
	var claimed bool       // by another dataset
	var languages []uint64 // of the winners
	var winners []claim    // of a side of pairs
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		c, err := parseClaim(record.Value)
		if err != nil {
			return err
		}
		if last == nil || !bytes.Equal(last, record.Key) {
			last, claimed, languages, winners = append(last[:0], record.Key...), false, languages[:0], winners[:0]
		}
		if !c.own {
			claimed = true
			continue
		}
		place, why := loser{c.row, c.sentence}, duplicate
		if c.sentence == side {
			place.sentence, why = 0, excess // the whole pair goes
			if !claimed && (t.PerText == 0 || wins(&winners, c, t.PerText)) {
				continue
			}
		}
		if claimed {
			why = elsewhere
		} else if c.sentence != side && !slices.Contains(languages, c.language) {
			languages = append(languages, c.language)
			continue
		}
		key = place.appendKey(key[:0], c.unit)
		if value = append(value[:0], why); t.Named {
			value = append(value, c.id[:]...)
		}
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// wins says whether the pair of a side is among the best ones of its languages that have the text, and adds it to these. An
// equal pair, which loses as a duplicate, takes no place.
func wins(winners *[]claim, c claim, most int) bool {
	count := 0
	for _, w := range *winners {
		if w.pair == c.pair {
			return true
		}
		if w.language == c.language {
			count++
		}
	}
	if count < most {
		*winners = append(*winners, c)
	}
	return count < most
}

// copyTask copies a unit's documents without the losers.
type copyTask struct {
	Config              Config
	Documents, Extended *units.Dataset
	// Named says that the exchange tells the losers' ids.
	Named bool
}

// Setup implements graph.Task.
func (t *copyTask) Setup(ctx context.Context) error {
	return errors.Join(units.Reopen[schemas.Document](ctx, t.Documents), units.ReopenExtended[schemas.Document](ctx, t.Extended))
}

// Chains implements graph.Task.
func (t *copyTask) Chains() []dataset.Chain { return chains(t.Config.Level) }

// Write implements graph.Writer.
func (t *copyTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document]) error {
	if unit.Adopts != nil {
		if same, err := t.sameLosers(ctx, unit); err != nil {
			return err
		} else if same {
			return units.Adopt(ctx, t.Extended, unit.Unit, attempt)
		}
	}
	losers, stop := newCursor(unit.Merge(ctx, nil))
	defer stop()
	row := uint32(0)
	err := units.DatasetRows(ctx, t.Documents, unit.Unit, func(d schemas.Document) error {
		defer func() { row++ }()
		if t.Config.Level != LevelDocument {
			return t.copySentences(ctx, attempt, losers, row, d)
		}
		reason, err := losers.take(loser{row, 0})
		if err != nil {
			return err
		}
		r := schemas.Reject{Reason: reason}
		if t.Config.Near != "" {
			verdict(&d, &r, losers.taken)
		}
		return t.put(ctx, attempt, d, r)
	})
	if err != nil {
		return err
	}
	return losers.finished()
}

// put writes a document, or counts why it is dropped, if r has a reason.
func (t *copyTask) put(ctx context.Context, attempt *dataset.Attempt[schemas.Document], d schemas.Document, r schemas.Reject) error {
	if r.Reason == "" {
		if err := attempt.Funnel().Keep(chainDocuments, d.Language, 1); err != nil {
			return err
		}
		return attempt.Write(ctx, d)
	}
	r.ID, r.Language = d.ID, d.Language
	if len(d.Sentences) > 0 {
		r.Sample = d.Sentences[0].Text
	}
	offer(attempt, d, r)
	return attempt.Funnel().Drop(chainDocuments, d.Language, stepDuplicates, r.Reason, 1)
}

// copySentences drops the losing sentences of a document, and those of losing stretches; their places stay
// empty, so that what stood around them is not consecutive.
func (t *copyTask) copySentences(ctx context.Context, attempt *dataset.Attempt[schemas.Document], losers *cursor, row uint32,
	d schemas.Document) error {
	reasons := make([]string, len(d.Sentences))
	for _, s := range levels[t.Config.Level](nil, d.Sentences) {
		reason, err := losers.take(loser{row, uint32(s.Start)})
		if err != nil {
			return err
		}
		for i := s.Start; i < s.End && reason != ""; i++ {
			reasons[i] = reason
		}
	}
	sentences := d.Sentences[:0]
	for i, s := range d.Sentences {
		reason, err := reasons[i], error(nil)
		if reason == "" {
			sentences = append(sentences, s)
			err = attempt.Funnel().Keep(chainSentences, s.Language, 1)
		} else {
			id := schemas.DerivedID("sentence", d.ID, strconv.Itoa(int(s.Position)))
			offer(attempt, d, schemas.Reject{ID: id, Reason: reason, Language: s.Language, Sample: s.Text})
			err = attempt.Funnel().Drop(chainSentences, s.Language, stepDuplicates, reason, 1)
		}
		if err != nil {
			return err
		}
	}
	d.Sentences = sentences
	if len(sentences) == 0 {
		return t.put(ctx, attempt, d, schemas.Reject{Reason: reasonEmpty})
	}
	return t.put(ctx, attempt, d, schemas.Reject{})
}

// offer offers what was dropped of a document, all of the document or a sentence, to the sample of rejects.
func offer(attempt *dataset.Attempt[schemas.Document], d schemas.Document, r schemas.Reject) {
	if attempt.Rejects().Wants(stepDuplicates, r.Reason, r.Language, r.ID) {
		r.Step, r.Source, r.Offset = stepDuplicates, d.Source, d.Offset
		attempt.Rejects().Add(r)
	}
}
