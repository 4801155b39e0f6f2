// Package replace is the stage that makes views of texts: each text is paired with a
// copy in which a masked language model replaced some of the words.
package replace

import (
	"context"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/torch"
	"sentweave/transforms/augment/infill"
)

// Version of the stage: raised when the same input gives other rows. That of
// infill is beside it in the plan. 2: last digits of the logits of few texts.
const Version = 2

// origin of the pairs.
const origin = "masked-lm"

// anyLanguage stands for a list of languages.
const anyLanguage = "all"

// Config is the configuration of the stage. The tags are read by the command line;
// the json names are in plan and manifest.
type Config struct {
	Model     string   `help:"Folder of a BERT with the head of a masked language model, as Hugging Face keeps it, or as train by CMLM has made it." required:"" placeholder:"DIR" takes:"encoder" group:"Model" json:"-"`
	Texts     string   `help:"Dataset of documents (a view of each sentence) or pairs (of text_a)." required:"" placeholder:"DIR" takes:"document,pair" group:"Input" json:"-"`
	Language  []string `help:"Languages of the texts to make views of, as ISO 639-3 with an optional script (${default}); others are left out. The word all takes any." default:"eng" placeholder:"CODE,…" group:"Input" json:"language"`
	MinTokens int      `help:"Least tokens of a text; the most are the model's positions." default:"5" group:"Input" json:"min_tokens"`
	Share     float64  `help:"Share of the words to replace; one at least." default:"0.2" group:"Views" json:"share"`
	Top       int      `help:"Draw among so many of the likeliest pieces, by their probabilities; 1 takes the likeliest." default:"1" group:"Views" json:"top"`
	Seed      uint64   `help:"Seed of the words and the draws." default:"0" group:"Views" json:"-"`

	ShardBytes dataset.Bytes `help:"Input bytes that make one shard, as in 16MiB." default:"16MiB" group:"Output" json:"-"`
	torch.Compute

	// path is where the model is read, if that is another place.
	path string
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Model != "", "model is empty: give the folder of a BERT with the head of a masked language model")
	errs.Check(c.Texts != "", "texts is empty: give a dataset of documents or pairs")
	if _, err := c.languages(); err != nil {
		errs.Addf("language: %w", err)
	}
	limit := max(infill.DefaultConfig().MaxTokens, c.MinTokens+2) // the model's are not known here
	errs.Add(infill.Config{Share: c.Share, Top: c.Top, MinTokens: c.MinTokens, MaxTokens: limit}.Validate())
	errs.Check(c.ShardBytes >= 1, "shard-bytes is %s, it must be at least 1", c.ShardBytes)
	errs.Add(c.Compute.Validate())
	return errs.Err()
}

// languages returns the wanted ones, nil for any.
func (c Config) languages() ([]string, error) {
	if len(c.Language) == 0 || slices.Equal(c.Language, []string{anyLanguage}) {
		return nil, nil
	}
	return language.ParseAll(c.Language)
}

// Options say how the stage runs; they do not change what it makes.
type Options struct {
	// Overwrite deletes another dataset that is in the output.
	Overwrite bool
	// Open opens the model, when there is work.
	Open func(Config) (*Model, error)
	// Observe is called now and then with the rows that are done of all rows of the
	// input, and the texts read in this run.
	Observe func(done, rows, texts int64)
}

// Run makes views of a dataset into the folder at output, unit by unit: interrupted, it
// goes on with the next call. Existed says that it was complete already. Texts are read and masked, filled and written at
// the same time. Memory is the model, five batches and one row group.
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
			if r.model, err = o.Open(r.config); err != nil {
				return err
			}
		}
		if err := r.unit(ctx, unit, readers[r.texts.Schema().String()]); err != nil {
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
	if c, r.fetched, err = c.fetched(ctx); err != nil {
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
	if readers[r.texts.Schema().String()] == nil {
		return nil, nil, fmt.Errorf("texts: %s holds rows of %s v%d; views can be made of documents and pairs", r.input,
			r.texts.Plan.Schema, r.texts.Plan.SchemaVersion)
	}
	// A model that cannot be used must not leave a plan, which the next try would
	// stumble over.
	if _, r.infiller, err = c.open(); err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	r.config = c
	r.languages, _ = c.languages() // Validate has looked at them
	r.plan, units, err = c.plan(ctx, r.texts)
	return r, units, err
}

func (c Config) plan(ctx context.Context, texts *dataset.Manifest) (*dataset.Plan, []dataset.Unit, error) {
	weights, err := model.Input(ctx, "model", c.Model, model.HeadsName)
	if err != nil {
		return nil, nil, fmt.Errorf("model: %w", err)
	}
	shard := int64(c.ShardBytes)
	units := dataset.Pack(texts.Pieces(shard), shard)
	plan, err := dataset.Draft{
		Pipeline: "replace", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), ShardBytes: shard, Seed: c.Seed, Units: units,
		Config: struct {
			Config
			Method int `json:"infill_version"`
		}{c, infill.Version},
		Inputs: []dataset.Input{texts.Input("texts"), weights},
	}.Plan()
	return plan, units, err
}
