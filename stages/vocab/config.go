// Package vocab is the stage that learns a WordPiece vocabulary from word counts.
//
// It writes vocab.txt, one piece a line, and, last, vocab.json: the request, its
// sources, and figures of the result. Repeating the same request finds it done.
package vocab

import (
	"slices"
	"strings"
	"unicode"

	"sentweave/schemas/fault"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/wordpiece"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// Version of the stage: raised when the same input gives another vocabulary.
const Version = 2

// Files of the output folder.
const (
	FileName   = "vocab.txt"
	RecordName = "vocab.json"
)

// Config is the configuration of the stage. The tags are read by the command
// line; the json names are in the record.
type Config struct {
	WordCounts string `help:"Dataset of word counts." name:"wordcounts" required:"" placeholder:"DIR" takes:"wordcount" group:"Input" json:"-"`

	Size     int      `help:"Wanted number of pieces." default:"30000" group:"Vocabulary" json:"size"`
	Exact    bool     `help:"Trim or fill to exactly that size, where the words give as many pieces and the characters need no more; the search alone ends up to 5 % below." default:"true" negatable:"" group:"Vocabulary" json:"exact"`
	Exponent float64  `help:"Language smoothing: 1 leaves the counts alone, 0 makes all languages equal; CMLM has 0.3." default:"0.5" group:"Vocabulary" json:"exponent"`
	Mode     string   `help:"Learn as the program of TensorFlow Text does, or as its guide says (${enum})." default:"reference" enum:"reference,documented" group:"Vocabulary" json:"mode"`
	Reserved []string `help:"First pieces, in this order." default:"[PAD],[UNK],[CLS],[SEP],[MASK]" group:"Vocabulary" json:"reserved"`

	MinCount            float64 `help:"Words must be counted more often than this, after smoothing." default:"2" group:"Search" json:"min_count"`
	LowerThreshold      int64   `help:"Least threshold of the search; the program of TensorFlow Text has 10." default:"2" group:"Search" json:"lower_threshold"`
	UpperThreshold      int64   `help:"Greatest threshold of the search." default:"10000000" group:"Search" json:"upper_threshold"`
	Iterations          int     `help:"Counting passes for each threshold." default:"4" group:"Search" json:"iterations"`
	MaxWords            int     `help:"Words to learn from, the most frequent first; -1 takes all." default:"-1" group:"Search" json:"max_words"`
	MaxCharacters       int     `help:"Longest word to learn from." default:"50" group:"Search" json:"max_characters"`
	MaxUniqueCharacters int     `help:"Different characters, the most frequent first; words with others are left out." default:"15000" group:"Search" json:"max_unique_characters"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.learner().Validate()}
	errs.Check(c.WordCounts != "", "wordcounts is empty: give the dataset of the word counts")
	errs.Check(c.Exponent >= 0 && c.Exponent <= 1, "exponent %v is not in [0, 1]", c.Exponent)
	errs.Check(c.MinCount >= 0, "min-count %v is negative", c.MinCount)
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

func (c Config) learner() learner.Config {
	l := learner.DefaultConfig(c.Size)
	l.Mode, l.Exact, l.Reserved = c.Mode, c.Exact, c.Reserved
	l.LowerThreshold, l.UpperThreshold, l.Iterations = c.LowerThreshold, c.UpperThreshold, c.Iterations
	l.MaxWords, l.MaxCharacters, l.MaxUniqueCharacters = c.MaxWords, c.MaxCharacters, c.MaxUniqueCharacters
	return l
}
