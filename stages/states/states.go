// Package states is the stage that computes the vectors of the tokens of examples by an encoder that is
// not trained any more, once for all trainings of lenses on it (Kiros 2020).
package states

import (
	"context"
	"fmt"
	"iter"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/objective/joined"
	"sentweave/stages/ordered"
	"sentweave/stages/torch"
	"sentweave/stages/train/batches"
)

// Version of the stage: raised when the same input gives other rows or bytes. 2: files do not compress vectors.
// 3: last digits, by products of oneDNN. 4, 5: those of bfloat16 and int8, by AMX.
const Version = 5

// Config is the configuration of the stage. The tags are read by the command line; the json
// names are in plan and manifest.
type Config struct {
	Model    string `help:"Folder of the encoder, from which the lens is then trained by --from." required:"" placeholder:"DIR" takes:"encoder" group:"Input" json:"-"`
	Examples string `help:"Dataset of examples that the lens learns from: pairs with labels, translations or views." required:"" placeholder:"DIR" takes:"example" group:"Input" json:"-"`
	Tokens   int    `help:"Most tokens of a side, as the training cuts them by its --tokens; 0 is all positions of the encoder." default:"0" group:"Input" json:"tokens"`
	torch.Compute
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Model != "", "model is empty: give the folder of an encoder")
	errs.Check(c.Examples != "", "examples is empty: give a dataset of examples of pairs")
	errs.Check(c.Tokens == 0 || c.Tokens >= 3, "tokens is %d, it must be 0 or at least 3: [CLS], a token, [SEP]", c.Tokens)
	errs.Add(c.Compute.Validate())
	return errs.Err()
}

// Encoder gives the vectors of the tokens of texts by its last layer, one after another. It is safe for concurrent use.
type Encoder interface {
	States(ctx context.Context, texts [][]int32) ([]float32, error)
	Close()
}

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	// Overwrite deletes another dataset that is in the output.
	Overwrite bool
	// Encoding is what the encoder accepts, Vocabulary the fingerprint of its vocabulary, and Size
	// the numbers of a vector.
	Encoding   batches.Encoding
	Vocabulary string
	Size       int
	// Open opens the encoder, where there is work.
	Open func() (Encoder, error)
	// Observe is called after each batch with the examples that are done, all examples, and the
	// texts written so far.
	Observe func(done, examples, texts int64)
}

// unitBytes is the size of examples of which a unit is made, if their row groups are so small: units are
// quarters of row groups, some 4,000 examples. Their vectors are some thousand times as large.
const unitBytes = 1 << 16

// Run makes the dataset in the folder at output, unit by unit: interrupted, it goes on with the
// next call. Existed says that it was complete already. A text that occurs several times in a unit is
// written once. Texts are read, computed and written at the same time. Memory is the encoder, the examples of a unit and the
// vectors of five batches.
func Run(ctx context.Context, output string, c Config, o Options) (m *dataset.Manifest, existed bool, err error) {
	r, units, err := prepare(ctx, output, c, o)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if r.encoder != nil {
			r.encoder.Close()
		}
	}()
	return r.plan.Complete(ctx, r.folder, units, o.Overwrite, func(unit dataset.Unit) error {
		if r.encoder == nil {
			if r.encoder, err = o.Open(); err != nil {
				return err
			}
		}
		return r.unit(ctx, unit)
	})
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config, o Options) (dataset.Fate, error) {
	r, _, err := prepare(ctx, output, c, o)
	if err != nil {
		return dataset.Fresh, err
	}
	return r.plan.Standing(ctx, r.folder)
}

