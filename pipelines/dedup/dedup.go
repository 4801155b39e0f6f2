// Package dedup is the pipeline that drops exact duplicates from documents: whole
// documents, or sentences. Of equal texts the one with the smallest id stays, so the
// result does not depend on the order of work. The pipeline can also drop texts that
// occur in other datasets, such as held-out pages.
//
// Keys are exchanged twice: units spill the keys of their texts to buckets, buckets
// spill the keys to drop back to the units, and the units copy the rest. Rows are read
// twice and never shuffled.
package dedup

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/filters/dedup"
	"sentweave/transforms/read/layout"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 2

func init() {
	graph.RegisterSpiller[*keysTask]()
	graph.RegisterSpiller[*losersTask]()
	graph.RegisterWriter[schemas.Document, *copyTask]()
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
	errs := fault.List{units.OneOf("level", c.Level, LevelDocument, LevelSentence)}
	errs.Check(c.Documents != "", "documents is empty: give the dataset of the documents")
	return errs.Err()
}

func (c Config) keys() dedup.Config {
	if c.Loose {
		return dedup.LooseConfig()
	}
	return dedup.DefaultConfig()
}

// Plan lays out four ranges of units: those that copy, those that spill keys
// (of the documents, then of the datasets against which they are compared), and
// the buckets.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	m := documents.Manifest()
	pages, err := layout.Of(m)
	if err != nil {
		return nil, fmt.Errorf("documents %s: %w", c.Documents, err)
	}
	b := graph.New(settings)
	b.Input(m.Input("documents"))
	packed := b.Pack(m)
	if !pages.IsZero() { // the versions of a page must stay in one shard
		packed = b.PackShards(m)
	}
	copies := b.Units(packed)
	keys := &keysTask{Config: c, Documents: graph.Part[*units.Dataset]{Range: b.Units(packed), From: documents}}
	spilling := keys.Documents.Range
	for i, location := range c.Against {
		other, err := units.OpenDataset[schemas.Document](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("against: %w", err)
		}
		b.Input(other.Manifest().Input(fmt.Sprint("against ", i)))
		part := graph.Part[*units.Dataset]{Range: b.Units(b.Pack(other.Manifest())), From: other}
		keys.Against, spilling = append(keys.Against, part), spilling.To(part.Range)
	}
	buckets := b.Buckets(max(1, graph.Bucketing(copies.To(spilling).Count, 8)))
	graph.Spill(b, "keys", spilling, keys, exchange.To("keys", buckets))
	graph.Spill(b, "losers", buckets, &losersTask{}, exchange.ToUnits("losers", copies))
	graph.Write(b, "copy", copies, &copyTask{Config: c, Documents: documents})
	return b.Job(output, dataset.Draft{Pipeline: "dedup", PipelineVersion: Version, Schema: schemas.Document{}.Schema(), Config: c, Layout: pages.String()})
}
