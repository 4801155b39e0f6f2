// Package fill is the pipeline from texts to a translation memory. It
// translates each text of the given datasets once into each target language.
// Translations that a memory has are taken from there. The other texts are sent to an
// engine, and its answers are checked.
//
// Keys are exchanged once. Units spill texts and memories to buckets by pair of
// languages and text, so a text is one record, however often it occurs. Buckets
// translate the texts that no memory has, in the order of the keys.
//
// # Nothing is paid for twice
//
// A bucket is a unit: what is committed is not sent again. Within a unit each answer
// is journalled before the next request, so an attempt that is stopped loses only the
// requests under way. Complete datasets serve later ones as memories.
package fill

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
)

// Version of the pipeline: raised when the same input, with the same answers of the
// engine, gives another output.
const Version = 5

func init() {
	graph.RegisterSpiller[*collectTask]()
	units.Register[*translateTask]()
	graph.RegisterWriter[schemas.Translation, *countTask]()
}

// What of a memory is taken.
const (
	reuseIdentity = "identity"
	reuseAny      = "any"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Texts         []string `help:"Datasets whose texts are translated: documents, pairs, benchmarks, or translations." required:"" placeholder:"DIR,…" takes:"document,pair,benchmark,translation" group:"Input" json:"-"`
	Memory        []string `help:"Datasets of translations whose rows are taken instead of asking the engine again. Those of the same engine are checked by the rules of this run, but for round trips; others are as they are there." placeholder:"DIR,…" takes:"translation" subtracts:"" group:"Input" json:"-"`
	Sources       []string `help:"Languages of the texts to translate." default:"eng" placeholder:"CODE,…" group:"Languages" json:"sources"`
	Targets       []string `help:"Languages to translate into." required:"" placeholder:"CODE,…" group:"Languages" json:"targets"`
	Reuse         string   `help:"Which rows of --memory are taken (${enum}): those of the same engine, model and options, or of any, such as people." default:"identity" enum:"identity,any" group:"Input" json:"reuse"`
	GoldOnly      bool     `help:"Leave out the texts of benchmarks' rows without gold, which no score reads; translate keeps them as they are." group:"Input" json:"gold_only,omitempty"`
	RetryRejected bool     `help:"Translate again what a memory holds as rejected." group:"Input" json:"retry_rejected,omitempty"`

	Langid string `help:"fastText model that tells the language of translations; without it, only their script is looked at. embedded takes the one of the program, none no model." placeholder:"FILE" words:"embedded,none" group:"Checks" json:"-"`

	Quality
	Engines Engines `embed:"" group:"Engine" json:"-"`
}

