// Package ordered spreads the items of a sequence over goroutines and keeps their order.
package ordered

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

// Map yields what work makes of each item of a sequence, in the order of the items, whatever the number of workers, which
// must be at least 1. The sequence is read by a goroutine of its own, while the workers work on earlier items and the
// consumer uses still earlier results. So Maps of Maps are a pipeline whose stages all run at once.
//
// At most workers+3 items or results are in memory: one that was read, those that are worked on or wait, and one that the
// consumer has. A slow stage therefore stops those before it. The first error, in the order of the items, of the sequence
// or of work is the last thing that is yielded, as is the cause for which ctx ended. Work gets a context that also ends
// when the consumer wants no more, which stops earlier Maps once they have made their next result. When the sequence ends, no
// goroutine is left.
func Map[In, Out any](ctx context.Context, workers int, items iter.Seq2[In, error],
	work func(context.Context, In) (Out, error)) iter.Seq2[Out, error] {
	type result struct {
		value Out
		err   error
	}
	return func(yield func(Out, error) bool) {
		var group errgroup.Group
		group.SetLimit(workers + 1)
		defer func() { _ = group.Wait() }() // errors come in order
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		queue := make(chan chan result, workers)
		group.Go(func() error {
			defer close(queue)
			for item, err := range items {
				place := make(chan result, 1)
				select {
				case queue <- place:
				case <-ctx.Done():
					return nil
				}
				if err != nil {
					place <- result{err: err}
					return nil
				}
				group.Go(func() error {
					value, err := work(ctx, item)
					place <- result{value, err}
					return nil
				})
			}
			return nil
		})
		for place := range queue {
			r := <-place
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
		if ctx.Err() != nil {
			var zero Out
			yield(zero, context.Cause(ctx))
		}
	}
}
