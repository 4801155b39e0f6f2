package embed

import (
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"

	"sentweave/schemas/dataset"
	"sentweave/stages/distill"
	"sentweave/stages/model"
	"sentweave/stages/ordered"
)

// encoded are vectors that the encoder of a folder gives.
type encoded struct {
	config    Config
	openModel func(ModelConfig) (*Model, error)
	note      func(string)      // nil for nobody
	fetched   io.Closer         // the folder of the model; nil until it is fetched
	distilled distill.Distilled // nil to keep vectors as they are
	model     *Model            // nil until it is open
}

// plan implements source. The plan names the pooling that is used, whether the folder or a flag says so.
func (e *encoded) plan(ctx context.Context, set *settings) (inputs []dataset.Input, err error) {
	if e.config.ModelConfig, e.fetched, err = e.config.Fetched(ctx); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	pooling, err := e.config.check()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	weights, err := model.Input(ctx, "model", e.config.Model)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	inputs = append(inputs, weights)
	if e.config.Distilled != "" {
		var learned dataset.Input
		if e.distilled, learned, err = e.config.distilled(ctx, weights.XXH3); err != nil {
			return nil, fmt.Errorf("distilled: %w", err)
		}
		inputs, set.Vectors = append(inputs, learned), e.distilled.Vectors(e.config.DistilledPart)
	}
	used := e.config.ModelConfig
	used.Pooling = string(pooling)
	set.Model = &used
	return inputs, nil
}

// check returns the pooling of a folder that can be opened, as far as libtorch is not needed to say so.
func (c ModelConfig) check() (model.Pooling, error) {
	f, err := c.folder()
	if err != nil {
		return "", err
	}
	if _, err := f.Sequencer(); err != nil {
		return "", err
	}
	weights, err := model.OpenWeights(f.WeightsPath())
	if err != nil {
		return "", err
	}
	weights.Close()
	return f.Pooling, nil
}

// open implements source.
func (e *encoded) open(context.Context, *input) (err error) {
	e.model, err = e.openModel(e.config.ModelConfig)
	return err
}

// vectors implements source. Two batches are encoded at once, so that processors that one has no work for find that of the other.
func (e *encoded) vectors(ctx context.Context, batches iter.Seq2[*batch, error]) iter.Seq2[*batch, error] {
	tokenized := ordered.Map(ctx, runtime.GOMAXPROCS(0), batches, func(_ context.Context, b *batch) (*batch, error) {
		different, places := distinct(b.texts)
		b.places, b.sequences = places, e.model.sequence(different)
		return b, nil
	})
	return ordered.Map(ctx, 2, tokenized, e.encode)
}

// encode sets the vectors of a batch.
func (e *encoded) encode(ctx context.Context, b *batch) (*batch, error) {
	d := e.model.Dimension()
	n := len(b.sequences) * d
	if cap(b.vectors) < n { // slices.Grow would copy
		b.vectors = make([]float32, batchTexts*d)
	}
	b.vectors, b.dimension = b.vectors[:n], d
	if err := e.model.encoder.Encode(ctx, b.vectors, b.sequences); err != nil || e.distilled == nil {
		b.coded = e.model.coded
		return b, err
	}
	return b, e.draw(b)
}

// Close implements source.
func (e *encoded) Close() error {
	if e.model != nil {
		if e.model.cuts.Load() && e.note != nil {
			e.note(fmt.Sprintf("the ends of texts are cut off that have more than the %d tokens that the model takes", e.model.folder.MaxTokens))
		}
		e.model.Close()
	}
	if e.fetched != nil {
		return e.fetched.Close()
	}
	return nil
}
