// Package views is the pipeline that pairs each text with one that says the same in
// other words: the two views of BSL (Zhang et al. 2021, "Bootstrapped Unsupervised
// Sentence Representation Learning", section 4.4). As in the paper, text_a is the text
// and text_b its view.
//
// The origin of a pair is the kind of its view and, for texts of benchmarks, their
// task and split: "synonym mr/train". For entailment, which uses the labels of a
// corpus, it is task and split alone: "multinli/train". So training and test pairs can
// be told apart.
//
// A view that equals its text, ignoring white space, teaches nothing. It is dropped,
// and the funnel counts such views by language.
package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/memory/lookup"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/augment/synonym"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 3

func init() {
	lookup.Register()
	graph.RegisterWriter[schemas.Pair, *translatedTask]()
	graph.RegisterWriter[schemas.Pair, *synonymTask]()
	graph.RegisterWriter[schemas.Pair, *entailmentTask]()
}

// Names of the kinds of views.
const (
	kindSynonym         = "synonym"
	kindEntailment      = "entailment"
	kindBackTranslation = "back-translation"
	kindTranslation     = "translation"
)

// Source is what all kinds have: the texts that get views.
type Source struct {
	Texts string `help:"Dataset of documents, pairs, benchmarks or translations, whose texts get views; entailment takes benchmarks of inference." required:"" placeholder:"DIR" takes:"document,pair,benchmark,translation" group:"Input" json:"-"`
	Selection
}

// Inference is Source for a kind whose texts are of benchmarks of inference alone.
type Inference struct {
	Texts string `help:"Dataset of documents, pairs, benchmarks or translations, whose texts get views; entailment takes benchmarks of inference." required:"" placeholder:"DIR" takes:"benchmark" group:"Input" json:"-"`
	Selection
}

// Selection says which texts get views.
type Selection struct {
	Language string   `help:"Language of the texts (${default}); others are left out." default:"eng" placeholder:"CODE" group:"Views" json:"language"`
	Splits   []string `help:"Benchmarks: splits to take, such as train; all if not given. The origin of a pair tells its task and split." placeholder:"NAME,…" group:"Views" json:"splits,omitempty"`
}

// SynonymSettings say which words are replaced by which.
type SynonymSettings struct {
	Wordnet  string   `help:"Folder of Princeton's WordNet, such as /usr/share/wordnet of Debian's package wordnet-base, or a table of synsets whose name ends in .tsv." placeholder:"DIR" group:"Input" json:"-"`
	Preset   string   `help:"What the next three flags are where they are not given (${enum}): strict replaces few words, nine of ten of them rightly; paper replaces 30 % of the words, as BSL does, two thirds of them wrongly." default:"strict" enum:"strict,paper" group:"Views" json:"-"`
	Share    *float64 `help:"Share of the words of a text to replace, if so many can be; 0.3 in both presets." placeholder:"X" group:"Views" json:"share,omitempty"`
	MinShare *float64 `help:"Least share of a word's uses in which a replacement means the same; strict: 0.7, paper: 0, any." placeholder:"X" group:"Views" json:"min_share,omitempty"`
	MinUses  *int     `help:"Least number of uses of a replacement in the texts that WordNet's authors tagged; strict: 5, paper: 0." placeholder:"N" group:"Views" json:"min_uses,omitempty"`
}

// Memory holds the translations of the texts.
type Memory struct {
	There []string `help:"Datasets of translations of the texts, as the verb translations makes them." required:"" placeholder:"DIR,…" takes:"translation" group:"Input" json:"-"`
}

// BackSettings say which way texts went and came back.
type BackSettings struct {
	Back    []string `help:"Datasets of the translations of --there back into --language. A text whose translation there was rejected went no way back: it counts as not_translated." required:"" placeholder:"DIR,…" takes:"translation" group:"Input" json:"-"`
	Through []string `help:"Language to translate through; of two, the pair is the two back-translations, as in the paper." required:"" placeholder:"CODE,…" group:"Views" json:"through,omitempty"`
	MinChrF float64  `name:"min-chrf" help:"Least chrF2, from 0 to 100, of what came back with its text, which is the score of the pair." default:"0" group:"Views" json:"min_chrf,omitempty"`
}

// TranslationSettings say which translations are the views.
type TranslationSettings struct {
	Targets []string `help:"Languages of the views." required:"" placeholder:"CODE,…" group:"Views" json:"targets,omitempty"`
}

// The kinds with their settings. The tags are read by the command line.
type (
	// Synonym makes views by replacing words.
	Synonym struct {
		Source
		SynonymSettings
	}
	// Entailment takes what premises entail as their views.
	Entailment struct{ Inference }
	// BackTranslation makes views by translating there and back.
	BackTranslation struct {
		Source
		Memory
		BackSettings
	}
	// Translation takes translations as views.
	Translation struct {
		Source
		Memory
		TranslationSettings
	}
)

// Kind is the pipeline for one of the kinds.
type Kind[S interface{ config() config }] struct {
	Settings S `embed:""`
}

