package embed

import (
	"context"
	"io"
	"iter"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/stages/encoder"
	"sentweave/stages/encoder/endpoint"
)

// source gives the vectors of texts: the folder of an encoder, a file that another program made, or a service.
type source interface {
	// plan returns what vectors come from, and sets what of the configuration makes rows. What cannot be used is found
	// here, as far as libtorch is not needed.
	plan(ctx context.Context, set *settings) ([]dataset.Input, error)
	// open is called once, if there is work, and before anything is written.
	open(ctx context.Context, in *input) error
	// vectors sets the vectors of batches, which come in their order.
	vectors(ctx context.Context, batches iter.Seq2[*batch, error]) iter.Seq2[*batch, error]
	// Close may be called without open.
	io.Closer
}

// source returns what gives the vectors.
func (c Config) source(o Options) source {
	switch {
	case c.Import != "":
		return &imported{config: c.SourceConfig}
	case encoder.IsEndpoint(c.Model):
		return &service{config: c.endpoint(), note: o.Note}
	}
	return &encoded{config: c, openModel: o.Open, note: o.Note}
}

// settings are what of a configuration makes rows, in plan and manifest.
type settings struct {
	Model         *ModelConfig `json:"model,omitempty"`
	Vectors       string       `json:"vectors,omitempty"` // what was drawn out of them
	ImportColumn  string       `json:"import_column,omitempty"`
	ImportIDs     string       `json:"import_ids,omitempty"`
	LinesLanguage string       `json:"language,omitempty"`
	NoText        bool         `json:"no_text,omitempty"`
}

// SourceConfig says where vectors come from that no folder of an encoder gives. The command line reads the tags.
type SourceConfig struct {
	Import       string `help:"File of vectors that another program made, in the place of a model: .npy, .npz, .parquet, .jsonl. They are in the order of the texts, unless --import-ids is given." placeholder:"FILE" group:"Input"`
	ImportColumn string `help:"Column or field of the vectors, or array of .npz; vector or embedding, or the only array, if not given." placeholder:"NAME" group:"Input"`
	ImportIDs    string `name:"import-ids" help:"Column or field with the ids of the texts that the vectors of --import belong to, as export prints them of embeddings." placeholder:"NAME" group:"Input"`

	KeyVariable string  `help:"Environment variable with the key of the service of --model." placeholder:"NAME" group:"Endpoints"`
	KeyFile     string  `help:"File with the key of the service of --model." placeholder:"FILE" group:"Endpoints"`
	Dimensions  int     `help:"Size of the vectors to ask the service of --model for; its own if not given." placeholder:"N" group:"Endpoints"`
	Price       float64 `help:"Dollars for a million tokens." placeholder:"DOLLARS" group:"Endpoints"`
	endpoint.Limits
}

// Sourced says whether vectors come from a file or a service, which takes no libtorch.
func (c Config) Sourced() bool { return c.Import != "" || encoder.IsEndpoint(c.Model) }

// sourceFaults adds what is wrong with the flags of texts, files and services.
func (c Config) sourceFaults(errs *fault.List) {
	errs.Check(c.Import == "" || c.Model == "", "model and import exclude each other")
	errs.Check(c.Texts != "" || c.Lines != "", "texts is empty: give a dataset of documents, pairs or benchmarks, or a text file as --lines")
	errs.Check(c.Texts == "" || c.Lines == "", "texts and lines exclude each other")
	errs.Check(c.Import != "" || c.ImportColumn == "" && c.ImportIDs == "", "import-column and import-ids have no effect without --import")
	if c.Lines != "" {
		errs.Add(language.Check(c.Language))
	}
	errs.Check(c.Lines == "" || c.ImportIDs == "", "import-ids: the lines of a file have no ids; leave --import-ids out")
	errs.Check(!c.Sourced() || c.Distilled == "", "distilled needs the folder of an encoder as --model")
	errs.Check(!c.Sourced() || c.Pooling == "" && c.Layer <= 0 && !c.Normalize && c.MaxTokens == 0 && c.Prompt == "" && !c.NoPrompt,
		"pooling, layer, normalize, max-tokens, prompt and no-prompt are for folders of encoders")
	errs.Check(encoder.IsEndpoint(c.Model) || c.KeyVariable == "" && c.KeyFile == "" && c.Dimensions == 0 && c.Price == 0 && c.Budget == 0,
		"key-variable, key-file, dimensions, price and budget have no effect without --model=https://host/v1#MODEL")
	if encoder.IsEndpoint(c.Model) {
		errs.Add(c.endpoint().Validate())
	}
}

// endpoint returns how the service is asked.
func (c Config) endpoint() endpoint.Config {
	return endpoint.Config{Location: c.Model, Dimensions: c.Dimensions, KeyVariable: c.KeyVariable, KeyFile: c.KeyFile, Price: c.Price,
		Budget: endpoint.NewBudget(c.Budget), Call: c.Limits.Call()}
}
