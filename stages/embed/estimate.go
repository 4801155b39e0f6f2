package embed

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
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
	// Dollars are what the service asks for at most, 0 without a price.
	Dollars float64
}

// EstimateRun reads the texts and returns what Run would do with them. It writes nothing, asks no service, and needs no libtorch.
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
		if err := opened.Close(); err != nil {
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
			if encoder.IsEndpoint(c.Model) {
				e.Dollars += c.endpoint().Cost(b.texts)
			}
			first = first && len(b.texts) == 0
			e.Rows, e.Texts = e.Rows+int64(b.rows), e.Texts+int64(len(b.texts))
			b.release()
		}
	}
	e.Tokens = int64(float64(tokens) * float64(e.Bytes) / float64(max(1, sampled)))
	return e, nil
}
