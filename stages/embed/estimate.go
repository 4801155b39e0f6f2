package embed

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
	"sentweave/stages/encoder/vectorcache"
	"sentweave/stages/model"
)

// Estimate is what a run would read and make.
type Estimate struct {
	Fate        dataset.Fate
	Rows, Texts int64
	// Bytes are those of the texts.
	Bytes int64
	// Tokens are estimated from the first batch of each shard; 0 where vectors come from a file or a service.
	Tokens int64
	// Dimension is the size of a vector, 0 where only a file or a service tells it.
	Dimension int
	Shards    int
	// Unpaid are the texts that a service is asked for: different ones of which the store has no vector. MostTokens are those that they,
	// and a greeting that tells the size of vectors, can have, one a byte and some a text, since only the service knows its tokens, and
	// how many of a text it takes; Dollars are what these cost, 0 without a price.
	Unpaid, MostTokens int64
	Dollars            float64
}

// EstimateRun reads the texts and returns what Run would do with them. It writes nothing but an empty store of vectors
// where a service has none, asks no service, and needs no libtorch.
// A folder that Run would refuse is an error, unless overwrite is set, and so is a file of vectors that does not fit the texts, or a key
// that is not there.
func EstimateRun(ctx context.Context, output string, c Config, overwrite bool) (e Estimate, err error) {
	r, err := prepare(ctx, output, c, Options{})
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, r.source.Close()) }()
	if e.Fate, err = r.plan.Standing(ctx, r.folder); err != nil && !overwrite {
		return e, err
	}
	e.Shards, e.Dimension = len(r.input.units), c.Dimensions
	var sequencer *model.Sequencer
	switch s := r.source.(type) {
	case *imported:
		if err := s.open(ctx, r.input); err != nil {
			return e, err
		}
		e.Dimension = s.dimension
	case *service:
		opened, err := endpoint.Open(s.config)
		if err != nil {
			return e, fmt.Errorf("model: %w", err)
		}
		if err := errors.Join(opened.Close(), s.store()); err != nil {
			return e, err
		}
	case *encoded:
		folder, err := s.config.folder()
		if err != nil {
			return e, err
		}
		if sequencer, err = folder.Sequencer(); err != nil {
			return e, err
		}
		e.Dimension = folder.Dimension()
	}
	pay := e.pays(r.source)
	var ids []int32
	tokens, sampled := 0, 0
	for unit := range r.input.units {
		first := sequencer != nil
		for b, err := range r.input.batches(ctx, unit) {
			if err != nil {
				return e, err
			}
			for _, t := range b.texts {
				e.Bytes += int64(len(t.Text))
				if first {
					ids = sequencer.Append(ids[:0], t.Text)
					tokens, sampled = tokens+len(ids), sampled+len(t.Text)
				}
			}
			pay(b.texts)
			first = first && len(b.texts) == 0
			e.Rows, e.Texts = e.Rows+int64(b.rows), e.Texts+int64(len(b.texts))
			b.release()
		}
	}
	e.Tokens = int64(float64(tokens) * float64(e.Bytes) / float64(max(1, sampled)))
	return e, nil
}

// pays returns what counts texts that must be paid for, nothing where Run would ask no service.
func (e *Estimate) pays(from source) func([]encoder.Text) {
	s, ok := from.(*service)
	if !ok || e.Fate == dataset.Complete {
		return func([]encoder.Text) {}
	}
	lacking := s.encoder.Lacking()
	pay := func(texts []encoder.Text) {
		for _, t := range texts {
			if lacking(t) {
				e.Unpaid++
				e.MostTokens += int64(endpoint.Tokens(t.Text))
				e.Dollars += s.config.Cost([]encoder.Text{t})
			}
		}
	}
	pay([]encoder.Text{vectorcache.Greeting})
	e.Unpaid = 0 // it is no text of the input
	return pay
}
