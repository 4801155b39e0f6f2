// Package contamination finds texts of tests among texts of a training: equal ones, and those that
// the training contains all but some words of.
//
// # Normal form
//
// A text is normalised to NFKC, its case is folded, ı to i, and white space, punctuation (Unicode P),
// modifier symbols (Sk, such as the grave accent that stands for a quote), controls and format
// characters are left out. Equal texts are those of which the same is left, so tokens that were
// parted, as in "ca n't", are joined again. Texts of which nothing is left are equal to none.
//
// # Evidence
//
// Tokens are words, and single characters with their marks in scripts without spaces. The evidence
// of a token is how rare it is among the texts of the tests in its language, in bits, where it is in
// a text for the first time: a common phrase says little, however long it is. It is -log2((df + 1000 p) / (N + 1000)), where df of N
// texts have the token, and p is what its length lets one expect: 2 bits a letter, 6 bits in
// scripts without spaces. The thousand texts of that prior matter where tests are small.
//
//   - A text of a test is whole in a training where it equals one of its texts, or up to 8 sentences
//     of a document that follow each other, and its tokens have Config.WholeBits of evidence.
//   - It is contained where stretches of the training have at least Config.Share of its evidence,
//     and Config.ContainedBits. Stretches are n-grams of 5 tokens, of 8 in scripts without spaces,
//     that lie no farther apart than the text is long. An n-gram that is in more than 16 texts of
//     the tests is no evidence.
//
// The weighting by inverse document frequency is that of decon (https://github.com/allenai/decon,
// doc/simple-details.md), which samples n-grams and cannot find texts shorter than those.
//
// # Determinism
//
// What is found depends on the texts, on the order in which tests were added, and on the
// configuration alone.
package contamination

import (
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// Config says what counts as contamination.
type Config struct {
	// WholeBits is the least evidence of a text that is whole in a training.
	WholeBits float64
	// ContainedBits and Share are the least evidence of what is contained of a text, and the least share
	// that it is of the evidence of the text, in (0, 1].
	ContainedBits, Share float64
}

// DefaultConfig returns what was measured on pages to find copies and few common phrases.
func DefaultConfig() Config { return Config{WholeBits: 36, ContainedBits: 60, Share: .8} }

// mostBits is more than any text has.
const mostBits = 1e9

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.WholeBits >= 0 && c.WholeBits <= mostBits, "whole-bits is %v, it must be from 0 to 1e9", c.WholeBits)
	errs.Check(c.ContainedBits >= 0 && c.ContainedBits <= mostBits, "contained-bits is %v, it must be from 0 to 1e9", c.ContainedBits)
	errs.Check(c.Share > 0 && c.Share <= 1, "share is %v, it must be above 0 and at most 1", c.Share)
	return errs.Err()
}

// Item is a text of a test.
type Item struct {
	// Test names the test, ID the item in it.
	Test, ID string
	// Language is that of the text, Text the text as it is in the test.
	Language, Text string
}

// Hit is a text of a test that is in a training.
type Hit struct {
	// Item is the number of the text in the index.
	Item int
	// Share is the share of the evidence of the text that was found, 1 if the text is whole, and Bits is that evidence.
	Share, Bits float64
	// First and Last are the numbers of the first and the last sentence in which it was found, Start the byte of the first
	// with which what was found begins, and End that of the last with which it ends.
	First, Last, Start, End int
}

// Text returns what was found in the sentences.
func (h Hit) Text(sentences []string) string {
	if h.First == h.Last {
		return sentences[h.First][h.Start:h.End]
	}
	list := slices.Clone(sentences[h.First : h.Last+1])
	list[0], list[len(list)-1] = list[0][h.Start:], list[len(list)-1][:h.End]
	return strings.Join(list, " ")
}
