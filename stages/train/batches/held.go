package batches

import (
	"context"

	"sentweave/transforms/random"
)

// ValidationBatches reads the batches on which a source is validated: the first examples of the
// shuffled order, each once.
func ValidationBatches(ctx context.Context, e *Examples, c LoaderConfig, limit int) (batches []*Batch, err error) {
	l, err := NewLoader(e, c)
	if err != nil {
		return nil, err
	}
	if err := l.CheckFirst(ctx); err != nil {
		return nil, err
	}
	n := int(min(e.Rows(), int64(max(limit, c.Source.BatchSize))))
	entries := make([]entry, 0, n)
	l.order.from(0, func(w window, _ int) bool {
		var list []example
		if list, err = l.read(ctx, w.groups); err != nil {
			return false
		}
		next := l.order.shuffled(w, list)
		entries = append(entries, next[:min(len(next), n-len(entries))]...)
		return len(entries) < n
	})
	if err != nil {
		return nil, err
	}
	minimum, pool := l.fit.objective.Smallest(), int(l.poolRows())
	if c.Source.BatchTokens > 0 {
		pool = n
	}
	for i := int64(0); len(entries) > 0; i++ {
		m := len(entries)
		if m >= pool+c.Source.BatchSize { // what is less than a batch belongs to the pool before
			m = pool
		}
		s := random.New(Streams, c.Seed, "shuffle batches", c.Name, i)
		for _, list := range l.cut(entries[:m], minimum, &s) {
			b, err := l.fill(list)
			if err != nil {
				return nil, err
			}
			batches = append(batches, b)
		}
		entries = entries[m:]
	}
	return batches, nil
}
