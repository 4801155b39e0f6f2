// Package pairs is the pipeline that makes pairs of texts. From documents it makes pairs
// of consecutive sentences, or of blocks of pages that are translations of each other. It
// also imports files with translations, or with pairs that have scores or labels: see
// package bitext.
package pairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/pipelines/bitext"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/pairs/pairing"
	"sentweave/transforms/pairs/parallel"
	"sentweave/transforms/read/layout"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 17

func init() {
	graph.RegisterWriter[schemas.Pair, *consecutiveTask]()
	graph.RegisterWriter[schemas.Pair, *parallelTask]()
}

// Kinds of pairs that the pipeline makes.
const (
	consecutive = schemas.KindConsecutive
	Parallel    = "parallel"
)

// Config is the configuration of the pipeline. The tags are read by the command line.
type Config struct {
	Settings
	Import bitext.Settings `embed:""`
}

// Settings are the kind, and what pairs of documents take. The json names are in plan
// and manifest.
type Settings struct {
	Documents string `help:"Consecutive, parallel: dataset of documents." placeholder:"DIR" takes:"document" group:"Input" json:"-"`
	Kind      string `help:"Pairs to make (${enum}): of --documents, neighbouring texts of a document, or blocks of pages that translate each other; of --input, translations, pairs with a similarity, translations with a quality, or premises and hypotheses with a label." default:"consecutive" enum:"consecutive,parallel,bitext,sts,qe,nli" group:"Pairs" json:"kind"`

	Mode       string  `help:"Consecutive: what a side is (${enum})." default:"sentence" enum:"sentence,chunk" group:"Pairs" json:"mode,omitempty"`
	MaxWords   int     `help:"Consecutive: most words of a side; characters in scripts without spaces count as words." default:"200" group:"Pairs" json:"max_words,omitempty"`
	MinWords   int     `help:"Consecutive: least words of a side." default:"3" group:"Pairs" json:"min_words,omitempty"`
	Sliding    bool    `help:"Consecutive: pair every side with the next one, so that most are in two pairs." group:"Pairs" json:"sliding,omitempty"`
	Swap       float64 `help:"Consecutive: probability that the order of a pair is turned round." default:"0.5" group:"Pairs" json:"swap"`
	Pivot      string  `help:"Parallel: language that every pair must have; all combinations if not given. Bitext: language whose texts make groups; the commonest by default." placeholder:"CODE" group:"Pairs" json:"pivot,omitempty"`
	Sentences  bool    `help:"Parallel: pair sentence by sentence where both sides have equally many." group:"Pairs" json:"sentences,omitempty"`
	Align      bool    `help:"Parallel: align the sentences of pages whose blocks differ in number or are shifted; the probability is in score." group:"Pairs" json:"align,omitempty"`
	Embeddings string  `help:"Parallel: dataset of embeddings that embed made of --documents, by which --align aligns, too. Shards are cut as those of the embeddings." placeholder:"DIR" takes:"embedding" group:"Pairs" json:"-"`
	MaxRatio   float64 `help:"Parallel, bitext: greatest ratio of the lengths of both sides." default:"2" group:"Pairs" json:"max_ratio,omitempty"`
	MaxOverlap float64 `help:"Parallel: share of words from which on both sides count as untranslated; 1 drops only equal ones. Languages as near as Lower and Upper Sorbian may need more." default:"0.8" group:"Pairs" json:"max_overlap,omitempty"`
	MinLength  float64 `help:"Parallel: least characters of a side, an ideograph counting for several." default:"10" group:"Pairs" json:"min_length,omitempty"`
	KeepGaps   bool    `help:"Parallel: keep blocks of which a filter took sentences." group:"Pairs" json:"keep_gaps,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	if slices.Contains(bitext.Kinds, c.Kind) {
		return c.validateImport()
	}
	errs := fault.List{units.OneOf("kind", c.Kind, append([]string{consecutive, Parallel}, bitext.Kinds...)...)}
	for _, flag := range c.Import.Given() {
		errs.Addf("%s is for pairs of the kinds %s, and has no effect on %s ones", flag, strings.Join(bitext.Kinds, ", "), c.Kind)
	}
	refuse := func(set bool, setting, kind string) {
		errs.Check(!set, "%s is for pairs of the kind %s, and has no effect on %s ones", setting, kind, c.Kind)
	}
	if c.Kind == Parallel {
		errs.Add(c.parallel().Validate())
		errs.Check(c.Align || c.Embeddings == "", "embeddings has no effect without align, which aligns sentences by their vectors")
		refuse(c.Sliding, "sliding", consecutive)
		refuse(c.Mode == pairing.ModeChunk, "mode chunk", consecutive)
		refuse(c.Swap != pairing.DefaultConfig().SwapProbability, "swap", consecutive)
	} else {
		errs.Add(c.pairing(0).Validate())
		refuse(c.Pivot != "", "pivot", Parallel)
		refuse(c.Sentences, "sentences", Parallel)
		refuse(c.Align, "align", Parallel)
		refuse(c.Embeddings != "", "embeddings", Parallel)
		refuse(c.KeepGaps, "keep-gaps", Parallel)
	}
	_, err := c.pivot()
	errs.Add(err)
	errs.Check(c.Documents != "", "documents is empty: give the dataset of the documents, or --kind bitext and --input to import bitext")
	return errs.Err()
}

// validateImport returns all faults of a configuration that imports pairs.
func (c Config) validateImport() error {
	errs := fault.List{c.imported().Validate()}
	def := pairing.DefaultConfig()
	errs.Check(c.Documents == "", "documents is for pairs of the kinds %s and %s; %s takes input", consecutive, Parallel, c.Kind)
	errs.Check(!c.Sliding && c.Mode != pairing.ModeChunk && c.Swap == def.SwapProbability,
		"mode, sliding and swap are for pairs of the kind %s", consecutive)
	errs.Check(!c.Sentences && !c.KeepGaps && !c.Align && c.Embeddings == "", "sentences, align, embeddings and keep-gaps are for pairs of the kind %s", Parallel)
	errs.Check(identifier.Location(c.Import.Langid) != "" || c.Import.LangidMargin == bitext.UsualMargin,
		"langid-margin has no effect without langid, the identifier that it is for")
	_, err := c.pivot()
	errs.Add(err)
	return errs.Err()
}

// pivot is the code of the pivot, or "".
func (c Settings) pivot() (string, error) {
	if c.Pivot == "" {
		return "", nil
	}
	code, err := language.Parse(c.Pivot)
	if err != nil {
		return "", fmt.Errorf("pivot: %w", err)
	}
	return code, nil
}

// Look returns what would keep Plan from beginning. Documents are planned, which reads little.
func (c Config) Look(ctx context.Context, output string) error {
	if !slices.Contains(bitext.Kinds, c.Kind) {
		_, err := c.Plan(ctx, output, units.Settings{})
		return err
	}
	return c.imported().Look(ctx, output)
}

// Translations says what a recipe asks before its first step: the flag by which pages that are translations of each other
// come in, the languages among which they are to be, nil for all, and the one that each pair must have. The flag is
// empty for kinds of pairs that need no such pages.
func (c Config) Translations() (flag string, languages []string, pivot string) {
	if c.Kind != Parallel {
		return "", nil, ""
	}
	return "documents", nil, c.Pivot
}

// imported is the configuration of pairs that are imported.
func (c Config) imported() bitext.Config {
	b := bitext.Config{Kind: c.Kind, Settings: c.Import}
	b.Pivot, _ = c.pivot() // which is validated
	if c.Kind == schemas.KindBitext {
		b.MaxRatio = c.MaxRatio
	}
	if identifier.Location(b.Langid) == "" {
		b.LangidMargin = 0
	}
	return b
}

func (c Settings) pairing(seed uint64) pairing.Config {
	p := pairing.DefaultConfig()
	p.Seed, p.Mode, p.MaxTokens, p.MinTokens, p.SpecialTokens = seed, c.Mode, c.MaxWords, c.MinWords, 0
	p.Sliding, p.SwapProbability = c.Sliding, c.Swap
	return p
}

func (c Settings) parallel() parallel.Config {
	p := parallel.DefaultConfig()
	p.Pivot, _ = c.pivot() // which is validated
	p.Sentences, p.MaxLengthRatio, p.MaxOverlap, p.MinCharacters, p.KeepIncomplete, p.Align = c.Sentences, c.MaxRatio, c.MaxOverlap,
		c.MinLength, c.KeepGaps, c.Align
	return p
}

// Plan cuts the documents into units. Parallel pages must lie next to each
// other, as corpus with a layout plans them; whole shards keep them together.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	if slices.Contains(bitext.Kinds, c.Kind) {
		return c.imported().Plan(ctx, output, settings, Version)
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
		task := &parallelTask{Config: c.Settings, Layout: pages.String(), Documents: documents}
		list := b.PackShards(m)
		if c.Embeddings != "" {
			if task.Vectors, list, err = openVectors(ctx, c.Embeddings, m); err != nil {
				return nil, err
			}
			b.Input(task.Vectors.Embeddings.Manifest().Input(vectors.Role))
		}
		graph.Write(b, "parallel", b.Units(list), task)
	} else {
		graph.Write(b, "consecutive", b.Units(b.Pack(m)), &consecutiveTask{Config: c.Settings, Seed: settings.Seed, Documents: documents})
	}
	return b.Job(output, dataset.Draft{Pipeline: "pairs", PipelineVersion: Version, Schema: schemas.Pair{}.Schema(), Config: c.Settings})
}
