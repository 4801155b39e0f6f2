package learner

import (
	"math"

	"sentweave/schemas/fault"
)

// Modes, see the package comment.
const (
	reference  = "reference"
	documented = "documented"
)

// Config is the configuration of Learn. DefaultConfig gives the reference's
// values but where these break on many languages.
type Config struct {
	// Mode is Reference (default) or Documented.
	Mode string
	// Size is the wanted number of pieces, reserved tokens and characters counted.
	Size int
	// Slack is how far below Size the search may end, as a share of it. Default .05.
	Slack float64
	// UpperThreshold and LowerThreshold bound the search, besides the counts
	// themselves. Defaults 10,000,000 and 10. A corpus of a few megabytes needs a
	// lower LowerThreshold to fill a vocabulary.
	UpperThreshold, LowerThreshold int64
	// Iterations is the number of counting passes. Default 4.
	Iterations int
	// MaxWords is the number of words that are learned from, the most frequent
	// first; -1 (default) takes all. The reference takes 5,000,000.
	MaxWords int
	// MaxCharacters is the longest word that is learned from. Default 50.
	MaxCharacters int
	// MaxUniqueCharacters is the number of different characters, the most frequent
	// first; words with others are left out. Default 15,000. The reference's 1,000
	// loses most Chinese words in a corpus of many languages.
	MaxUniqueCharacters int
	// Joiner marks pieces that continue a word. Default "##"; "" has no such pieces.
	Joiner string
	// Reserved are the first pieces. Words equal to one are left out.
	Reserved []string
	// Exact trims or fills the vocabulary to Size by count where the search does
	// not meet it: the rarest pieces that are not characters go, or pieces that a
	// lower threshold would have kept come in, the most frequent first.
	Exact bool
}

// DefaultConfig returns the configuration described above, with BERT's tokens.
func DefaultConfig(size int) Config {
	return Config{
		Mode: reference, Size: size, Slack: .05, UpperThreshold: 10_000_000, LowerThreshold: 10, Iterations: 4,
		MaxWords: -1, MaxCharacters: 50, MaxUniqueCharacters: 15_000, Joiner: "##",
		Reserved: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
	}
}

// Validate returns all faults.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Mode == reference || c.Mode == documented, "mode %q: want %q or %q", c.Mode, reference, documented)
	errs.Check(c.Size > len(c.Reserved), "size %d: want more than the %d reserved tokens", c.Size, len(c.Reserved))
	errs.Check(c.Slack >= 0 && c.Slack <= 1, "slack %v: want a share in [0, 1]", c.Slack)
	errs.Check(c.LowerThreshold >= 1, "lower threshold %d: want at least 1", c.LowerThreshold)
	errs.Check(c.UpperThreshold >= c.LowerThreshold, "upper threshold %d is below the lower one, %d", c.UpperThreshold, c.LowerThreshold)
	errs.Check(c.Iterations >= 1, "iterations %d: want at least 1", c.Iterations)
	errs.Check(c.MaxWords >= -1, "max words %d: want -1 (all) or more", c.MaxWords)
	errs.Check(c.MaxCharacters >= 1 && c.MaxCharacters <= math.MaxUint8, "max characters %d: want 1 to %d", c.MaxCharacters, math.MaxUint8)
	errs.Check(c.MaxUniqueCharacters >= 1, "max unique characters %d: want at least 1", c.MaxUniqueCharacters)
	return errs.Err()
}