// prepare returns a run with its plan, and the units, before anything is written.
func prepare(ctx context.Context, output string, c Config, o Options) (r *run, units []dataset.Unit, err error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	folder, err := storage.Locate(output)
	if err != nil {
		return nil, nil, err
	}
	examples, err := batches.OpenExamples(ctx, c.Examples, o.Vocabulary)
	if err != nil {
		return nil, nil, err
	}
	sides, err := examples.Sides(objective.LensName, o.Encoding, c.Tokens)
	if err != nil {
		return nil, nil, err
	}
	c.Tokens = examples.Longest(c.Tokens, o.Encoding)
	if limit := schemas.MostStateNumbers / o.Size; c.Tokens > limit {
		return nil, nil, fmt.Errorf("sides have up to %d tokens, but a text can have the vectors of at most %d, since each has %d numbers: give --tokens=%d, here and in training",
			c.Tokens, limit, o.Size, limit)
	}
	weights, err := model.Input(ctx, joined.StatesEncoder, c.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	units = examples.Units(unitBytes)
	plan, err := dataset.Draft{
		Pipeline: "states", PipelineVersion: Version, Schema: schemas.State{}.Schema(), Config: c, ShardBytes: unitBytes,
		Units: units, Inputs: []dataset.Input{examples.Input(joined.StatesExamples), weights},
	}.Plan()
	return &run{options: o, sides: sides, folder: folder, plan: plan, rows: examples.Rows()}, units, err
}

// The chain of the funnel and its step.
const (
	chainTexts = "texts"
	stepStates = "states"
)

// batchTokens is how many tokens are computed together, or a few more. The last bits of a vector depend on
// the texts beside it, so batches begin anew with each unit.
const batchTokens = 1 << 14

// run is what the units of a run share.
type run struct {
	options Options
	sides   *batches.Sides
	folder  storage.Folder
	plan    *dataset.Plan
	encoder Encoder
	rows    int64

	out         *dataset.Attempt[schemas.State]
	done, texts int64
}

// batch are the texts that are computed together.
type batch struct {
	sides    []batches.Side
	examples int64
	vectors  []float32 // of all tokens
}

func (r *run) unit(ctx context.Context, unit dataset.Unit) (err error) {
	if r.out, err = dataset.Begin[schemas.State](r.folder, r.plan, unit.Ordinal, dataset.NewChain(chainTexts, stepStates)); err != nil {
		return err
	}
	defer r.out.Abort()
	for b, err := range ordered.Map(ctx, 2, r.batches(ctx, unit), r.compute) {
		if err != nil {
			return err
		}
		if err := r.write(ctx, b); err != nil {
			return err
		}
	}
	return r.out.Commit(ctx)
}

// batches yields those of a unit, in which each text occurs once.
func (r *run) batches(ctx context.Context, unit dataset.Unit) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		known := map[uint64]bool{}
		b, tokens := new(batch), 0
		for _, span := range unit.Spans {
			for sides, err := range r.sides.Of(ctx, span) {
				if err != nil {
					yield(nil, err)
					return
				}
				for _, side := range sides {
					if key := joined.TextKey(side.Tokens); !known[key] {
						known[key] = true
						b.sides, tokens = append(b.sides, side), tokens+len(side.Tokens)
					}
				}
				if b.examples++; tokens >= batchTokens {
					if !yield(b, nil) {
						return
					}
					b, tokens = new(batch), 0
				}
			}
		}
		yield(b, nil)
	}
}

// compute sets the vectors of a batch.
func (r *run) compute(ctx context.Context, b *batch) (_ *batch, err error) {
	texts := make([][]int32, len(b.sides))
	for i, side := range b.sides {
		texts[i] = side.Tokens
	}
	b.vectors, err = r.encoder.States(ctx, texts)
	return b, err
}

// write writes the rows of a batch.
func (r *run) write(ctx context.Context, b *batch) error {
	vectors := b.vectors
	for _, side := range b.sides {
		n := len(side.Tokens) * r.options.Size
		for _, x := range vectors[:n] {
			if x-x != 0 {
				return fmt.Errorf("the encoder gives %v for a token of the example %q: its weights are broken", x, side.ID)
			}
		}
		row := schemas.StateOf(side.ID, side.Tokens, vectors[:n])
		vectors = vectors[n:]
		if err := r.out.Write(ctx, row); err != nil {
			return err
		}
		if err := r.out.Funnel().Keep(chainTexts, side.Language, 1); err != nil {
			return err
		}
	}
	r.done, r.texts = r.done+b.examples, r.texts+int64(len(b.sides))
	if r.options.Observe != nil {
		r.options.Observe(r.done, r.rows, r.texts)
	}
	return nil
}
