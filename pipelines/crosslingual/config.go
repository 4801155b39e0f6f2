// Package crosslingual is the pipeline that makes cross-lingual pairs of natural
// language inference: a premise in one language with its hypothesis in another, as
// X-NLI has them (Yang et al. 2021, "Universal Sentence Representation Learning with
// Conditional Masked Language Model", section 4.3). Items are those of benchmarks in
// several languages, whose versions share an id; languages are dealt by nli.Cross, so
// that ordered pairs of languages are balanced, over all and within each label. What is
// dealt to a language that an item does not have is dropped and counted: where languages
// are incomplete, the balance is what that leaves of it.
//
// A pair's origin is the task of its item and the split, "multinli/train", so that
// what is to train on and what is to test with can be told apart. Of a corpus with
// several splits Splits takes some: the balance is over those that are taken.
//
// It exchanges keys three times: units spill which versions they have to the unit that
// deals, which spills back which of them are wanted, of which units spill the texts to
// the buckets that join them. Rows are read twice; the unit that deals holds ids and
// labels, about 250 bytes an item.
package crosslingual

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	units.Register[*versionsTask]()
	units.Register[*dealTask]()
	units.Register[*textsTask]()
	units.Register[*joinTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Benchmarks []string `help:"Datasets of one corpus of inference in several languages, as benchmarks and translate make them." required:"" placeholder:"DIR,…" group:"Input" json:"-"`
	Languages  []string `help:"Languages to deal, as ISO 639-3 or BCP 47; all that the datasets have if not given." placeholder:"CODE,…" group:"Pairs" json:"languages"`
	Splits     []string `help:"Splits of the corpus to take, such as train; all if not given. The origin of a pair tells its task and split." placeholder:"NAME,…" group:"Pairs" json:"splits,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs []error
	if len(c.Benchmarks) == 0 || slices.Contains(c.Benchmarks, "") {
		errs = append(errs, errors.New("benchmarks is empty: give the datasets of a corpus in several languages"))
	}
	if slices.Contains(c.Splits, "") {
		errs = append(errs, errors.New("splits has an empty name: give names such as train, or none for all"))
	}
	codes, err := parse(c.Languages)
	errs = append(errs, err)
	if err == nil && len(codes) == 1 {
		errs = append(errs, fmt.Errorf("languages has %s only: a pair needs two", codes[0]))
	}
	return errors.Join(errs...)
}

// parse returns the codes of languages, sorted, each once.
func parse(languages []string) (codes []string, err error) {
	var errs []error
	for _, l := range languages {
		code, err := language.Parse(l)
		if err != nil {
			errs = append(errs, fmt.Errorf("languages: %w", err))
			continue
		}
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return slices.Compact(codes), errors.Join(errs...)
}

// maxBuckets bounds the units that join: each sees every spill file.
const maxBuckets = 64

// source is a dataset whose rows are read, by the units from First on of a phase.
type source struct {
	Dataset *units.Dataset
	First   int
}

// Plan lays out four ranges of units: those that join, those that tell their versions,
// the one that deals, and those that give their texts.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	shardBytes := int64(settings.ShardBytes)
	var sources []source
	var inputs []dataset.Input
	var reading []dataset.Unit
	for i, location := range c.Benchmarks {
		d, err := units.OpenDataset[schemas.Benchmark](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %w", err)
		}
		sources = append(sources, source{Dataset: d, First: len(reading)})
		inputs = append(inputs, d.Manifest().Input(fmt.Sprint("benchmarks ", i)))
		reading = append(reading, dataset.Pack(d.Manifest().Pieces(shardBytes), shardBytes)...)
	}
	var err error
	if c.Languages, err = c.dealt(sources); err != nil {
		return nil, err
	}
	c.Splits = slices.Compact(slices.Sorted(slices.Values(c.Splits)))
	joining := max(1, min(maxBuckets, (len(reading)+3)/4))
	list := make([]dataset.Unit, joining, joining+2*len(reading)+1)
	list = append(list, reading...)
	list = append(list, dataset.Unit{})
	list = append(list, reading...)
	for i := range list {
		list[i].Ordinal = i
	}
	telling, dealing, giving := joining, joining+len(reading), joining+len(reading)+1 // where each range begins
	versions := exchange.Exchange{Purpose: "versions", First: dealing, Buckets: 1}
	wanted := exchange.Exchange{Purpose: "wanted", First: giving, Buckets: max(1, len(reading)), ByUnit: true}
	texts := exchange.Exchange{Purpose: "texts", First: 0, Buckets: joining}
	plan, err := dataset.Draft{
		Pipeline: "crosslingual", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Seed: settings.Seed,
		Config: c, ShardBytes: shardBytes, Units: list, Inputs: inputs,
	}.Plan()
	if err != nil {
		return nil, err
	}
	return &units.Job{Output: output, Plan: plan, Units: list, Phases: []units.Phase{
		units.NewPhase("versions", telling, len(reading), &versionsTask{Languages: c.Languages, Splits: c.Splits, Sources: sources, First: telling, Versions: versions}),
		units.NewPhase("deal", dealing, 1, &dealTask{Languages: c.Languages, Seed: settings.Seed, Versions: versions, Wanted: wanted}),
		units.NewPhase("texts", giving, len(reading), &textsTask{Sources: sources, First: giving, Wanted: wanted, Texts: texts}),
		units.NewPhase("join", 0, joining, &joinTask{Texts: texts}),
	}}, nil
}

// dealt returns the languages to deal: those that are asked for, else those that the
// manifests have.
func (c Config) dealt(sources []source) ([]string, error) {
	if len(c.Languages) > 0 {
		return parse(c.Languages)
	}
	found := map[string]bool{}
	for i, s := range sources {
		list := languagesOf(s.Dataset.Manifest())
		if list == nil {
			return nil, fmt.Errorf("benchmarks %s: its manifest does not tell the languages of its rows: name them by --languages", c.Benchmarks[i])
		}
		for _, code := range list {
			found[code] = true
		}
	}
	var codes []string
	for code := range found {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	if len(codes) < 2 {
		return nil, fmt.Errorf("benchmarks %s: all rows are in %s, a pair needs two languages; give the datasets of the other ones too", strings.Join(c.Benchmarks, ","), strings.Join(codes, ", "))
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
