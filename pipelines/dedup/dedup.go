// Package dedup is the pipeline that drops exact duplicates from documents:
// whole documents, or sentences. Of equal texts the one with the smallest id
// stays, so the result does not depend on the order of work. Texts that stand
// in other datasets, such as held-out pages, can be dropped as well.
//
// It exchanges keys twice: units spill the keys of their texts to buckets,
// buckets spill the losers back to the units, units copy the rest. Rows are read
// twice and never shuffled.
package dedup

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/dedup"
	"sentweave/transforms/layout"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 2

func init() {
	units.Register[*keysTask]()
	units.Register[*losersTask]()
	units.Register[*copyTask]()
}

// Levels: what is compared.
const (
	LevelDocument = "document"
	LevelSentence = "sentence"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Documents string   `help:"Dataset of documents." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Against   []string `help:"Datasets of documents whose texts are dropped, too, in whatever language: held-out pages, benchmarks." placeholder:"DIR,…" group:"Input" json:"-"`
	Level     string   `help:"What is compared (${enum})." default:"document" enum:"document,sentence" group:"Duplicates" json:"level"`
	Loose     bool     `help:"Ignore case, punctuation, compatibility forms and the values of numbers." group:"Duplicates" json:"loose,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := []error{units.OneOf("level", c.Level, LevelDocument, LevelSentence)}
	if c.Documents == "" {
		errs = append(errs, errors.New("documents is empty: give the dataset of the documents"))
	}
	return errors.Join(errs...)
}

func (c Config) keys() dedup.Config {
	if c.Loose {
		return dedup.LooseConfig()
	}
	return dedup.DefaultConfig()
}

// maxBuckets bounds the units that find losers: each sees every spill file.
const maxBuckets = 64

// Plan lays out four ranges of units: those that copy, those that spill keys
// (of the documents, then of the datasets against which they are compared), and
// the buckets.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	shardBytes := int64(settings.ShardBytes)
	var list []dataset.Unit
	add := func(packed []dataset.Unit) {
		for _, u := range packed {
			list = append(list, dataset.Unit{Ordinal: len(list), Spans: u.Spans})
		}
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	sources := []source{{Dataset: documents}}
	inputs := []dataset.Input{documents.Manifest().Input("documents")}
	pages, err := layout.Of(documents.Manifest())
	if err != nil {
		return nil, fmt.Errorf("documents %s: %w", c.Documents, err)
	}
	pieces := documents.Manifest().Pieces(shardBytes)
	if !pages.IsZero() { // the versions of a page must stay in one shard
		pieces = documents.Manifest().WholeShards()
	}
	copies := dataset.Pack(pieces, shardBytes)
	add(copies)
	add(copies)
	for i, location := range c.Against {
		other, err := units.OpenDataset[schemas.Document](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("against: %w", err)
		}
		sources = append(sources, source{Dataset: other, First: len(list)})
		inputs = append(inputs, other.Manifest().Input(fmt.Sprint("against ", i)))
		add(dataset.Pack(other.Manifest().Pieces(shardBytes), shardBytes))
	}
	sources[0].First = len(copies)
	keys := exchange.Exchange{Purpose: "keys", First: len(list), Buckets: max(1, min(maxBuckets, (len(list)+7)/8))}
	losers := exchange.Exchange{Purpose: "losers", First: 0, Buckets: max(1, len(copies)), ByUnit: true}
	add(make([]dataset.Unit, keys.Buckets))
	plan, err := dataset.Draft{
		Pipeline: "dedup", PipelineVersion: Version, Schema: schemas.Document{}.Schema(), Seed: settings.Seed,
		Config: c, ShardBytes: shardBytes, Units: list, Inputs: inputs, Layout: pages.String(),
	}.Plan()
	if err != nil {
		return nil, err
	}
	return &units.Job{Output: output, Plan: plan, Units: list, Phases: []units.Phase{
		units.NewPhase("keys", len(copies), keys.First-len(copies), &keysTask{Config: c, Sources: sources, Keys: keys}),
		units.NewPhase("losers", keys.First, keys.Buckets, &losersTask{Keys: keys, Losers: losers}),
		units.NewPhase("copy", 0, len(copies), &copyTask{Config: c, Documents: documents, Losers: losers}),
	}}, nil
}

// source is a dataset whose keys are spilled, by the units from First on.
type source struct {
	Dataset *units.Dataset
	First   int
}
