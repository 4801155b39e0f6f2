// Package pairs is the pipeline from documents to pairs of texts: consecutive
// sentences, or blocks of pages that are translations of each other.
package pairs

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/pairs/pairing"
	"sentweave/transforms/pairs/parallel"
	"sentweave/transforms/read/layout"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 4

func init() {
	graph.RegisterWriter[schemas.Pair, *consecutiveTask]()
	graph.RegisterWriter[schemas.Pair, *parallelTask]()
}

// Kinds of pairs that the pipeline makes.
const (
	Consecutive = schemas.KindConsecutive
	Parallel    = "parallel"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Documents string `help:"Dataset of documents." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Kind      string `help:"Pairs to make (${enum}): neighbouring texts of a document, or blocks of pages that translate each other." default:"consecutive" enum:"consecutive,parallel" group:"Pairs" json:"kind"`

	Mode       string  `help:"Consecutive: what a side is (${enum})." default:"sentence" enum:"sentence,chunk" group:"Pairs" json:"mode,omitempty"`
	MaxWords   int     `help:"Consecutive: most words of a side; characters in scripts without spaces count as words." default:"200" group:"Pairs" json:"max_words,omitempty"`
	MinWords   int     `help:"Consecutive: least words of a side." default:"3" group:"Pairs" json:"min_words,omitempty"`
	Sliding    bool    `help:"Consecutive: pair every side with the next one, so that most stand in two pairs." group:"Pairs" json:"sliding,omitempty"`
	Swap       float64 `help:"Consecutive: probability that the order of a pair is turned round." default:"0.5" group:"Pairs" json:"swap"`
	Pivot      string  `help:"Parallel: language that every pair must have; all combinations if not given." placeholder:"CODE" group:"Pairs" json:"pivot,omitempty"`
	Sentences  bool    `help:"Parallel: pair sentence by sentence where both sides have equally many." group:"Pairs" json:"sentences,omitempty"`
	MaxRatio   float64 `help:"Parallel: greatest ratio of the lengths of both sides." default:"2" group:"Pairs" json:"max_ratio,omitempty"`
	MaxOverlap float64 `help:"Parallel: share of words from which on both sides count as untranslated; 1 drops only equal ones. Languages as near as Lower and Upper Sorbian may need more." default:"0.8" group:"Pairs" json:"max_overlap,omitempty"`
	MinLength  float64 `help:"Parallel: least characters of a side, an ideograph counting for several." default:"10" group:"Pairs" json:"min_length,omitempty"`
	KeepGaps   bool    `help:"Parallel: keep blocks of which a filter took sentences." group:"Pairs" json:"keep_gaps,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("kind", c.Kind, Consecutive, Parallel)}
	other := func(set bool, setting, kind string) {
		errs.Check(!set, "%s is for pairs of the kind %s, and has no effect on %s ones", setting, kind, c.Kind)
	}
	if c.Kind == Parallel {
		errs.Add(c.parallel().Validate())
		other(c.Sliding, "sliding", Consecutive)
		other(c.Mode == pairing.ModeChunk, "mode chunk", Consecutive)
		other(c.Swap != pairing.DefaultConfig().SwapProbability, "swap", Consecutive)
	} else {
		errs.Add(c.pairing(0).Validate())
		other(c.Pivot != "", "pivot", Parallel)
		other(c.Sentences, "sentences", Parallel)
		other(c.KeepGaps, "keep-gaps", Parallel)
	}
	if _, err := language.Parse(c.Pivot); c.Pivot != "" && err != nil {
		errs.Addf("pivot: %w", err)
	}
	errs.Check(c.Documents != "", "documents is empty: give the dataset of the documents")
	return errs.Err()
}

func (c Config) pairing(seed uint64) pairing.Config {
	p := pairing.DefaultConfig()
	p.Seed, p.Mode, p.MaxTokens, p.MinTokens, p.SpecialTokens = seed, c.Mode, c.MaxWords, c.MinWords, 0
	p.Sliding, p.SwapProbability = c.Sliding, c.Swap
	return p
}

func (c Config) parallel() parallel.Config {
	p := parallel.DefaultConfig()
	if code, err := language.Parse(c.Pivot); err == nil {
		p.Pivot = code
	}
	p.Sentences, p.MaxLengthRatio, p.MaxOverlap, p.MinCharacters, p.KeepIncomplete = c.Sentences, c.MaxRatio, c.MaxOverlap, c.MinLength, c.KeepGaps
	return p
}

// Plan cuts the documents into units. Parallel pages must lie next to each
// other, as corpus with a layout plans them; whole shards keep them together.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	m := documents.Manifest()
	b := graph.New(settings)
	b.Input(m.Input("documents"))
	if c.Kind == Parallel {
		pages, err := layout.OfPages(m)
		if err != nil {
			return nil, fmt.Errorf("documents %s: %w", c.Documents, err)
		}
		list := dataset.Pack(m.WholeShards(), int64(settings.ShardBytes))
		graph.Write(b, "parallel", b.Units(list), &parallelTask{Config: c, Layout: pages.String(), Documents: documents})
	} else {
		graph.Write(b, "consecutive", b.Units(b.Pack(m)), &consecutiveTask{Config: c, Seed: settings.Seed, Documents: documents})
	}
	return b.Job(output, dataset.Draft{Pipeline: "pairs", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
}
