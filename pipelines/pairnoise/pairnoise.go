// Package pairnoise is the pipeline that makes about half of some good pairs of parallel texts wrong, by the rules of the
// transform of that name, for a classifier of pairs to learn from. One unit holds all pairs, which are few.
package pairnoise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/pairs/pairnoise"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

const (
	// mostPairs and mostBytes bound what is in memory: pairs, and bytes of their texts.
	mostPairs, mostBytes = 200_000, 128 << 20
	chainPairs           = "pairs"
	stepNoise            = "noise"
	// reasonNotBitext: a pair of another kind.
	reasonNotBitext = "no_translation"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "pairnoise", Group: verb.GroupCorpus,
	Help:     "Make about half of some good pairs wrong by rules, for pairtrain to learn what is wrong with pairs.",
	Examples: []string{"pairnoise --pairs sample --out noise"},
	Makes:    verb.Output{Rows: "pair"},
	Made:     verb.AsRead,
}

func init() { graph.RegisterWriter[schemas.Pair, *noiseTask]() }

// Config is the configuration of the pipeline. The tags are read by the command line.
type Config struct {
	Pairs string `help:"Dataset of good pairs of parallel texts, at most 200,000: draw more with sample." placeholder:"DIR" takes:"pair" group:"Input" required:"" json:"-"`
}

// Help returns the table of the kinds of noise, which the command line shows.
func (Config) Help() string {
	var b strings.Builder
	b.WriteString("The origin of a wrong pair is noise/KIND. Its second text is, by kind:\n\n")
	names, are := pairnoise.Kinds()
	for i, name := range names {
		fmt.Fprintf(&b, "    %s: %s\n", name, are[i])
	}
	return b.String()
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	if c.Pairs == "" {
		return errors.New("pairs is empty: give the dataset of good pairs")
	}
	return nil
}

// errTooMany says that the pairs do not fit into memory.
var errTooMany = errors.New("draw some of them with `sentweave sample --pairs … --rows 20000`")

// Plan makes one unit of all pairs.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	pairs, err := units.OpenDataset[schemas.Pair](ctx, c.Pairs)
	if err != nil {
		return nil, err
	}
	m := pairs.Manifest()
	if m.Rows > mostPairs {
		return nil, fmt.Errorf("pairs %s: %d pairs are more than the %d that are in memory at once: %w", pairs.Location, m.Rows, mostPairs, errTooMany)
	}
	b := graph.New(settings)
	b.Input(m.Input(chainPairs))
	graph.Write(b, "noise", b.Units(dataset.Pack(m.WholeShards(), math.MaxInt64)), &noiseTask{Pairs: pairs})
	return b.Job(output, dataset.Draft{Pipeline: "pairnoise", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
}

// noiseTask writes the pairs, in their order.
type noiseTask struct{ Pairs *units.Dataset }

// Setup implements graph.Task.
func (t *noiseTask) Setup(ctx context.Context) error { return units.Reopen[schemas.Pair](ctx, t.Pairs) }

// Chains implements graph.Task.
func (t *noiseTask) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainPairs, stepNoise)}
}

// Write implements graph.Writer.
func (t *noiseTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	var rows []schemas.Pair
	var pairs []pairnoise.Pair
	bytes := 0
	err := units.DatasetRows(ctx, t.Pairs, unit.Unit, func(p schemas.Pair) error {
		languages := schemas.LanguagePair(p.LanguageA, p.LanguageB)
		if p.Kind != schemas.KindBitext {
			if attempt.Rejects().Wants(stepNoise, reasonNotBitext, languages, p.ID) {
				attempt.Rejects().Add(p.Reject(stepNoise, reasonNotBitext))
			}
			return attempt.Funnel().Drop(chainPairs, languages, stepNoise, reasonNotBitext, 1)
		}
		if bytes += len(p.TextA) + len(p.TextB); bytes > mostBytes {
			return fmt.Errorf("pairs %s: their texts have more than %d MiB, which are in memory at once: %w", t.Pairs.Location, mostBytes>>20, errTooMany)
		}
		rows = append(rows, p)
		pairs = append(pairs, pairnoise.Pair{ID: p.ID, Source: p.TextA, Target: p.TextB, Languages: p.LanguageA + " " + p.LanguageB})
		return attempt.Funnel().Keep(chainPairs, languages, 1)
	})
	if err != nil {
		return err
	}
	kinds, targets := pairnoise.Plant(unit.Plan.Seed, pairs)
	for i, p := range rows {
		if kinds[i] != "" {
			p = schemas.Pair{ID: schemas.DerivedID("pairnoise", p.ID, kinds[i]), Kind: p.Kind, TextA: p.TextA, TextB: targets[i],
				LanguageA: p.LanguageA, LanguageB: p.LanguageB, Origin: schemas.NoiseOrigin + kinds[i]}
		}
		if err := attempt.Write(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
