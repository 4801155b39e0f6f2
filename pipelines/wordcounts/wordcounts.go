// Package wordcounts is the pipeline from documents to word counts: how often each
// word of the basic tokenizer occurs in each language. The vocab stage learns a
// vocabulary from them.
package wordcounts

import (
	"context"
	"errors"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterSpiller[*countTask]()
	graph.RegisterWriter[schemas.WordCount, *sumTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Documents string `help:"Dataset of documents." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Cased     bool   `help:"Keep case and accents, for a cased vocabulary." group:"Words" json:"cased,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	if c.Documents == "" {
		return errors.New("documents is empty: give the dataset of the documents")
	}
	return nil
}

// Plan cuts the documents into units that count; a quarter as many units sum.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	b.Input(documents.Manifest().Input("documents"))
	counting := b.Pack(documents.Manifest())
	sum := b.Buckets(graph.Bucketing(len(counting), 4))
	graph.Spill(b, "count", b.Units(counting), &countTask{Config: c, Documents: documents}, exchange.To("words", sum))
	graph.Write(b, "sum", sum, &sumTask{})
	return b.Job(output, dataset.Draft{Pipeline: "wordcounts", PipelineVersion: Version, Schema: schemas.WordCount{}.Schema(), Config: c})
}
