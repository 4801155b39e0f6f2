package wordcounts

import (
	"context"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// adopting returns a unit for each one that wrote word counts, which hands these on beside those of new rows. The units name the
// shards that were counted, so that what comes out can be extended in its turn.
func adopting(old []dataset.Unit) (list []dataset.Unit) {
	var spans []dataset.Span
	for i, u := range old {
		if u.Adopts == nil && len(u.Spans) == 0 { // it sums
			list = append(list, dataset.Unit{Adopts: &old[i].Ordinal})
		}
		spans = append(spans, u.Spans...)
	}
	for i := range list {
		list[i].Spans = spans[len(spans)*i/len(list) : len(spans)*(i+1)/len(list)]
	}
	return list
}

// adopt spills the word counts of a unit of the dataset that is extended. The first unit also counts the sentences and words that
// they are of.
func (t *Counting) adopt(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if *unit.Adopts == 0 {
		counted, err := units.WholeFunnel(ctx, t.Extended)
		if err == nil {
			chains := slices.Clone(counted.Chains)
			chains[len(chains)-1] = dataset.NewChain(chainWordCounts, stepSum) // which the units that sum count
			err = output.Funnel().Add(&dataset.Funnel{Chains: chains})
		}
		if err != nil {
			return err
		}
	}
	var key, value []byte
	return units.DatasetRows(ctx, t.Extended, t.Extended.WrittenBy(*unit.Adopts), func(row schemas.WordCount) error {
		key, value = appendKey(key[:0], row.Word, row.Language), exchange.AppendCount(value[:0], row.Count)
		return output.Add(key, value)
	})
}
