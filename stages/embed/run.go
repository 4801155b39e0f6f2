package embed

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// Version of the stage: raised when the same input gives other rows or bytes. 2: a text
// that occurs several times in a batch has one vector. 3: files hold no bounds of vectors, and do not compress them.
// 4: last digits, by products of oneDNN. 5, 6: those of bfloat16 and int8, by AMX.
const Version = 6

// Config is the configuration of the stage. The command line reads the tags.
type Config struct {
	ModelConfig
	SourceConfig
	Texts         string `help:"Dataset of documents (a vector for each sentence), or of pairs or benchmarks (one for each side)." placeholder:"DIR" takes:"document,pair,benchmark" group:"Input"`
	Lines         string `help:"Text file in the place of --texts, also compressed: each line is a text. Their vectors are one shard." placeholder:"FILE" group:"Input"`
	Language      string `help:"Language of the texts of --lines, by its code of ISO 639-3." default:"und" placeholder:"CODE" group:"Input"`
	Distilled     string `help:"Draw out of the vectors what this folder, as sentweave distill makes it, tells, and keep that in their place." placeholder:"DIR" takes:"split" group:"Model"`
	DistilledPart string `help:"What is drawn out (${enum})." enum:"meaning,language" default:"meaning" group:"Model"`

	NoText     bool          `help:"Leave the texts out of the rows." group:"Output"`
	ShardBytes dataset.Bytes `help:"Input bytes that make one shard, as in 16MiB." default:"16MiB" group:"Output"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.ModelConfig.Validate()}
	if c.Import == "" && c.Model == "" {
		errs.Add(errNoModel)
	}
	c.sourceFaults(&errs)
	errs.Check(c.Distilled != "" || c.DistilledPart == "" || c.DistilledPart == partUsual,
		"distilled-part has no effect without --distilled")
	errs.Check(c.ShardBytes >= 1, "shard-bytes is %s, it must be at least 1", c.ShardBytes)
	return errs.Err()
}

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	// Overwrite deletes another dataset that is in the output.
	Overwrite bool
	// Open opens the model, when there is work.
	Open func(ModelConfig) (*Model, error)
	// Observe is called after each batch with the rows that are done of all rows of
	// the input, and the vectors made so far.
	Observe func(done, rows, vectors int64)
	// Note is called with what a service has counted, and with the fact that texts were cut.
	Note func(string)
}

// Chains of the funnel.
const (
	chainTexts = "texts"
	stepEmbed  = "embed"
)

// run is what the units of a run share.
type run struct {
	config  Config
	options Options
	folder  storage.Folder
	input   *input
	source  source
	plan    *dataset.Plan

	out           *dataset.Attempt[schemas.Embedding]
	done, vectors int64
}

// Run embeds texts into the folder at output, unit by unit: interrupted, it
// goes on with the next call. Existed says that it was complete already. The
// rows' ids are those of encoder.TextOf. Rows are read, tokenized, encoded and written at the same time, in their order;
// see torch.UseLanes for the processors. Memory is the model, one row group, the texts of a batch for each processor and
// a few more, and the vectors of five batches.
func Run(ctx context.Context, output string, c Config, o Options) (m *dataset.Manifest, existed bool, err error) {
	r, err := prepare(ctx, output, c, o)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.source.Close()) }()
	fate, refusal := r.plan.Standing(ctx, r.folder)
	if refusal == nil && fate != dataset.Complete || refusal != nil && o.Overwrite {
		if err := r.source.open(ctx, r.input); err != nil {
			return nil, false, err
		}
	}
	return r.plan.Complete(ctx, r.folder, r.input.units, o.Overwrite, func(unit dataset.Unit) error {
		if err := r.unit(ctx, unit.Ordinal); err != nil {
			return fmt.Errorf("unit %d: %w", unit.Ordinal, err)
		}
		return nil
	})
}

// Standing returns what Run would find in the folder at output, or the error with which it would refuse that
// without Overwrite.
func Standing(ctx context.Context, output string, c Config) (dataset.Fate, error) {
	r, err := prepare(ctx, output, c, Options{})
	if err != nil {
		return dataset.Fresh, err
	}
	fate, err := r.plan.Standing(ctx, r.folder)
	return fate, errors.Join(err, r.source.Close())
}

// prepare returns a run with its plan, before anything is written. Its source is to be closed.
func prepare(ctx context.Context, output string, c Config, o Options) (_ *run, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &run{config: c, options: o, source: c.source(o)}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.source.Close())
		}
	}()
	if r.folder, err = storage.Locate(output); err != nil {
		return nil, err
	}
	if r.input, err = c.openInput(ctx); err != nil {
		return nil, err
	}
	set := settings{NoText: c.NoText}
	if c.Lines != "" {
		set.LinesLanguage = c.Language
	}
	inputs, err := r.source.plan(ctx, &set)
	if err != nil {
		return nil, err
	}
	r.plan, err = dataset.Draft{
		Pipeline: "embed", PipelineVersion: Version, Schema: schemas.Embedding{}.Schema(), Config: set, ShardBytes: int64(c.ShardBytes),
		Units: r.input.units, Inputs: append([]dataset.Input{r.input.Input}, inputs...),
	}.Plan()
	return r, err
}

// unit writes the rows of a unit.
func (r *run) unit(ctx context.Context, unit int) (err error) {
	if r.out, err = dataset.Begin[schemas.Embedding](r.folder, r.plan, unit, dataset.NewChain(chainTexts, stepEmbed)); err != nil {
		return err
	}
	defer r.out.Abort()
	for b, err := range r.source.vectors(ctx, r.input.batches(ctx, unit)) {
		if err != nil {
			return err
		}
		if err := r.write(ctx, b); err != nil {
			return err
		}
		b.release()
	}
	return r.out.Commit(ctx)
}

// write writes the rows of a batch.
func (r *run) write(ctx context.Context, b *batch) error {
	for i, text := range b.texts {
		e := schemas.Embedding{ID: text.ID, Language: text.Language, Text: text.Text, Vector: b.vector(i)}
		if b.coded {
			e.Bits = code(e.Vector)
		}
		if r.config.NoText {
			e.Text = ""
		}
		if err := r.out.Write(ctx, e); err != nil {
			if k := schemas.Infinite(e.Vector); k >= 0 {
				err = fmt.Errorf("the model %s gives %v in the vector of the text %q (id %s): its weights, or this text, are broken",
					r.config.Model, e.Vector[k], excerpt.Characters(text.Text, 80), e.ID)
			}
			return err
		}
		if err := r.out.Funnel().Keep(chainTexts, e.Language, 1); err != nil {
			return err
		}
	}
	r.done, r.vectors = r.done+int64(b.rows), r.vectors+int64(len(b.texts))
	if r.options.Observe != nil {
		r.options.Observe(r.done, r.input.rows, r.vectors)
	}
	return nil
}
