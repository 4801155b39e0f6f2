// Package views is the pipeline that makes pairs of a text and one that says the same
// in other words: the two views of BSL (Zhang et al. 2021, "Bootstrapped Unsupervised
// Sentence Representation Learning", section 4.4). The text is text_a, as in the paper,
// its view text_b.
//
// A pair's origin is the kind of its view and, for texts of benchmarks, their task and
// split: "synonym mr/train". For entailment, which takes the labels of a corpus, it is
// task and split alone, "multinli/train". So what is to train on and what is to test with
// can be told apart.
//
// A view that equals its text, white space aside, teaches nothing: it is
// dropped, and the funnel has the share by language.
package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/lookup"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/synonym"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 3

func init() {
	lookup.Register()
	graph.RegisterWriter[schemas.Pair, *translatedTask]()
	graph.RegisterWriter[schemas.Pair, *synonymTask]()
	graph.RegisterWriter[schemas.Pair, *entailmentTask]()
}

// Kinds of views.
const (
	Synonym         = "synonym"
	Entailment      = "entailment"
	BackTranslation = "back-translation"
	Translation     = "translation"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Texts    string `help:"Dataset of documents, pairs, benchmarks or translations, whose texts get views; entailment takes benchmarks of inference." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Wordnet  string `help:"Synonym: folder of Princeton's WordNet, such as /usr/share/wordnet of Debian's package wordnet-base, or a table of synsets whose name ends in .tsv." placeholder:"DIR" group:"Input" json:"-"`
	Kind     string `help:"How views are made (${enum}): by replacing words, of premises and what they entail, by translating there and back, or by translating." default:"synonym" enum:"synonym,entailment,back-translation,translation" group:"Views" json:"kind"`
	Language string `help:"Language of the texts (${default}); others are left out." default:"eng" placeholder:"CODE" group:"Views" json:"language"`

	Splits []string `help:"Benchmarks: splits to take, such as train; all if not given. The origin of a pair tells its task and split." placeholder:"NAME,…" group:"Views" json:"splits,omitempty"`

	There   []string `help:"Back-translation, translation: datasets of translations of the texts, as the verb translations makes them." placeholder:"DIR,…" group:"Input" json:"-"`
	Back    []string `help:"Back-translation: datasets of the translations of --there back into --language. A text whose translation there was rejected went no way back: it counts as not_translated." placeholder:"DIR,…" group:"Input" json:"-"`
	Through []string `help:"Back-translation: language to translate through; of two, the pair is the two back-translations, as in the paper." placeholder:"CODE,…" group:"Views" json:"through,omitempty"`
	MinChrF float64  `name:"min-chrf" help:"Back-translation: least chrF2, from 0 to 100, of what came back with its text, which is the score of the pair." default:"0" group:"Views" json:"min_chrf,omitempty"`
	Targets []string `help:"Translation: languages of the views." placeholder:"CODE,…" group:"Views" json:"targets,omitempty"`

	Preset   string   `help:"Synonym: what the next three flags are where they are not given (${enum}): strict replaces few words, nine of ten of them rightly; paper replaces 30 % of the words, as BSL does, two thirds of them wrongly." default:"strict" enum:"strict,paper" group:"Views" json:"-"`
	Share    *float64 `help:"Synonym: share of the words of a text to replace, if so many can be; 0.3 in both presets." placeholder:"X" group:"Views" json:"share,omitempty"`
	MinShare *float64 `help:"Synonym: least share of a word's uses in which a replacement means the same; strict: 0.7, paper: 0, any." placeholder:"X" group:"Views" json:"min_share,omitempty"`
	MinUses  *int     `help:"Synonym: least number of uses of a replacement in the texts that WordNet's authors tagged; strict: 5, paper: 0." placeholder:"N" group:"Views" json:"min_uses,omitempty"`
}

// presetPaper are the settings of the paper.
const presetPaper = "paper"

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("kind", c.Kind, Synonym, Entailment, BackTranslation, Translation)}
	errs.Check(c.Texts != "", "texts is empty: give a dataset")
	code, err := language.Parse(c.Language)
	if err != nil {
		errs.Addf("language: %w", err)
	}
	own := func(set bool, settings string, kinds ...string) {
		errs.Check(!set || slices.Contains(kinds, c.Kind), "%s for views of the kind %s, and without effect on %s ones", settings, strings.Join(kinds, " or "), c.Kind)
	}
	needs := func(list []string, setting, what string, kinds ...string) {
		errs.Check(len(list) > 0 || !slices.Contains(kinds, c.Kind), "%s is empty: give %s", setting, what)
	}
	own(c.Wordnet != "", "wordnet is", Synonym)
	own(c.Preset == presetPaper || c.Share != nil || c.MinShare != nil || c.MinUses != nil, "preset, share, min-share and min-uses are", Synonym)
	errs.Check(!slices.Contains(c.Splits, ""), "splits has an empty name: give names such as train, or none for all")
	own(len(c.There) > 0, "there is", BackTranslation, Translation)
	own(len(c.Back) > 0, "back is", BackTranslation)
	own(len(c.Through) > 0, "through is", BackTranslation)
	own(len(c.Targets) > 0, "targets is", Translation)
	own(c.MinChrF != 0, "min-chrf is", BackTranslation)
	errs.Check(c.MinChrF >= 0 && c.MinChrF <= 100, "min-chrf %v: want 0 to 100", c.MinChrF)
	needs(c.There, "there", "the translations of the texts", BackTranslation, Translation)
	needs(c.Back, "back", "the translations of --there back into the language of the texts", BackTranslation)
	needs(c.Through, "through", "the language that the texts were translated into", BackTranslation)
	needs(c.Targets, "targets", "the languages of the translations", Translation)
	errs.Check(len(c.Through) <= 2, "through %s: want one language, or two", strings.Join(c.Through, ","))
	if c.Kind == Synonym {
		errs.Add(c.synonym(0).Validate())
		errs.Check(c.Wordnet != "", "wordnet is empty: give the folder of Princeton's files; Debian's package wordnet-base has it as /usr/share/wordnet")
		errs.Check(err != nil || code == synonym.Language, "language %s: synonyms are for English, since inflection is known for no other language", c.Language)
	}
	if err == nil {
		c.Language = code
		_, err := c.pairs()
		errs.Add(err)
	}
	return errs.Err()
}

// synonym returns the settings of the preset with those that are given.
func (c Config) synonym(seed uint64) synonym.Config {
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

// Plan cuts the texts into units.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	code, err := language.Parse(c.Language)
	if err != nil {
		return nil, fmt.Errorf("language: %w", err)
	}
	c.Language = code
	c.Splits = slices.Compact(slices.Sorted(slices.Values(c.Splits)))
	switch c.Kind {
	case Entailment:
		return c.planEntailment(ctx, output, settings)
	case BackTranslation, Translation:
		return c.planTranslated(ctx, output, settings)
	}
	return c.planSynonym(ctx, output, settings)
}

// open opens the dataset of the texts.
func (c Config) open(ctx context.Context) (*texts.Source, error) {
	source, err := texts.Open(ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	if benchmarks := (schemas.Benchmark{}).Schema().Name; len(c.Splits) > 0 && source.Schema != benchmarks {
		return nil, fmt.Errorf("splits are of benchmarks, and %s holds rows of %s", c.Texts, source.Schema)
	}
	return source, nil
}

// takes says why a text gets no view whatever it says, or "".
func (c Config) takes(x texts.Text) (step, reason string) {
	switch {
	case x.Language != c.Language:
		return stepLanguage, ReasonLanguage
	case !x.Of(c.Splits):
		return stepSplit, ReasonSplit
	}
	return "", ""
}

// builder returns a builder with the texts as input.
func (c Config) builder(settings units.Settings, texts *dataset.Manifest, inputs ...dataset.Input) *graph.Builder {
	b := graph.New(settings)
	b.Input(texts.Input("texts"))
	b.Input(inputs...)
	return b
}

func (c Config) job(output string, b *graph.Builder) (*units.Job, error) {
	return b.Job(output, dataset.Draft{Pipeline: "views", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c})
}
