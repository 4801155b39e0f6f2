// Package vocab is the stage that learns a vocabulary of WordPiece or Unigram from word counts.
//
// It writes vocab.txt, one piece a line, or a tokenizer.json with its tokenizer_config.json, then coverage.csv, and, last, vocab.json: the
// request, its sources, and figures of the result. Repeating the same request finds it done.
package vocab

import (
	"slices"
	"strings"
	"unicode"

	"sentweave/schemas/fault"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
	unigramlearner "sentweave/transforms/tokens/unigram/learner"
	"sentweave/transforms/tokens/wordpiece"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// Version of the stage: raised when the same input gives another vocabulary.
const Version = 2

// Files of the output folder: FileName is the vocabulary of WordPiece, formats.SerializedName that of Unigram. CoverageName has the
// coverage of each language, a line for each.
const (
	FileName     = "vocab.txt"
	CoverageName = "coverage.csv"
	RecordName   = "vocab.json"
	settingsName = "tokenizer_config.json"
)

// unigramModel is the model that is not WordPiece.
const unigramModel = "unigram"

// Config is the configuration of the stage. The tags are read by the command
// line; the json names are in the record.
type Config struct {
	WordCounts string `help:"Dataset of word counts." name:"wordcounts" required:"" placeholder:"DIR" takes:"wordcount" group:"Input" json:"-"`

	Model    string  `help:"What to learn (${enum}): unigram is that of XLM-R, from words that wordcounts --spaces counts." default:"wordpiece" enum:"wordpiece,unigram" group:"Vocabulary" json:"model,omitempty"`
	Size     int     `help:"Wanted number of pieces." default:"30000" group:"Vocabulary" json:"size"`
	Exponent float64 `help:"Language smoothing: 1 leaves the counts alone, 0 makes all languages equal; CMLM has 0.3." default:"0.5" group:"Vocabulary" json:"exponent"`

	CharacterCoverage float64 `help:"Share of the text whose characters are pieces, the most frequent ones first; all others are unknown." default:"0.9995" group:"Unigram" json:"character_coverage,omitempty"`
	SeedSize          int     `help:"Most substrings of words to begin with." default:"1000000" group:"Unigram" json:"seed_size,omitempty"`

	MinCount            float64  `help:"Words must be counted more often than this, after smoothing." default:"2" group:"WordPiece" json:"min_count,omitempty"`
	Exact               bool     `help:"Trim or fill to exactly that size, where the words give as many pieces and the characters need no more; the search alone ends up to 5 % below." default:"true" negatable:"" group:"WordPiece" json:"exact,omitempty"`
	Mode                string   `help:"Learn as the program of TensorFlow Text does, or as its guide says (${enum})." default:"reference" enum:"reference,documented" group:"WordPiece" json:"mode,omitempty"`
	Reserved            []string `help:"First pieces, in this order." default:"[PAD],[UNK],[CLS],[SEP],[MASK]" group:"WordPiece" json:"reserved,omitempty"`
	LowerThreshold      int64    `help:"Least threshold of the search; the program of TensorFlow Text has 10." default:"2" group:"WordPiece" json:"lower_threshold,omitempty"`
	UpperThreshold      int64    `help:"Greatest threshold of the search." default:"10000000" group:"WordPiece" json:"upper_threshold,omitempty"`
	Iterations          int      `help:"Counting passes for each threshold." default:"4" group:"WordPiece" json:"iterations,omitempty"`
	MaxWords            int      `help:"Words to learn from, the most frequent first; -1 takes all." default:"-1" group:"WordPiece" json:"max_words,omitempty"`
	MaxCharacters       int      `help:"Longest word to learn from." default:"50" group:"WordPiece" json:"max_characters,omitempty"`
	MaxUniqueCharacters int      `help:"Different characters, the most frequent first; words with others are left out." default:"15000" group:"WordPiece" json:"max_unique_characters,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.WordCounts != "", "wordcounts is empty: give the dataset of the word counts")
	errs.Check(c.Exponent >= 0 && c.Exponent <= 1, "exponent %v is not in [0, 1]", c.Exponent)
	if c.Model == unigramModel {
		errs.Add(c.unigram().Validate())
	} else {
		errs.Add(c.learner().Validate(), c.checkReserved())
		errs.Check(c.MinCount >= 0, "min-count %v is negative", c.MinCount)
	}
	return errs.Err()
}

// checkReserved returns the faults of the first pieces of WordPiece.
func (c Config) checkReserved() error {
	var errs fault.List
	pieces := map[string]bool{}
	for _, piece := range c.Reserved {
		errs.Check(piece != "" && !strings.ContainsFunc(piece, unicode.IsSpace), "the reserved piece %q is empty or holds a space", piece)
		errs.Check(!pieces[piece], "the reserved piece %s occurs there twice", piece)
		pieces[piece] = true
	}
	holds := func(names tokens.SpecialTokens) bool {
		return !slices.ContainsFunc(names.Names(), func(name string) bool { return !pieces[name] })
	}
	if bert, tensorflow := wordpiece.BERTTokens(), wordpiece.TFTextTokens(); !holds(bert) && !holds(tensorflow) {
		errs.Addf("reserved holds neither %s nor %s: a tokenizer needs them all", strings.Join(bert.Names(), ","),
			strings.Join(tensorflow.Names(), ","))
	}
	return errs.Err()
}

// recorded is the configuration as the record has it: without the settings of the other model, and without those that older records lack.
func (c Config) recorded() Config {
	if c.Model == unigramModel {
		return Config{WordCounts: c.WordCounts, Model: c.Model, Size: c.Size, Exponent: c.Exponent, CharacterCoverage: c.CharacterCoverage,
			SeedSize: c.SeedSize}
	}
	c.Model, c.CharacterCoverage, c.SeedSize = "", 0, 0
	return c
}

// fileName is the file of the vocabulary.
func (c Config) fileName() string {
	if c.Model == unigramModel {
		return formats.SerializedName
	}
	return FileName
}

func (c Config) unigram() unigramlearner.Config {
	return unigramlearner.Config{Size: c.Size, Coverage: c.CharacterCoverage, Seeds: c.SeedSize}
}

func (c Config) learner() learner.Config {
	l := learner.DefaultConfig(c.Size)
	l.Mode, l.Exact, l.Reserved = c.Mode, c.Exact, c.Reserved
	l.LowerThreshold, l.UpperThreshold, l.Iterations = c.LowerThreshold, c.UpperThreshold, c.Iterations
	l.MaxWords, l.MaxCharacters, l.MaxUniqueCharacters = c.MaxWords, c.MaxCharacters, c.MaxUniqueCharacters
	return l
}