// Validate returns all faults at once.
func (k Kind[S]) Validate() error { return k.Settings.config().validate() }

// Plan cuts the texts into units.
func (k Kind[S]) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	return k.Settings.config().plan(ctx, output, settings)
}

// config is a kind with its settings. The json names are in plan and manifest.
type config struct {
	Kind string `json:"kind"`
	Source
	SynonymSettings
	Memory
	BackSettings
	TranslationSettings
}

func (s Synonym) config() config {
	return config{Kind: kindSynonym, Source: s.Source, SynonymSettings: s.SynonymSettings}
}

func (s Entailment) config() config {
	return config{Kind: kindEntailment, Source: Source(s.Inference)}
}

func (s BackTranslation) config() config {
	return config{Kind: kindBackTranslation, Source: s.Source, Memory: s.Memory, BackSettings: s.BackSettings}
}

func (s Translation) config() config {
	return config{Kind: kindTranslation, Source: s.Source, Memory: s.Memory, TranslationSettings: s.TranslationSettings}
}

// presetPaper are the settings of the paper.
const presetPaper = "paper"

// validate returns all faults at once.
func (c config) validate() error {
	var errs fault.List
	errs.Check(c.Texts != "", "texts is empty: give a dataset")
	code, err := language.Parse(c.Language)
	if err != nil {
		errs.Addf("language: %w", err)
	}
	errs.Check(!slices.Contains(c.Splits, ""), "splits has an empty name: give names such as train, or none for all")
	translated := c.Kind == kindBackTranslation || c.Kind == kindTranslation
	errs.Check(!translated || len(c.There) > 0, "there is empty: give the translations of the texts")
	switch c.Kind {
	case kindSynonym:
		errs.Add(c.synonym(0).Validate())
		errs.Check(c.Wordnet != "",
			"wordnet is empty: give the folder of Princeton's files; Debian's package wordnet-base has it as /usr/share/wordnet")
		errs.Check(err != nil || code == synonym.Language,
			"language %s: synonyms are for English, since inflection is known for no other language", c.Language)
	case kindBackTranslation:
		errs.Check(len(c.Back) > 0, "back is empty: give the translations of --there back into the language of the texts")
		errs.Check(len(c.Through) == 1 || len(c.Through) == 2, "through %s: want the language that the texts were translated into, or two",
			strings.Join(c.Through, ","))
		errs.Check(c.MinChrF >= 0 && c.MinChrF <= 100, "min-chrf %v: want 0 to 100", c.MinChrF)
	case kindTranslation:
		errs.Check(len(c.Targets) > 0, "targets is empty: give the languages of the translations")
	}
	if err == nil {
		c.Language = code
		_, err := c.pairs()
		errs.Add(err)
	}
	return errs.Err()
}

// synonym returns the settings of the preset with those that are given.
func (c config) synonym(seed uint64) synonym.Config {
	s := synonym.DefaultConfig()
	if c.Preset == presetPaper {
		s = synonym.PaperConfig()
	}
	s.Seed = seed
	if c.Share != nil {
		s.Share = *c.Share
	}
	if c.MinShare != nil {
		s.MinShare = *c.MinShare
	}
	if c.MinUses != nil {
		s.MinUses = *c.MinUses
	}
	return s
}

func (c config) plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.validate(), settings.Validate()); err != nil {
		return nil, err
	}
	code, err := language.Parse(c.Language)
	if err != nil {
		return nil, fmt.Errorf("language: %w", err)
	}
	c.Language = code
	c.Splits = slices.Compact(slices.Sorted(slices.Values(c.Splits)))
	switch c.Kind {
	case kindEntailment:
		return c.planEntailment(ctx, output, settings)
	case kindBackTranslation, kindTranslation:
		return c.planTranslated(ctx, output, settings)
	}
	return c.planSynonym(ctx, output, settings)
}

// open opens the dataset of the texts.
func (c config) open(ctx context.Context) (*texts.Source, error) {
	source, err := texts.Open(ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	if benchmarks := (schemas.Benchmark{}).Schema().Name; len(c.Splits) > 0 && source.Schema != benchmarks {
		return nil, fmt.Errorf("splits are of benchmarks, and %s holds rows of %s", c.Texts, source.Schema)
	}
	if err := units.CheckSplits(ctx, c.Splits, source.Dataset); err != nil {
		return nil, err
	}
	return source, nil
}

// takes says why a text gets no view whatever it says, or "".
func (c config) takes(x texts.Text) (step, reason string) {
	switch {
	case x.Language != c.Language:
		return stepLanguage, ReasonLanguage
	case !x.Of(c.Splits):
		return stepSplit, ReasonSplit
	}
	return "", ""
}

// builder returns a builder with the texts as input.
func (c config) builder(settings units.Settings, texts *dataset.Manifest, inputs ...dataset.Input) *graph.Builder {
	b := graph.New(settings)
	b.Input(texts.Input("texts"))
	b.Input(inputs...)
	return b
}

func (c config) job(output string, b *graph.Builder) (*units.Job, error) {
	return b.Job(output, dataset.Draft{Pipeline: "views", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
}
