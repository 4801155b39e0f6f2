package decontaminate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/contamination"
)

// Chains and steps of the funnel. The texts of the tests are counted once, in the first unit.
const (
	chainDocuments = "documents"
	chainPairs     = "pairs"
	chainTests     = "tests"
	chainHits      = "contaminations"
	stepClean      = "contamination"
	stepEvidence   = "evidence"
	stepFind       = "find"
)

// reasonCommon: a text of a test that has too little evidence to be found as a whole.
const reasonCommon = "common_phrase"

// Work is what the tasks of the pipeline share.
type Work struct {
	Matching contamination.Config
	Rows     *units.Dataset
	// Items is the chain of the funnel that counts the rows: chainDocuments or chainPairs.
	Items string
	Tests []Test
	// First is the number of the first unit.
	First int

	index    *contamination.Index
	scanners *sync.Pool // of *contamination.Scanner
}

// Setup implements graph.Task.
func (w *Work) Setup(ctx context.Context) error {
	builder := contamination.NewBuilder(w.Matching)
	for _, t := range w.Tests {
		var err error
		if t.Pairs {
			err = addTexts(ctx, t.Dataset, builder, texts.OfPair, func(p schemas.Pair) string { return p.Origin })
		} else {
			err = addTexts(ctx, t.Dataset, builder, texts.OfBenchmark, func(b schemas.Benchmark) string { return b.Task })
		}
		if err != nil {
			return fmt.Errorf("against %s: %w", t.Dataset.Location, err)
		}
	}
	w.index = builder.Index()
	w.scanners = &sync.Pool{New: func() any { return w.index.NewScanner() }}
	if w.Items == chainPairs {
		return units.Reopen[schemas.Pair](ctx, w.Rows)
	}
	return units.Reopen[schemas.Document](ctx, w.Rows)
}