// Quality says which translations are kept aside.
type Quality struct {
	Accept           []string `help:"Verdicts that do not reject a translation: empty copied wrong_language length_ratio lost_placeholder lost_number broken." placeholder:"VERDICT,…" group:"Checks" json:"accept,omitempty"`
	MaxLengthRatio   float64  `help:"Greatest ratio of the lengths of a text and its translation." default:"2" group:"Checks" json:"max_length_ratio"`
	MinRoundTrip     float64  `help:"chrF2, from 0 to 100, of a text and its translation translated back, below which that is rejected; sends each translation back by the engine of the text's language, for about the same price again. 0 sends nothing." default:"0" group:"Checks" json:"min_round_trip,omitempty"`
	MinLanguageScore float64  `help:"Score from which another language rejects, where it is also as many times that of the expected language as the length of the text demands." default:"0.3" group:"Checks" json:"min_language_score"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.Engines.Validate(), c.Quality.Validate(), units.OneOf("reuse", c.Reuse, reuseIdentity, reuseAny)}
	errs.Check(identifier.Location(c.Langid) != "" || c.checks().MinLanguageScore == checks.DefaultConfig().MinLanguageScore,
		"min-language-score has no effect without langid, the identifier whose score it is")
	errs.Check(len(c.Texts) != 0, "texts is empty: give the datasets whose texts are translated")
	for _, list := range []struct {
		name  string
		codes []string
	}{{"sources", c.Sources}, {"targets", c.Targets}} {
		errs.Check(len(list.codes) != 0, "%s is empty: give at least one language", list.name)
		for _, code := range list.codes {
			if _, err := language.Parse(code); err != nil {
				errs.Addf("%s: %w", list.name, err)
			}
		}
	}
	return errs.Err()
}

// Validate returns all faults at once.
func (q Quality) Validate() error {
	errs := fault.List{q.checks().Validate()}
	for _, verdict := range q.Accept {
		if !slices.Contains(checks.Verdicts(), checks.Verdict(verdict)) {
			errs.Addf("accept %q is not one of %v", verdict, checks.Verdicts())
		}
	}
	return errs.Err()
}

func (q Quality) checks() checks.Config {
	d := checks.DefaultConfig()
	d.MaxLengthRatio, d.MinLanguageScore, d.MinRoundTrip = q.MaxLengthRatio, float32(q.MinLanguageScore), q.MinRoundTrip
	return d
}

// pairs returns the pairs of languages, in the order of their codes, which is that of
// the output.
func (c Config) pairs() ([]engines.Pair, error) {
	var list []engines.Pair
	for _, s := range c.Sources {
		for _, t := range c.Targets {
			source, err := language.Parse(s)
			if err != nil {
				return nil, err
			}
			target, err := language.Parse(t)
			if err != nil {
				return nil, err
			}
			if p := (engines.Pair{Source: source, Target: target}); source != target && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("there is no pair of languages: each target is the source")
	}
	slices.SortFunc(list, comparePairs)
	return list, nil
}

// back returns the pairs by which translations are sent back, if they are.
func (c Config) back(pairs []engines.Pair) (list []engines.Pair) {
	if c.MinRoundTrip == 0 {
		return nil
	}
	for _, p := range pairs {
		list = append(list, engines.Pair{Source: p.Target, Target: p.Source})
	}
	return list
}

// planConfig is Config with what decides the translations.
type planConfig struct {
	Config
	Engines []pairEngine `json:"engines"`
}

// pairEngine is the identity of the engine for a pair.
type pairEngine struct {
	Pair     engines.Pair     `json:"pair"`
	Identity engines.Identity `json:"identity"`
}

// sameRules says whether the rows of a memory were judged as those of a run with these
// inputs are. Round trips, which cost as much as translations, are not judged again.
func (c Config) sameRules(memory *dataset.Manifest, inputs []dataset.Input) bool {
	var recorded struct {
		Quality
		Reuse string `json:"reuse"`
	}
	if p := memory.Plan; p.Pipeline != pipeline || p.PipelineVersion != Version || jsonfile.Unmarshal(p.Config, &recorded) != nil ||
		recorded.Reuse != reuseIdentity { // of any engine its rows may be as they stood
		return false
	}
	recorded.MinRoundTrip = c.MinRoundTrip
	langid := func(list []dataset.Input) string {
		for _, input := range list {
			if input.Role == langidRole {
				return input.XXH3
			}
		}
		return ""
	}
	return reflect.DeepEqual(recorded.Quality, c.Quality) && langid(memory.Plan.Inputs) == langid(inputs)
}

// Reach opens the engines and returns an error for one that cannot be opened, or that
// does not know a pair of languages. Nothing is translated. For an estimate, services need
// no key.
func (c Config) Reach(ctx context.Context, estimate bool) error {
	pairs, err := c.pairs()
	if err != nil {
		return err
	}
	_, err = c.Engines.identities(ctx, slices.Concat(pairs, c.back(pairs)), estimate)
	return err
}

const (
	pipeline   = "translations"
	langidRole = "langid"
)

const (
	// maxBuckets bounds the units that translate: each sees every spill file.
	maxBuckets = 256
	// maxPairs is the number of pairs that a key can name.
	maxPairs = 1 << 16
)

// Plan lays out the buckets, which translate, and the units that spill texts and
// memories. Every pair is one that its engine supports.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	return c.plan(ctx, output, settings, false)
}

func (c Config) plan(ctx context.Context, output string, settings units.Settings, estimate bool) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	pairs, err := c.pairs()
	if err != nil {
		return nil, err
	}
	if len(pairs) > maxPairs {
		return nil, fmt.Errorf("%d pairs of languages are more than %d", len(pairs), maxPairs)
	}
	identities, err := c.Engines.identities(ctx, slices.Concat(pairs, c.back(pairs)), estimate)
	if err != nil {
		return nil, err
	}
	directions := identities
	identities, reverse := directions[:len(pairs)], directions[len(pairs):]
	collect := &collectTask{Reuse: c.Reuse, RetryRejected: c.RetryRejected, GoldOnly: c.GoldOnly, Pairs: identities, Estimate: estimate}
	b := graph.New(settings)
	var inputs []dataset.Input
	bytes := int64(0)
	var sources []*texts.Source
	for i, location := range c.Texts {
		source, err := texts.Open(ctx, location)
		if err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
		m := source.Manifest()
		sources, inputs, bytes = append(sources, source), append(inputs, m.Input(fmt.Sprint("texts ", i))), bytes+m.Bytes
	}
	var memories []*units.Dataset
	for i, location := range c.Memory {
		memory, err := units.OpenDataset[schemas.Translation](ctx, location)
		if errors.Is(err, dataset.ErrIncomplete) {
			err = fmt.Errorf("%w; `sentweave memories --input %s --out M` makes a memory M of what it has", err, location)
		}
		if err != nil {
			return nil, fmt.Errorf("memory: %w", err)
		}
		memories, inputs = append(memories, memory), append(inputs, memory.Manifest().Input(fmt.Sprint("memory ", i)))
	}
	var model units.File
	if location := identifier.Location(c.Langid); location != "" {
		var input dataset.Input
		if model, input, err = identifier.OpenFile(ctx, langidRole, location); err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	b.Input(inputs...)
	// A text with its translation takes about the room of its row: a bucket has the bytes
	// of a shard. Where nobody chose these, it has as many as a unit may have: a unit keeps
	// all slots of an engine busy, and each starts programs and sends requests of its own.
	buckets := b.Buckets(int(min(maxBuckets, 1+bytes*int64(len(c.Targets))/settings.UnitBytes(0, dataset.MostOfUnit))))
	spilling := units.Range{First: buckets.Count}
	for _, source := range sources {
		part := graph.Part[*texts.Source]{Range: b.Units(b.Pack(source.Manifest())), From: source}
		collect.Texts, spilling = append(collect.Texts, part), spilling.To(part.Range)
	}
	for _, memory := range memories {
		part := graph.Part[*units.Dataset]{Range: b.Units(b.Pack(memory.Manifest())), From: memory}
		collect.Memory, spilling = append(collect.Memory, part), spilling.To(part.Range)
		collect.Anew = append(collect.Anew, !c.sameRules(memory.Manifest(), inputs))
		collect.Judge = &judge{Quality: c.Quality, Langid: model}
	}
	collect.Layout = layout{Pairs: len(identities), Buckets: buckets.Count}
	segments := exchange.ToUnits("segments", buckets)
	graph.Spill(b, "collect", spilling, collect, segments)
	if estimate {
		graph.Write(b, "count", buckets, &countTask{Engines: c.Engines, Pairs: identities})
	} else {
		b.Phase(units.NewPhase("translate", buckets, &translateTask{
			// What has failed before is not a measure of an engine.
			Judge: &judge{Quality: c.Quality, Langid: model}, Engines: c.Engines, Pairs: identities, Back: reverse, Trial: !c.RetryRejected,
			Segments: segments, Output: output,
		}))
	}
	job, err := b.Job(output, dataset.Draft{Pipeline: pipeline, PipelineVersion: Version, Schema: schemas.Translation{}.Schema(),
		Config: planConfig{c, directions}})
	if err != nil {
		return nil, err
	}
	job.Slow, job.Items = buckets, "" // texts are told by Working
	job.Working = func() string { return working(output, job.Plan, c.Engines) }
	return job, nil
}
