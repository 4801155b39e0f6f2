package batches

import (
	"cmp"
	"slices"

	"sentweave/transforms/random"
)

// Place is one between two batches of a loader. With BatchTokens it cannot be found by counting, since a batch has as
// many examples as their lengths allow: whoever goes on with a loader keeps the place after the last batch.
type Place struct {
	// Pool is the number of the pool that the next batch is in, and Row the number of examples in the pools before, of all
	// epochs.
	Pool int64 `json:"pool"`
	Row  int64 `json:"row"`
	// Batch counts the batches of the pool before.
	Batch int64 `json:"batch"`
}

// place is the one before a batch, counted from 0, where batches have so many examples.
func (l *Loader) place(batch int64) Place {
	return Place{Pool: batch / l.pool, Row: batch / l.pool * l.poolRows(), Batch: batch % l.pool}
}

// full says whether so many examples of so many tokens are a pool: with BatchTokens, one of some poolBatches batches, or of
// as many examples as the dataset has.
func (l *Loader) full(rows int, tokens int64) bool {
	if most := int64(l.config.Source.BatchTokens); most > 0 {
		return tokens >= poolBatches*most || int64(rows) == l.order.rows
	}
	return int64(rows) == l.poolRows()
}

// cut makes batches of a pool of examples.
func (l *Loader) cut(pool []entry, minimum int, s *random.Stream) [][]entry {
	if most := l.config.Source.BatchTokens; most > 0 {
		return bucketTokens(pool, most, s)
	}
	return bucket(pool, l.config.Source.BatchSize, minimum, s)
}

// bucketTokens cuts a pool into batches of examples of like length, in random order, of at most so many tokens, which no example
// has more of. All have about the same number: the pool is cut where its tokens, added up in the order of lengths, pass
// the next of equal parts. These are as many as leave room for the example that passes one.
func bucketTokens(pool []entry, most int, s *random.Stream) (batches [][]entry) {
	slices.SortStableFunc(pool, func(a, b entry) int { return cmp.Compare(a.length/lengthStep, b.length/lengthStep) })
	total, longest := 0, 0
	for _, e := range pool {
		total, longest = total+e.length, max(longest, e.length)
	}
	room := most - longest + 1
	parts, sum, current := (total+room-1)/room, 0, -1
	for _, e := range pool {
		if part := sum * parts / total; part > current {
			batches, current = append(batches, nil), part
		}
		batches[len(batches)-1] = append(batches[len(batches)-1], e)
		sum += e.length
	}
	random.Shuffle(s, batches)
	return batches
}