// addTexts adds the texts of a dataset of tests.
func addTexts[R schemas.Row](ctx context.Context, d *units.Dataset, builder *contamination.Builder, list func(R) iter.Seq[texts.Text],
	test func(R) string) error {
	if err := units.Reopen[R](ctx, d); err != nil {
		return err
	}
	for _, unit := range dataset.Pack(d.Manifest().WholeShards(), 1) {
		err := units.DatasetRows(ctx, d, unit, func(row R) error {
			for t := range list(row) {
				if err := builder.Add(contamination.Item{Test: test(row), ID: t.Row, Language: t.Language, Text: t.Text}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Chains implements graph.Task.
func (w *Work) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(w.Items, stepClean), dataset.NewChain(chainTests, stepEvidence)}
}

// countTests counts the texts of the tests by language, in the first unit: those that can be found, and those that cannot.
func (w *Work) countTests(unit graph.Unit, funnel *dataset.Funnel, rejects *dataset.Rejects) error {
	for i := 0; i < w.index.Len() && unit.Ordinal == w.First; i++ {
		item, err := w.index.Item(i), error(nil)
		if w.index.Evident(i) {
			err = funnel.Keep(chainTests, item.Language, 1)
		} else {
			rejects.Add(schemas.Reject{ID: item.ID, Source: item.Test, Step: stepEvidence, Reason: reasonCommon, Language: item.Language,
				Sample: item.Text})
			err = funnel.Drop(chainTests, item.Language, stepEvidence, reasonCommon, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part is what may hold a text of a test: the sentences of a document, or a side of a pair.
type part struct {
	side      string
	language  string
	sentences []string
	positions []int32
}

// partsOfPair are the sides of a pair.
func partsOfPair(p schemas.Pair) []part {
	parts := []part{{side: texts.SideA, language: p.LanguageA, sentences: []string{p.TextA}}}
	if p.TextB != "" {
		parts = append(parts, part{side: texts.SideB, language: p.LanguageB, sentences: []string{p.TextB}})
	}
	return parts
}

// partOfDocument are the sentences of a document.
func partOfDocument(d schemas.Document) []part {
	p := part{language: d.Language}
	for _, s := range d.Sentences {
		p.sentences, p.positions = append(p.sentences, s.Text), append(p.positions, s.Position)
	}
	return []part{p}
}

// rejectOfDocument is what the sample of rejects says of a document.
func rejectOfDocument(d schemas.Document) schemas.Reject {
	return schemas.Reject{ID: d.ID, Source: d.Source, Offset: d.Offset, Language: d.Language}
}

// judge says why a row goes, as a reject, and calls found, if it is not nil, with each text of a test that is in the row. The
// reason is "" if there is none; of several texts, the one decides that is found most completely.
func (w *Work) judge(row schemas.Reject, parts []part,
	found func(p part, hit contamination.Hit, item contamination.Item) error) (schemas.Reject, error) {
	scanner, best := w.scanners.Get().(*contamination.Scanner), 0.
	row.Step = stepClean
	defer w.scanners.Put(scanner)
	for _, p := range parts {
		for _, hit := range scanner.Scan(p.sentences...) {
			item := w.index.Item(hit.Item)
			if hit.Share > best {
				best = hit.Share
				row.Reason, row.Sample = item.Test+" "+item.Language, hit.Text(p.sentences)
				row.Detail = fmt.Sprintf("%.2f of item %s: %s", hit.Share, item.ID, excerpt.Bytes(item.Text, schemas.MaxSample))
			}
			if found == nil {
				continue
			}
			if err := found(p, hit, item); err != nil {
				return row, err
			}
		}
	}
	return row, nil
}

// documentsTask writes the documents without texts of tests.
type documentsTask struct{ Work }

// Write implements graph.Writer.
func (t *documentsTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document]) error {
	if err := t.countTests(unit, attempt.Funnel(), attempt.Rejects()); err != nil {
		return err
	}
	return units.DatasetRows(ctx, t.Rows, unit.Unit, func(d schemas.Document) error {
		r, _ := t.judge(rejectOfDocument(d), partOfDocument(d), nil)
		if r.Reason == "" {
			return errors.Join(attempt.Funnel().Keep(chainDocuments, d.Language, 1), attempt.Write(ctx, d))
		}
		attempt.Rejects().Add(r)
		return attempt.Funnel().Drop(chainDocuments, d.Language, stepClean, r.Reason, 1)
	})
}

// pairsTask writes the pairs without texts of tests.
type pairsTask struct{ Work }

// Write implements graph.Writer.
func (t *pairsTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	if err := t.countTests(unit, attempt.Funnel(), attempt.Rejects()); err != nil {
		return err
	}
	return units.DatasetRows(ctx, t.Rows, unit.Unit, func(p schemas.Pair) error {
		r, _ := t.judge(p.Reject(stepClean, ""), partsOfPair(p), nil)
		if r.Reason == "" {
			return errors.Join(attempt.Funnel().Keep(chainPairs, r.Language, 1), attempt.Write(ctx, p))
		}
		attempt.Rejects().Add(r)
		return attempt.Funnel().Drop(chainPairs, r.Language, stepClean, r.Reason, 1)
	})
}

// hitsTask writes what is found.
type hitsTask struct{ Work }

// Chains implements graph.Task.
func (t *hitsTask) Chains() []dataset.Chain {
	return append(t.Work.Chains(), dataset.NewChain(chainHits, stepFind))
}

// Write implements graph.Writer.
func (t *hitsTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Contamination]) error {
	if err := t.countTests(unit, attempt.Funnel(), attempt.Rejects()); err != nil {
		return err
	}
	if t.Items == chainPairs {
		return units.DatasetRows(ctx, t.Rows, unit.Unit, func(p schemas.Pair) error {
			return t.write(ctx, attempt, p.Reject(stepClean, ""), partsOfPair(p))
		})
	}
	return units.DatasetRows(ctx, t.Rows, unit.Unit, func(d schemas.Document) error {
		return t.write(ctx, attempt, rejectOfDocument(d), partOfDocument(d))
	})
}

// maxText bounds a text of a row that is written, in bytes.
const maxText = 4 << 10

// write writes what is found in a row, and counts the row as the other tasks do.
func (t *hitsTask) write(ctx context.Context, attempt *dataset.Attempt[schemas.Contamination], row schemas.Reject, parts []part) error {
	r, err := t.judge(row, parts, func(p part, hit contamination.Hit, item contamination.Item) error {
		c := schemas.Contamination{ID: schemas.DerivedID("contamination", row.ID, p.side, item.ID, item.Language, item.Text), Row: row.ID,
			Side: p.side, Test: item.Test, TestLanguage: item.Language, Item: item.ID, Language: p.language, Share: float32(hit.Share),
			Bits: float32(hit.Bits), TestText: item.Text, Text: excerpt.Bytes(hit.Text(p.sentences), maxText)}
		if p.positions != nil {
			c.Position = &p.positions[hit.First]
		}
		return errors.Join(attempt.Funnel().Keep(chainHits, item.Language, 1), attempt.Write(ctx, c))
	})
	if err != nil || r.Reason == "" {
		return errors.Join(err, attempt.Funnel().Keep(t.Items, r.Language, 1))
	}
	attempt.Rejects().Add(r)
	return attempt.Funnel().Drop(t.Items, r.Language, stepClean, r.Reason, 1)
}
