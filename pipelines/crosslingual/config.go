// Package crosslingual is the pipeline that makes cross-lingual pairs of natural
// language inference: a premise in one language with its hypothesis in another, as in
// X-NLI (Yang et al. 2021, "Universal Sentence Representation Learning with
// Conditional Masked Language Model", section 4.3). It reads benchmarks in several
// languages, in which the versions of an item share an id. nli.Cross assigns the
// languages, so that ordered pairs of languages are balanced, both overall and within
// each label. If an item lacks a language that it was assigned, the pair is dropped
// and counted. Where languages are incomplete, the pairs are therefore less balanced.
//
// The origin of a pair is the task of its item and the split, such as
// "multinli/train", so that training and test pairs can be told apart. Splits chooses
// some of a corpus's splits, and the balance is over those that are chosen.
//
// Keys are exchanged three times. First, units spill the versions that they have to
// the unit that assigns languages. That unit spills back the versions that it needs.
// Then units spill the texts of these versions to the buckets that join them. Rows are
// read twice. The unit that assigns languages holds ids and labels, about 250 bytes an
// item.
package crosslingual

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterSpiller[*versionsTask]()
	graph.RegisterSpiller[*dealTask]()
	graph.RegisterSpiller[*textsTask]()
	graph.RegisterWriter[schemas.Pair, *joinTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Benchmarks []string `help:"Datasets of one corpus of inference in several languages, as benchmarks and translate make them." required:"" placeholder:"DIR,…" takes:"benchmark" group:"Input" json:"-"`
	Languages  []string `help:"Languages to deal, as ISO 639-3 or BCP 47; all that the datasets have if not given." placeholder:"CODE,…" group:"Pairs" json:"languages"`
	Splits     []string `help:"Splits of the corpus to take, such as train; all if not given. The origin of a pair tells its task and split." placeholder:"NAME,…" group:"Pairs" json:"splits,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(len(c.Benchmarks) != 0 && !slices.Contains(c.Benchmarks, ""),
		"benchmarks is empty: give the datasets of a corpus in several languages")
	errs.Check(!slices.Contains(c.Splits, ""), "splits has an empty name: give names such as train, or none for all")
	codes, err := parse(c.Languages)
	errs.Add(err)
	if err == nil && len(codes) == 1 {
		errs.Addf("languages has %s only: a pair needs two", codes[0])
	}
	return errs.Err()
}

// parse returns the codes of languages, sorted, each once.
func parse(languages []string) (codes []string, err error) {
	var errs fault.List
	for _, l := range languages {
		code, err := language.Parse(l)
		if err != nil {
			errs.Addf("languages: %w", err)
			continue
		}
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return slices.Compact(codes), errs.Err()
}

// Plan lays out four ranges of units: those that join, those that tell their versions,
// the one that deals, and those that give their texts.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	b := graph.New(settings)
	var datasets []*units.Dataset
	var packed [][]dataset.Unit
	for i, location := range c.Benchmarks {
		d, err := units.OpenDataset[schemas.Benchmark](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %w", err)
		}
		datasets, packed = append(datasets, d), append(packed, b.Pack(d.Manifest()))
		b.Input(d.Manifest().Input(fmt.Sprint("benchmarks ", i)))
	}
	var err error
	if c.Languages, err = c.dealt(datasets); err != nil {
		return nil, err
	}
	c.Splits = slices.Compact(slices.Sorted(slices.Values(c.Splits)))
	if err := units.CheckSplits(ctx, c.Splits, datasets...); err != nil {
		return nil, err
	}
	join := b.Buckets(max(1, graph.Bucketing(len(slices.Concat(packed...)), 4)))
	arrange := func() (parts graph.Datasets, r units.Range) {
		for i, list := range packed {
			parts = append(parts, graph.Part[*units.Dataset]{Range: b.Units(list), From: datasets[i]})
		}
		return parts, parts[0].To(parts[len(parts)-1].Range)
	}
	tell, telling := arrange()
	deal := b.Buckets(1)
	give, giving := arrange()
	graph.Spill(b, "versions", telling, &versionsTask{Languages: c.Languages, Splits: c.Splits, Sources: tell, First: telling.First},
		exchange.ByHash("versions", deal))
	graph.Spill(b, "deal", deal, &dealTask{Languages: c.Languages, Seed: settings.Seed}, exchange.ToUnits("wanted", giving))
	graph.Spill(b, "texts", giving, &textsTask{Sources: give}, exchange.ByHash("texts", join))
	graph.Write(b, "join", join, &joinTask{})
	return b.Job(output, dataset.Draft{Pipeline: "crosslingual", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
}

// dealt returns the languages to deal: those that are asked for, else those that the
// manifests have.
func (c Config) dealt(datasets []*units.Dataset) ([]string, error) {
	if len(c.Languages) > 0 {
		return parse(c.Languages)
	}
	present := map[string]bool{}
	for i, d := range datasets {
		list := languagesOf(d.Manifest())
		if list == nil {
			return nil, fmt.Errorf("benchmarks %s: its manifest does not tell the languages of its rows: name them by --languages",
				c.Benchmarks[i])
		}
		for _, code := range list {
			present[code] = true
		}
	}
	var codes []string
	for code := range present {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	if len(codes) < 2 {
		return nil, fmt.Errorf("benchmarks %s: all rows are in %s, a pair needs two languages; give the datasets of the other ones too",
			strings.Join(c.Benchmarks, ","), strings.Join(codes, ", "))
	}
	return codes, nil
}

// languagesOf reads the languages of the rows off the funnel: off a chain of which the
// rows came out, counted by languages; nil if there is none.
func languagesOf(m *dataset.Manifest) []string {
	for _, chain := range m.Funnel.Chains {
		codes := []string{}
		rows := int64(0)
		for code, n := range m.Funnel.Out(chain.Items) {
			if n > 0 && language.Valid(code) && code != language.Undetermined {
				codes = append(codes, code)
				rows += n
			}
		}
		if rows == m.Rows {
			return codes
		}
	}
	return nil
}
