package pairing

import (
	"sentweave/schemas/fault"
)

// Version of the method: raised when the same input gives other pairs.
const Version = 1

// Modes: what a side of a pair is.
const (
	// ModeChunk fills a side with as many whole sentences as fit.
	ModeChunk = "chunk"
	// ModeSentence takes one sentence a side.
	ModeSentence = "sentence"
)

// What happens to a sentence that is longer than a side.
const (
	// longTruncate keeps its first tokens: a side never starts inside a sentence.
	longTruncate = "truncate"
	// longSplit cuts it into pieces of the full length, the rest goes on with the
	// sentences that follow. It loses nothing, which matters where a text without
	// sentence marks is one long sentence.
	longSplit = "split"
)

// Why a sentence is in no pair.
const (
	// ReasonTooShort: its side has fewer than MinTokens.
	ReasonTooShort = "too_short"
	// ReasonNoNeighbour: nothing that follows or precedes its side directly was
	// left to pair it with: a filtered gap, another language, the end of the
	// document, or the odd one out.
	ReasonNoNeighbour = "no_neighbour"
)

// Config says how a document becomes pairs. DefaultConfig gives the values of CMLM.
type Config struct {
	// Seed decides which pairs are swapped.
	Seed uint64
	// Mode is ModeChunk (default) or ModeSentence.
	Mode string
	// MaxTokens is the length of a side, special tokens counted. Default 256
	// (Yang et al. 2021, section 3).
	MaxTokens int
	// SpecialTokens is how many of MaxTokens the caller adds: 2 by default, [CLS] and [SEP].
	SpecialTokens int
	// MinTokens is the least number of tokens of a side, special ones not counted.
	// Default 16, of which masking takes 5 or 6; the paper does not say.
	MinTokens int
	// LongSentences is longTruncate (default) or, in ModeChunk, longSplit.
	LongSentences string
	// Sliding pairs every side with the next one, (1,2), (2,3), so that most sides
	// are in two pairs. Default false: (1,2), (3,4).
	Sliding bool
	// AcrossLanguages lets a side, and a pair, hold sentences of different
	// languages. Default false: a change of language is a gap.
	AcrossLanguages bool
	// SwapProbability is how likely the order of a pair is turned round. Default .5
	// (Yang et al. 2021, section 3).
	SwapProbability float64
}

// DefaultConfig returns the pairing of CMLM: sides of 256 tokens, half of the pairs swapped.
func DefaultConfig() Config {
	return Config{Mode: ModeChunk, MaxTokens: 256, SpecialTokens: 2, MinTokens: 16, LongSentences: longTruncate, SwapProbability: .5}
}

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Mode == ModeChunk || c.Mode == ModeSentence, "mode %q: want %q or %q", c.Mode, ModeChunk, ModeSentence)
	faults.Check(c.SpecialTokens >= 0, "special_tokens %d: want 0 or more", c.SpecialTokens)
	faults.Check(c.MinTokens >= 1, "min_tokens %d: want at least 1", c.MinTokens)
	faults.Check(c.MaxTokens-c.SpecialTokens >= c.MinTokens, "max_tokens %d leaves %d beside %d special tokens, fewer than min_tokens %d",
		c.MaxTokens, c.MaxTokens-c.SpecialTokens, c.SpecialTokens, c.MinTokens)
	faults.Check(c.LongSentences == longTruncate || c.LongSentences == longSplit, "long_sentences %q: want %q or %q", c.LongSentences,
		longTruncate, longSplit)
	faults.Check(c.LongSentences != longSplit || c.Mode != ModeSentence,
		"long_sentences %q: mode %q takes one sentence a side and truncates it", c.LongSentences, c.Mode)
	faults.Check(c.SwapProbability >= 0 && c.SwapProbability <= 1, "swap_probability %v: want a probability in [0, 1]", c.SwapProbability)
	return faults.Err()
}
