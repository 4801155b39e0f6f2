package sample

import (
	"context"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/filters/bottomk"
)

// Chains, steps and reasons of the funnel.
const (
	chainDocuments = "documents"
	chainPairs     = "pairs"
	stepSample     = "sample"

	// ReasonNotDrawn: the row is not in the sample.
	ReasonNotDrawn = "not_drawn"
)

// languagesOf is the language of a document or the pair of languages of a pair, by which rows are counted
// and sampled.
func languagesOf(p *schemas.Pair) string { return schemas.LanguagePair(p.LanguageA, p.LanguageB) }

// Ranking is what the tasks that rank have in common.
type Ranking struct {
	Config        Config
	Rows          *units.Dataset
	Seed          uint64
	Ranges, First int
	graph.Nothing
}

// ranksTask spills the ranks of a unit's documents.
type ranksTask struct{ Ranking }

// Setup implements graph.Task.
func (t *ranksTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Document](ctx, t.Rows)
}

// Spill implements graph.Spiller.
func (t *ranksTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	r := t.ranker(unit, output)
	err := units.DatasetRows(ctx, t.Rows, unit.Unit, func(d schemas.Document) error { return r.add(d.ID, d.Language) })
	if err != nil {
		return err
	}
	return r.report()
}

// pairRanksTask spills the ranks of a unit's pairs.
type pairRanksTask struct{ Ranking }

// Setup implements graph.Task.
func (t *pairRanksTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Pair](ctx, t.Rows)
}

// Spill implements graph.Spiller.
func (t *pairRanksTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	r := t.ranker(unit, output)
	err := units.DatasetRows(ctx, t.Rows, unit.Unit, func(p schemas.Pair) error { return r.add(p.ID, languagesOf(&p)) })
	if err != nil {
		return err
	}
	return r.report()
}

// ranker spills the ranks of a unit's rows to their ranges, and counts of them to the quotas.
type ranker struct {
	*Ranking
	out    *exchange.Output
	place  place
	counts map[string][]int64 // of each stratum, by range
	key    []byte
}

func (t *Ranking) ranker(unit graph.Unit, output *exchange.Output) *ranker {
	return &ranker{Ranking: t, out: output, place: place{unit: uint32(unit.Ordinal - t.First)}, counts: map[string][]int64{}}
}

// add takes the next row.
func (r *ranker) add(id, languages string) error {
	stratum, rank := r.Config.stratumOf(languages), bottomk.Rank(r.Seed, id)
	bucket := bottomk.Bucket(rank, r.Ranges)
	list := r.counts[stratum]
	if list == nil {
		list = make([]int64, r.Ranges)
		r.counts[stratum] = list
	}
	list[bucket]++
	r.key = appendClaim(r.key[:0], 1+bucket, stratum, rank, r.place)
	r.place.row++
	return r.out.Add(r.key, nil)
}

