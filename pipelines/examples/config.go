// Package examples is the pipeline from documents or pairs to training examples: the
// token ids of one or two sides. It masks the second side of consecutive texts as CMLM
// does, or leaves that to the trainer. It pairs neighbouring sequences of documents in
// the same pass, since their length is counted in tokens.
package examples

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/pairs/pairing"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/masking"
)

// Version of the pipeline: raised when the same input gives another output. 2: only
// consecutive texts are masked, since no objective reads the masks of other kinds.
const Version = 2

func init() {
	graph.RegisterWriter[schemas.Example, *documentsTask]()
	graph.RegisterWriter[schemas.Example, *pairsTask]()
	graph.RegisterWriter[schemas.Example, *benchmarksTask]()
}

// Who masks.
const (
	maskStored  = "stored"
	maskTrainer = "trainer"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents  string `help:"Dataset of documents: examples of consecutive sequences." placeholder:"DIR" takes:"document" group:"Input" xor:"input" required:"" json:"-"`
	Pairs      string `help:"Dataset of pairs of any kind, instead of documents." placeholder:"DIR" takes:"pair" group:"Input" xor:"input" required:"" json:"-"`
	Benchmarks string `help:"Dataset of benchmarks, instead of documents: examples of single texts with a class, for the objective classify, or by --two-texts of two texts with a class, for nli." placeholder:"DIR" takes:"benchmark" group:"Input" xor:"input" required:"" json:"-"`
	Vocabulary string `help:"Vocabulary: a WordPiece file with one piece a line, a tokenizer.json of WordPiece, Unigram or BPE, a model of SentencePiece, a vocab.json beside its merges.txt, or the folder of an encoder that has one of them." required:"" placeholder:"FILE" takes:"vocabulary" group:"Input" json:"-"`
	Cased      bool   `help:"Keep case and accents; the vocabulary must be cased." group:"Tokens" json:"cased,omitempty"`
	MaxTokens  int    `help:"Most tokens of a side, [CLS] and [SEP] counted." default:"256" group:"Tokens" json:"max_tokens"`

	Splits    []string `help:"Benchmarks: splits to take, such as train; all if not given." placeholder:"NAME,…" group:"Benchmarks" json:"splits,omitempty"`
	Languages []string `help:"Benchmarks: languages of the items to take; all if not given." placeholder:"CODE,…" group:"Benchmarks" json:"languages,omitempty"`
	TwoTexts  bool     `help:"Benchmarks: take the items of two texts, in the place of those of one." group:"Benchmarks" json:"two_texts,omitempty"`
	Above     float64  `help:"Benchmarks: items whose label or target is above this are of class 1, all others of class 0, such as 3 of 5 stars; 0 takes labels as the numbers of classes, from 0, and by --two-texts those of inference by their names, too." default:"0" group:"Benchmarks" json:"above,omitempty"`

	Mode      string  `help:"Documents: what a side is (${enum}): as many sentences as fit, or one." default:"chunk" enum:"chunk,sentence" group:"Pairs" json:"mode"`
	MinTokens int     `help:"Documents: least tokens of a side." default:"16" group:"Pairs" json:"min_tokens"`
	Long      string  `help:"Documents: what happens to a sentence longer than a side (${enum})." default:"truncate" enum:"truncate,split" group:"Pairs" json:"long"`
	Sliding   bool    `help:"Documents: pair every side with the next one, so that most are in two pairs." group:"Pairs" json:"sliding,omitempty"`
	Swap      float64 `help:"Documents: probability that the order of a pair is turned round." default:"0.5" group:"Pairs" json:"swap"`

	Mask           string  `help:"Who masks the second side of consecutive texts (${enum}): this pipeline, or the trainer by hash of id and epoch. Other kinds are not masked." default:"stored" enum:"stored,trainer" group:"Masks" json:"mask"`
	Ratio          float64 `help:"Share of the tokens to mask." default:"0.3125" group:"Masks" json:"ratio"`
	MaxPredictions int     `help:"Most masked tokens of a side." default:"80" group:"Masks" json:"max_predictions"`
	Copies         int     `help:"Maskings of every consecutive pair (duplicate factor)." default:"1" group:"Masks" json:"copies"`
	WholeWords     bool    `help:"Mask all pieces of a word or none." group:"Masks" json:"whole_words,omitempty"`
	RandomTokens   string  `help:"Where random replacements are drawn from (${enum}); vocabulary is BERT's way, special tokens included." default:"vocabulary" enum:"vocabulary,words" group:"Masks" json:"random_tokens"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("mask", c.Mask, maskStored, maskTrainer), c.masking(0).Validate()}
	if c.Documents != "" { // others are made already
		errs.Add(c.pairing(0).Validate())
	}
	errs.Check(c.Documents != "" || !c.Sliding && c.Swap == pairing.DefaultConfig().SwapProbability,
		"--sliding and --swap are for --documents: the pairs of a dataset are made already, in the order that `sentweave pairs --swap` gave them")
	inputs := 0
	for _, location := range []string{c.Documents, c.Pairs, c.Benchmarks} {
		if location != "" {
			inputs++
		}
	}
	errs.Check(inputs == 1, "give one of --documents, --pairs and --benchmarks")
	errs.Check(c.Benchmarks != "" || len(c.Splits)+len(c.Languages) == 0 && c.Above == 0 && !c.TwoTexts,
		"--splits, --languages, --two-texts and --above are for --benchmarks")
	for _, l := range c.Languages {
		if err := language.Check(l); err != nil {
			errs.Addf("languages: %w", err)
		}
	}
	errs.Check(!math.IsNaN(c.Above) && !math.IsInf(c.Above, 0), "above is %v, it must be a number", c.Above)
	errs.Check(!slices.Contains(c.Splits, ""), "splits has an empty name: give names such as train, or none for all")
	errs.Check(c.Vocabulary != "", "vocabulary is empty: give the file of a vocabulary, or the folder of an encoder; `sentweave vocab` learns one")
	errs.Check(c.MaxTokens >= 3, "max-tokens is %d, it must be at least 3: [CLS], a token, [SEP]", c.MaxTokens)
	errs.Check(c.Copies >= 1, "copies %d: want at least 1", c.Copies)
	errs.Check(c.Copies == 1 || c.Mask == maskStored, "copies %d: only stored masks differ between copies", c.Copies)
	return errs.Err()
}

func (c Config) pairing(seed uint64) pairing.Config {
	return pairing.Config{
		Seed: seed, Mode: c.Mode, MaxTokens: c.MaxTokens, SpecialTokens: 2, MinTokens: c.MinTokens,
		LongSentences: c.Long, Sliding: c.Sliding, SwapProbability: c.Swap,
	}
}

func (c Config) masking(seed uint64) masking.Config {
	m := masking.DefaultConfig()
	m.Seed, m.Ratio, m.MaxPredictions, m.WholeWords, m.RandomTokens = seed, c.Ratio, c.MaxPredictions, c.WholeWords, c.RandomTokens
	return m
}

// Plan cuts the input into units.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	file, _, err := units.OpenFile(ctx, dataset.VocabularyRole, formats.Locate(ctx, c.Vocabulary))
	if err != nil {
		return nil, err
	}
	maker := maker{Config: c, Seed: settings.Seed, Vocabulary: file}
	if err := maker.setup(ctx); err != nil { // before any work, and in the launcher's words
		return nil, err
	}
	var input *units.Dataset
	role := "documents"
	switch {
	case c.Documents != "":
		input, err = units.OpenDataset[schemas.Document](ctx, c.Documents)
	case c.Benchmarks != "":
		role = "benchmarks"
		if input, err = units.OpenDataset[schemas.Benchmark](ctx, c.Benchmarks); err == nil {
			err = units.CheckSplits(ctx, c.Splits, input)
		}
	default:
		role = "pairs"
		input, err = units.OpenDataset[schemas.Pair](ctx, c.Pairs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	b := graph.New(settings)
	b.Input(input.Manifest().Input(role), dataset.VocabularyInput(maker.tokenizer.Vocabulary().Content()))
	reading := b.Units(b.Pack(input.Manifest()))
	switch role {
	case "pairs":
		graph.Write(b, "pairs", reading, &pairsTask{Maker: maker, Input: input})
	case "benchmarks":
		graph.Write(b, "benchmarks", reading, &benchmarksTask{Maker: maker, Input: input})
	default:
		graph.Write(b, "documents", reading, &documentsTask{Maker: maker, Input: input})
	}
	return b.Job(output, dataset.Draft{Pipeline: "examples", PipelineVersion: Version, Schema: schemas.Example{}.Schema(), Config: c})
}

// openVocabulary reads the vocabulary file.
func openVocabulary(ctx context.Context, location string) (tokens.Vocabulary, error) {
	v, err := formats.Read(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("vocabulary %s: %w", location, err)
	}
	return v, nil
}
