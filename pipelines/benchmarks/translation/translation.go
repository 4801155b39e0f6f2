// Package translation is the pipeline from a test set to the same test set in other
// languages. It looks up every text of every row in translation memories. Rows,
// labels, splits and order stay those of the source.
package translation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/memory/lookup"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 2

func init() {
	lookup.Register()
	graph.RegisterWriter[schemas.Benchmark, *writeTask]()
}

// What is in the place of a translation that failed the quality control.
const (
	fallbackRejected = "rejected"
	fallbackSource   = "source"
	fallbackFail     = "fail"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Benchmarks string   `help:"Dataset of the test sets to translate." required:"" placeholder:"DIR" takes:"benchmark" group:"Input" json:"-"`
	Memory     []string `help:"Datasets of translations: what the verb translations makes of --benchmarks." required:"" placeholder:"DIR,…" takes:"translation" subtracts:"" group:"Input" json:"-"`
	Source     string   `help:"Language of the texts to translate." default:"eng" placeholder:"CODE" group:"Languages" json:"source"`
	Targets    []string `help:"Languages to translate into." required:"" placeholder:"CODE,…" group:"Languages" json:"targets"`
	GoldOnly   bool     `help:"Leave texts of rows without gold, which no score reads, as they are where no memory has them, as translations --gold-only does." group:"Languages" json:"gold_only,omitempty"`
	Fallback   string   `help:"What is in the place of a translation that failed the checks (${enum}): the failed one, or the source's text where that is empty or broken; the source's text; or an error." default:"rejected" enum:"rejected,source,fail" group:"Languages" json:"fallback"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("fallback", c.Fallback, fallbackRejected, fallbackSource, fallbackFail)}
	errs.Check(c.Benchmarks != "", "benchmarks is empty: give the dataset of the test sets")
	errs.Check(len(c.Memory) != 0, "memory is empty: give the translations")
	_, err := c.pairs()
	errs.Add(err)
	return errs.Err()
}

// pairs returns the pairs of languages in the order of the targets' codes, which is
// that of the output.
func (c Config) pairs() ([]engines.Pair, error) {
	var errs fault.List
	source, err := language.Parse(c.Source)
	if err != nil {
		errs.Addf("source: %w", err)
	}
	var list []engines.Pair
	for _, t := range c.Targets {
		target, err := language.Parse(t)
		switch p := (engines.Pair{Source: source, Target: target}); {
		case err != nil:
			errs.Addf("targets: %w", err)
		case target == source:
			errs.Addf("targets: %s is the source", t)
		case !slices.Contains(list, p):
			list = append(list, p)
		}
	}
	errs.Check(len(list) != 0 || len(errs) != 0, "targets is empty: give at least one language")
	slices.SortFunc(list, func(a, b engines.Pair) int { return cmp.Compare(a.Target, b.Target) })
	return list, errs.Err()
}

// Plan lays out a writing unit for each unit of the source and each language, and
// those of the lookup.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	pairs, err := c.pairs()
	if err != nil {
		return nil, err
	}
	source, err := texts.Open(ctx, c.Benchmarks)
	if err != nil {
		return nil, err
	}
	if source.Schema != (schemas.Benchmark{}).Schema().Name {
		return nil, fmt.Errorf("%s holds rows of %s, not of test sets: the verb benchmarks makes them", c.Benchmarks, source.Schema)
	}
	memories, inputs, err := lookup.Open(ctx, "memory", c.Memory)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	b.Input(source.Manifest().Input("benchmarks"))
	b.Input(inputs...)
	reading := b.PackTimes(source.Manifest(), len(pairs))
	writing := b.Units(slices.Repeat(reading, len(pairs)))
	if err := (lookup.Lookup{Texts: source, Reading: reading, Pairs: pairs, Apart: true, There: memories}).Add(b, writing); err != nil {
		return nil, err
	}
	graph.Write(b, "write", writing, &writeTask{Fallback: c.Fallback, GoldOnly: c.GoldOnly, Benchmarks: source.Dataset, Pairs: pairs,
		Reading: len(reading)})
	return b.Job(output, dataset.Draft{Pipeline: "translate", PipelineVersion: Version, Schema: schemas.Benchmark{}.Schema(), Config: c})
}
