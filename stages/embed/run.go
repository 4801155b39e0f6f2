package embed

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/transforms/read/texts"
)

// Version of the stage: raised when the same input gives other rows. 2: a text
// that stands several times in a batch has one vector.
const Version = 2

// Config is the configuration of the stage. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	ModelConfig   `json:"model"`
	Texts         string `help:"Dataset of documents (a vector for each sentence), or of pairs or benchmarks (one for each side)." required:"" placeholder:"DIR" takes:"document,pair,benchmark" group:"Input" json:"-"`
	Distilled     string `help:"Draw out of the vectors what this folder, as sentweave distill makes it, tells, and keep that in their place." placeholder:"DIR" takes:"split" group:"Model" json:"-"`
	DistilledPart string `help:"What is drawn out (${enum})." enum:"meaning,language" default:"meaning" group:"Model" json:"-"`
	// Vectors says what was drawn out, for the plan.
	Vectors string `kong:"-" json:"vectors,omitempty"`

	NoText     bool          `help:"Leave the texts out of the rows." group:"Output" json:"no_text,omitempty"`
	ShardBytes dataset.Bytes `help:"Input bytes that make one shard, as in 16MiB." default:"16MiB" group:"Output" json:"-"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.ModelConfig.Validate()}
	errs.Check(c.Texts != "", "texts is empty: give a dataset of documents, pairs or benchmarks")
	errs.Check(c.Distilled != "" || c.DistilledPart == "" || c.DistilledPart == partUsual,
		"distilled-part has no effect without --distilled")
	errs.Check(c.ShardBytes >= 1, "shard-bytes is %s, it must be at least 1", c.ShardBytes)
	return errs.Err()
}

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	// Overwrite deletes another dataset that stands in the output.
	Overwrite bool
	// Open opens the model, when there is work.
	Open func(ModelConfig) (*Model, error)
	// Observe is called after each batch with the rows that are done of all rows of
	// the input, and the vectors made so far.
	Observe func(done, rows, vectors int64)
}

// batchRows is the number of input rows whose texts are encoded together. Batches
// begin anew with each row group, so that the last bits of a vector, which depend
// on its batch, do not depend on how rows are cut into shards.
const batchRows = 1024

// Run embeds a dataset into the folder at output, unit by unit: interrupted, it
// goes on with the next call. Existed says that it was complete already. The
// rows' ids are those of encoder.TextOf. Memory is the model, one batch and one row group.
func Run(ctx context.Context, output string, c Config, o Options) (m *dataset.Manifest, existed bool, err error) {
	r, units, err := prepare(ctx, output, c, o)
	if err != nil {
		return nil, false, err
	}
	defer r.fetched.Close()
	defer func() {
		if r.model != nil {
			r.model.Close()
		}
	}()
	return r.plan.Complete(ctx, r.folder, units, o.Overwrite, func(unit dataset.Unit) error {
		if r.model == nil {
			if r.model, err = o.Open(r.config.ModelConfig); err != nil {
				return err
			}
		}
		if err := r.unit(ctx, unit); err != nil {
			return fmt.Errorf("unit %d: %w", unit.Ordinal, err)
		}
		return nil
	})
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config) (dataset.Fate, error) {
	r, _, err := prepare(ctx, output, c, Options{})
	if err != nil {
		return dataset.Fresh, err
	}
	defer r.fetched.Close()
	return r.plan.Standing(ctx, r.folder)
}

// prepare returns a run with its plan, and the units, before anything is written. What was fetched is to be closed.
func prepare(ctx context.Context, output string, c Config, o Options) (r *run, units []dataset.Unit, err error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	r = &run{options: o}
	if r.folder, err = storage.Locate(output); err != nil {
		return nil, nil, err
	}
	if c.ModelConfig, r.fetched, err = c.Fetched(ctx); err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	fetched := r.fetched
	defer func() {
		if err != nil {
			fetched.Close()
		}
	}()
	if r.input, r.texts, err = dataset.Open(ctx, c.Texts); err != nil {
		return nil, nil, fmt.Errorf("texts: %w", err)
	}
	if c.Distilled != "" {
		if r.distilled, err = c.distilled(ctx); err != nil {
			return nil, nil, fmt.Errorf("distilled: %w", err)
		}
		c.Vectors = r.distilled.Vectors(c.DistilledPart)
	}
	switch r.texts.Schema().String() {
	case schemas.Document{}.Schema().String():
		r.span = spanTexts(texts.OfDocument)
	case schemas.Pair{}.Schema().String():
		r.span = spanTexts(texts.OfPair)
	case schemas.Benchmark{}.Schema().String():
		r.span = spanTexts(texts.OfItem)
	default:
		return nil, nil, fmt.Errorf("texts: %s holds rows of %s v%d; documents, pairs and benchmarks can be embedded", r.input,
			r.texts.Plan.Schema, r.texts.Plan.SchemaVersion)
	}
	// A model that cannot be used must not leave a plan, which the next try would
	// stumble over.
	f, err := c.folder()
	if err == nil {
		_, err = f.Sequencer()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	r.config = c
	r.plan, units, err = c.plan(ctx, r.texts, f.Pooling)
	return r, units, err
}

// plan names the pooling that is used, whether the folder or a flag says so.
func (c Config) plan(ctx context.Context, texts *dataset.Manifest, pooling model.Pooling) (*dataset.Plan, []dataset.Unit, error) {
	weights, err := model.Input(ctx, "model", c.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	c.Pooling = string(pooling)
	inputs := []dataset.Input{texts.Input("texts"), weights}
	if c.Distilled != "" {
		input, err := c.learnedFrom(ctx, weights.XXH3)
		if err != nil {
			return nil, nil, fmt.Errorf("distilled: %w", err)
		}
		inputs = append(inputs, input)
	}
	shard := int64(c.ShardBytes)
	units := dataset.Pack(texts.Pieces(shard), shard)
	plan, err := dataset.Draft{
		Pipeline: "embed", PipelineVersion: Version, Schema: schemas.Embedding{}.Schema(), Config: c, ShardBytes: shard,
		Units: units, Inputs: inputs,
	}.Plan()
	return plan, units, err
}

// Chains of the funnel.
const (
	chainTexts = "texts"
	stepEmbed  = "embed"
)

// run is what the units of a run share.
type run struct {
	config        Config
	options       Options
	input, folder storage.Folder
	texts         *dataset.Manifest
	plan          *dataset.Plan
	model         *Model
	distilled     distill.Distilled // nil to keep vectors as they are
	fetched       io.Closer         // the folder of the model
	// span reads the texts of rows into batches.
	span func(context.Context, *run, dataset.Span) error

	out           *dataset.Attempt[schemas.Embedding]
	batch         []encoder.Text
	rows          int // of the batch
	done, vectors int64
}

func (r *run) unit(ctx context.Context, unit dataset.Unit) (err error) {
	if r.out, err = dataset.Begin[schemas.Embedding](r.folder, r.plan, unit.Ordinal, dataset.NewChain(chainTexts, stepEmbed)); err != nil {
		return err
	}
	defer r.out.Abort()
	for _, span := range unit.Spans {
		for group := span.From; group < span.To; group++ {
			if err := r.span(ctx, r, dataset.Span{Name: span.Name, From: group, To: group + 1}); err != nil {
				return err
			}
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return r.out.Commit(ctx)
}

// spanTexts returns what reads the texts of rows into batches.
func spanTexts[T schemas.Row](textsOf func(T) iter.Seq[texts.Text]) func(context.Context, *run, dataset.Span) error {
	return func(ctx context.Context, r *run, span dataset.Span) error {
		for row, err := range dataset.SpanRows[T](ctx, r.input, r.texts, span) {
			if err != nil {
				return err
			}
			for x := range textsOf(row) {
				r.batch = append(r.batch, encoder.TextOf(x))
			}
			if r.rows++; r.rows == batchRows {
				if err := r.flush(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// flush encodes and writes the batch.
func (r *run) flush(ctx context.Context) error {
	vectors, places, err := r.model.distinct(ctx, len(r.batch), func(i int) string { return r.batch[i].Text })
	if err != nil {
		return err
	}
	d := r.model.Dimension()
	row := func(i int) []float32 { return vectors[places[i]*d : (places[i]+1)*d] }
	if r.distilled != nil {
		drawn, err := r.draw(row, d)
		if err != nil {
			return err
		}
		row = drawn.Row
	}
	for i, text := range r.batch {
		e := schemas.Embedding{ID: text.ID, Language: text.Language, Text: text.Text, Vector: row(i)}
		if k := slices.IndexFunc(e.Vector, func(x float32) bool { return x-x != 0 }); k >= 0 {
			return fmt.Errorf("the model %s gives %v in the vector of the text %q (id %s): its weights, or this text, are broken",
				r.config.Model, e.Vector[k], excerpt.Characters(e.Text, 80), e.ID)
		}
		if r.model.coded && r.distilled == nil {
			e.Bits = code(e.Vector)
		}
		if r.config.NoText {
			e.Text = ""
		}
		if err := r.out.Write(ctx, e); err != nil {
			return err
		}
		if err := r.out.Funnel().Keep(chainTexts, e.Language, 1); err != nil {
			return err
		}
	}
	r.done, r.vectors = r.done+int64(r.rows), r.vectors+int64(len(r.batch))
	if r.options.Observe != nil {
		r.options.Observe(r.done, r.texts.Rows, r.vectors)
	}
	r.batch, r.rows = r.batch[:0], 0
	return nil
}