// report spills the counts.
func (r *ranker) report() error {
	for stratum, list := range r.counts { // the exchange sorts them
		for bucket, n := range list {
			if n == 0 {
				continue
			}
			r.key = appendCount(r.key[:0], stratum, bucket)
			if err := r.out.Add(r.key, exchange.AppendCount(nil, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// quotasTask is two things. Its first unit says how many rows of each stratum each range gives. The
// others, one for each range, pass its ranks on.
type quotasTask struct {
	Config Config
	First  int
	graph.Nothing
}

// Spill implements graph.Spiller.
func (t *quotasTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if bucket := unit.Ordinal - t.First - 1; bucket >= 0 {
		var key []byte
		for record, err := range unit.Merge(ctx, nil) {
			if err != nil {
				return err
			}
			key = append(exchange.UnitKey(key[:0], bucket), record.Key[4:]...)
			if err := output.Add(key, nil); err != nil {
				return err
			}
		}
		return nil
	}
	var strata []bottomk.Stratum // first the totals, then the ranges, so that only totals are held
	for c, err := range counted(unit.Merge(ctx, exchange.Sum)) {
		if err != nil {
			return err
		}
		if last := len(strata) - 1; last < 0 || strata[last].Name != c.stratum {
			strata = append(strata, bottomk.Stratum{Name: c.stratum})
		}
		strata[len(strata)-1].Records += c.rows
	}
	drawn := t.Config.quotas(strata)
	var key []byte
	current := 0
	for c, err := range counted(unit.Merge(ctx, exchange.Sum)) {
		if err != nil {
			return err
		}
		for strata[current].Name != c.stratum {
			current++
		}
		take := min(c.rows, drawn[current])
		drawn[current] -= take
		if take == 0 {
			continue
		}
		key = appendQuota(key[:0], c.bucket, c.stratum)
		if err := output.Add(key, exchange.AppendCount(nil, take)); err != nil {
			return err
		}
	}
	return nil
}

// drawTask draws the rows of one range of ranks: of each stratum, those with the lowest ranks.
type drawTask struct{ graph.Nothing }

// Spill implements graph.Spiller.
func (t *drawTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key []byte
	remaining, stratum := int64(0), "" // rows to draw, and the stratum
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		c, err := parseClaim(record.Key)
		if err != nil {
			return err
		}
		switch {
		case c.quota: // which comes before the claims of its stratum
			remaining, stratum = exchange.Count(record.Value), string(c.stratum)
		case remaining > 0 && stratum == string(c.stratum):
			remaining--
			key = c.place.appendKey(key[:0])
			if err := output.Add(key, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyTask copies the documents of a unit that are drawn.
type copyTask struct{ Rows *units.Dataset }

// Setup implements graph.Task.
func (t *copyTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Document](ctx, t.Rows)
}

// Chains implements graph.Task.
func (t *copyTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainDocuments, stepSample)}
}

// Write implements graph.Writer.
func (t *copyTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document]) error {
	c := copier[schemas.Document]{t.Rows, chainDocuments, func(d *schemas.Document) (string, string) { return d.ID, d.Language }}
	return c.copy(ctx, unit, attempt, func(d schemas.Document) schemas.Reject {
		r := schemas.Reject{Source: d.Source, Offset: d.Offset}
		if len(d.Sentences) > 0 {
			r.Sample = d.Sentences[0].Text
		}
		return r
	})
}

// pairCopyTask copies the pairs of a unit that are drawn.
type pairCopyTask struct{ Rows *units.Dataset }

// Setup implements graph.Task.
func (t *pairCopyTask) Setup(ctx context.Context) error {
	return units.Reopen[schemas.Pair](ctx, t.Rows)
}

// Chains implements graph.Task.
func (t *pairCopyTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainPairs, stepSample)}
}

// Write implements graph.Writer.
func (t *pairCopyTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	c := copier[schemas.Pair]{t.Rows, chainPairs, func(p *schemas.Pair) (string, string) { return p.ID, languagesOf(p) }}
	return c.copy(ctx, unit, attempt, func(p schemas.Pair) schemas.Reject { return p.Reject(stepSample, ReasonNotDrawn) })
}

// copier copies the rows of a unit that are drawn.
type copier[R schemas.Row] struct {
	rows *units.Dataset
	// items is the chain of the funnel.
	items string
	// identify returns the id of a row, and its language or pair of languages.
	identify func(row *R) (id, languages string)
}

// copy writes the rows that are drawn. Rejected is what the sample of rejects tells of a row beside its
// id, its language and why it goes.
func (c *copier[R]) copy(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[R], rejected func(R) schemas.Reject) error {
	next, stop := iter.Pull2(drawnRows(unit.Merge(ctx, nil)))
	defer stop()
	drawn, err, ok := next()
	if err != nil {
		return err
	}
	number := uint32(0)
	err = units.DatasetRows(ctx, c.rows, unit.Unit, func(row R) error {
		defer func() { number++ }()
		id, languages := c.identify(&row)
		if !ok || drawn != number {
			if attempt.Rejects().Wants(stepSample, ReasonNotDrawn, languages, id) {
				r := rejected(row)
				r.ID, r.Language, r.Step, r.Reason = id, languages, stepSample, ReasonNotDrawn
				attempt.Rejects().Add(r)
			}
			return attempt.Funnel().Drop(c.items, languages, stepSample, ReasonNotDrawn, 1)
		}
		if drawn, err, ok = next(); err != nil {
			return err
		}
		if err := attempt.Funnel().Keep(c.items, languages, 1); err != nil {
			return err
		}
		return attempt.Write(ctx, row)
	})
	if err == nil && ok {
		err = fmt.Errorf("the exchange names row %d, the unit has %d rows", drawn, number)
	}
	return err
}

// drawnRows are the numbers of a unit's rows that are drawn, in order.
func drawnRows(records iter.Seq2[spill.Record, error]) iter.Seq2[uint32, error] {
	return func(yield func(uint32, error) bool) {
		for record, err := range records {
			var row uint32
			if err == nil {
				row, err = parseRow(record.Key)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
