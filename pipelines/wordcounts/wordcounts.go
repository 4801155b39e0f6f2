// Package wordcounts is the pipeline from documents to word counts: how often
// each word of the basic tokenizer stands in each language. The vocab stage
// learns a vocabulary from them.
package wordcounts

import (
	"context"
	"errors"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	units.Register[*countTask]()
	units.Register[*sumTask]()
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

// maxBuckets bounds the units that sum: each sees every spill file.
const maxBuckets = 64

// Plan cuts the documents into units that count; a quarter as many units sum.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	m := documents.Manifest()
	counting := dataset.Pack(m.Pieces(int64(settings.ShardBytes)), int64(settings.ShardBytes))
	summing := min(maxBuckets, (len(counting)+3)/4)
	list := make([]dataset.Unit, summing, summing+len(counting))
	for i := range list {
		list[i].Ordinal = i
	}
	for _, u := range counting {
		list = append(list, dataset.Unit{Ordinal: len(list), Spans: u.Spans})
	}
	plan, err := dataset.Draft{
		Pipeline: "wordcounts", PipelineVersion: Version, Schema: schemas.WordCount{}.Schema(), Seed: settings.Seed,
		Config: c, ShardBytes: int64(settings.ShardBytes), Units: list, Inputs: []dataset.Input{m.Input("documents")},
	}.Plan()
	if err != nil {
		return nil, err
	}
	words := exchange.Exchange{Purpose: "words", First: 0, Buckets: max(1, summing)}
	return &units.Job{Output: output, Plan: plan, Units: list, Phases: []units.Phase{
		units.NewPhase("count", summing, len(counting), &countTask{Config: c, Documents: documents, Words: words}),
		units.NewPhase("sum", 0, summing, &sumTask{Words: words}),
	}}, nil
}
