package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/stages/ordered"
	"sentweave/transforms/read/texts"
)

// Version of the stage: raised when the same input gives other rows or bytes. 2: a text
// that occurs several times in a batch has one vector. 3: files hold no bounds of vectors, and do not compress them.
// 4: last digits, by products of oneDNN.
const Version = 4

// Config is the configuration of the stage. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	ModelConfig   `json:"model"`
	SourceConfig  `json:"-"`
	Texts         string `help:"Dataset of documents (a vector for each sentence), or of pairs or benchmarks (one for each side)." placeholder:"DIR" takes:"document,pair,benchmark" group:"Input" json:"-"`
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
	// Note is called with what a service has counted.
	Note func(string)
}

// A batch are the texts that are encoded together: batchTexts, or those that have batchBytes, and fewer at the end of a
// row group. Batches begin anew with each row group, so that the last bits of a vector, which depend
// on its batch, do not depend on how rows are cut into shards.
const (
	batchTexts = 4096
	batchBytes = 4 << 20
)

// Run embeds a dataset into the folder at output, unit by unit: interrupted, it
// goes on with the next call. Existed says that it was complete already. The
// rows' ids are those of encoder.TextOf. Rows are read, tokenized, encoded and written at the same time, in their order;
// see torch.UseLanes for the processors. Memory is the model, one row group, the texts of a batch for each processor and
// a few more, and the vectors of five batches.
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
		if r.source != nil {
			err = errors.Join(err, r.source.Close())
		}
	}()
	if c.Sourced() {
		fate, standingErr := r.plan.Standing(ctx, r.folder)
		if refused := standingErr != nil && !o.Overwrite; !refused && (standingErr != nil || fate != dataset.Complete) {
			if err := r.openSource(ctx); err != nil {
				return nil, false, err
			}
		}
	}
	return r.plan.Complete(ctx, r.folder, units, o.Overwrite, func(unit dataset.Unit) error {
		if r.model == nil && !c.Sourced() {
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
	r.fetched = io.NopCloser(nil)
	if !c.Sourced() {
		if c.ModelConfig, r.fetched, err = c.Fetched(ctx); err != nil {
			return nil, nil, fmt.Errorf("model: %w", err)
		}
	}
	fetched := r.fetched
	defer func() {
		if err != nil {
			fetched.Close()
		}
	}()
	if c.Lines != "" {
		err = r.prepareSource(ctx, c)
		return r, r.units, err
	}
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
	if c.Sourced() {
		err = r.prepareSource(ctx, c)
		return r, r.units, err
	}
	// A model that cannot be used must not leave a plan, which the next try would
	// stumble over.
	f, err := c.folder()
	if err == nil {
		_, err = f.Sequencer()
	}
	if err == nil {
		var weights *model.Weights
		if weights, err = model.OpenWeights(f.WeightsPath()); err == nil {
			weights.Close()
		}
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
	source        source            // of vectors that no folder of a model gives
	units         []dataset.Unit    // of a source, with
	first         []int64           // the place of their first text among all
	// span yields the texts of each row.
	span func(context.Context, *run, dataset.Span) iter.Seq2[iter.Seq[texts.Text], error]

	out           *dataset.Attempt[schemas.Embedding]
	done, vectors int64
}

// batch goes through the stages of a run, and is used again then.
type batch struct {
	texts     []encoder.Text
	rows      int // of the input that end in the batch
	places    []int
	sequences [][]int32
	vectors   []float32 // of the different texts
	dimension int
	first     int64 // of an import: the place of the first text among all
}

// free are batches to be used again.
var free = sync.Pool{New: func() any { return new(batch) }}

func newBatch() *batch { return free.Get().(*batch) }

// release gives the memory of the batch to another one.
func (b *batch) release() {
	clear(b.texts) // which would keep them
	*b = batch{texts: b.texts[:0], vectors: b.vectors[:0]}
	free.Put(b)
}

func (r *run) unit(ctx context.Context, unit dataset.Unit) (err error) {
	if r.out, err = dataset.Begin[schemas.Embedding](r.folder, r.plan, unit.Ordinal, dataset.NewChain(chainTexts, stepEmbed)); err != nil {
		return err
	}
	defer r.out.Abort()
	if r.source != nil {
		return r.sourced(ctx, unit)
	}
	tokenized := ordered.Map(ctx, runtime.GOMAXPROCS(0), r.batches(ctx, unit), func(_ context.Context, b *batch) (*batch, error) {
		different, places := distinct(b.texts)
		b.places, b.sequences = places, r.model.sequence(different)
		return b, nil
	})
	// Two at once, so that processors that one has no work for find that of the other.
	for b, err := range ordered.Map(ctx, 2, tokenized, r.encode) {
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

// batches yields those of a unit.
func (r *run) batches(ctx context.Context, unit dataset.Unit) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		for _, span := range unit.Spans {
			for group := span.From; group < span.To; group++ {
				if !r.group(ctx, dataset.Span{Name: span.Name, From: group, To: group + 1}, yield) {
					return
				}
			}
		}
	}
}

// group yields the batches of a row group, and says whether more are wanted.
func (r *run) group(ctx context.Context, span dataset.Span, yield func(*batch, error) bool) bool {
	b, bytes := newBatch(), 0
	for row, err := range r.span(ctx, r, span) {
		if err != nil {
			yield(nil, err)
			return false
		}
		for x := range row {
			b.texts = append(b.texts, encoder.TextOf(x))
			if bytes += len(x.Text); len(b.texts) >= batchTexts || bytes >= batchBytes {
				if !yield(b, nil) {
					return false
				}
				b, bytes = newBatch(), 0
			}
		}
		b.rows++
	}
	return yield(b, nil)
}

// spanTexts returns what yields the texts of rows.
func spanTexts[T schemas.Row](textsOf func(T) iter.Seq[texts.Text]) func(context.Context, *run,
	dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
	return func(ctx context.Context, r *run, span dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
		return func(yield func(iter.Seq[texts.Text], error) bool) {
			for row, err := range dataset.SpanRows[T](ctx, r.input, r.texts, span) {
				if !yield(textsOf(row), err) {
					return
				}
			}
		}
	}
}

// encode sets the vectors of a batch.
func (r *run) encode(ctx context.Context, b *batch) (*batch, error) {
	n := len(b.sequences) * r.model.Dimension()
	if cap(b.vectors) < n { // slices.Grow would copy
		b.vectors = make([]float32, batchTexts*r.model.Dimension())
	}
	b.vectors, b.dimension = b.vectors[:n], r.model.Dimension()
	return b, r.model.encoder.Encode(ctx, b.vectors, b.sequences)
}

// write writes the rows of a batch.
func (r *run) write(ctx context.Context, b *batch) error {
	d := b.dimension
	row := func(i int) []float32 { return b.vectors[b.places[i]*d:][:d] }
	if r.distilled != nil {
		drawn, err := r.draw(b.texts, row, d)
		if err != nil {
			return err
		}
		row = drawn.Row
	}
	for i, text := range b.texts {
		e := schemas.Embedding{ID: text.ID, Language: text.Language, Text: text.Text, Vector: row(i)}
		if r.model != nil && r.model.coded && r.distilled == nil {
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
		r.options.Observe(r.done, r.texts.Rows, r.vectors)
	}
	return nil
}
