// Package learner learns Unigram vocabularies from word counts, as the trainer of SentencePiece does (Kudo 2018, arXiv 1804.10959, section
// 3.2; unigram_model_trainer.cc of version 0.2.3).
//
// # Method
//
// Seeds are the characters that cover nearly all text, and the most frequent substrings of words, by count times length, from a suffix
// array. Two steps of expectation and maximization in turn with the loss of a quarter of the pieces, those without which the likelihood is
// lowest, lead to a tenth more pieces than are wanted. Those with the greatest probabilities stay. Constants are SentencePiece's.
//
// # Differences
//
// A whole word that is counted twice is a seed, while SentencePiece takes it only if other characters follow it elsewhere, and compares
// bytes there. Characters that are not covered, and those whose own piece is lost on the way, are counted as no piece, while SentencePiece
// counts them as its first one, the mark, so that it splits marks from words more often. Sums are of 64 bits.
//
// # Determinism
//
// The vocabulary depends on counts and configuration only: sums of floats are cut into parts whose number is fixed, and are added in order.
package learner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sentweave/schemas/fault"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece/learner"
)

// Word is a word with its count.
type Word = learner.Word

// Constants of SentencePiece.
const (
	longestPiece   = 16     // max_sentencepiece_length, in characters
	subIterations  = 2      // num_sub_iterations
	shrinking      = .75    // shrinking_factor
	surplus        = 1.1    // pieces before the last step, for each wanted one
	leastExpected  = .5     // kExpectedFrequencyThreshold
	unknownPenalty = 10     // kUnkPenalty
	lostStep       = 0.0001 // kMinScorePenaltyDelta
)

// Limits on words that are learned from, in characters: of one, so that no sum over its segmentations overflows, and of all, so that memory
// is bounded.
const (
	longestWord = 1 << 9
	maxText     = 1 << 24
)

// Config is the configuration of Learn.
type Config struct {
	// Size is the wanted number of pieces, unigram.Reserved special ones among them.
	Size int
	// Coverage is the share of text whose characters are pieces, the most frequent ones first; SentencePiece's default is .9995.
	Coverage float64
	// Seeds is the most substrings to begin with; SentencePiece's default is 1,000,000.
	Seeds int
}

// Validate returns all faults.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Size > unigram.Reserved, "size %d: want more than the %d special tokens", c.Size, unigram.Reserved)
	errs.Check(c.Coverage >= .98 && c.Coverage <= 1, "character coverage %v is not in [0.98, 1]", c.Coverage)
	errs.Check(c.Seeds >= 1 && c.Seeds <= 10_000_000, "seeds %d: want 1 to 10,000,000", c.Seeds)
	return errs.Err()
}

// Result is a learned vocabulary.
type Result struct {
	// Pieces are ordered by falling score, equal ones by code point.
	Pieces []unigram.Piece
	// Words is the number of words that were learned from. Lost counts the others: those that are not UTF-8, that hold a mark, that have
	// more than 511 characters, and the rarest where all have more than 16,777,216 with their marks.
	Words, Lost int
}

// Learn learns a vocabulary from words without marks, ordered by falling count. Observe, if not nil, is called after each step with the
// number of pieces and how many a word has, on average over the text. Memory is that of the words, 20 bytes for each character of at most
// 16,777,216, and 200 for a seed. Too few words for so many pieces, or more characters than these, are an error.
func Learn(ctx context.Context, words []Word, c Config, observe func(pieces int, perWord float64)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Result{}
	t := newText(words, c.Coverage, r)
	if len(t.segments) == 0 {
		return nil, fmt.Errorf("learn vocabulary: none of %d words can be learned from: give counts of more text", len(words))
	}
	if least := len(t.required) + unigram.Reserved; least > c.Size {
		return nil, fmt.Errorf("size %d is below the %d characters of the text and the %d special tokens: give %d or more, or a lower coverage",
			c.Size, len(t.required), unigram.Reserved, least)
	}
	m, err := newModel(ctx, t, c.Seeds)
	if err != nil {
		return nil, err
	}
	wanted := int(float64(c.Size) * surplus)
	for done := false; !done; done = m.size() <= wanted {
		for range subIterations {
			expected, perWord, err := m.expect(ctx)
			if err != nil {
				return nil, err
			}
			m.maximize(expected)
			if observe != nil {
				observe(m.size(), perWord)
			}
		}
		if err := m.prune(ctx, max(wanted, int(shrinking*float64(m.size())))); err != nil {
			return nil, err
		}
	}
	if r.Pieces = m.finish(c.Size - unigram.Reserved); len(r.Pieces)+unigram.Reserved < c.Size {
		return nil, fmt.Errorf("size %d is more than these words give: give at most %d, or more text", c.Size, len(r.Pieces)+unigram.Reserved)
	}
	return r, nil
}

// finish returns so many pieces: all covered characters, those without a probability with the least ones, and the pieces with the
// greatest.
func (m *model) finish(size int) []unigram.Piece {
	lost := map[int32]float64{} // of symbols
	least := m.least()
	for _, symbol := range m.required {
		if m.pieces[m.characters[symbol]].lost {
			lost[symbol] = least + float64(len(lost))*lostStep
		}
	}
	var list, others []unigram.Piece
	for _, p := range m.pieces {
		piece := unigram.Piece{Text: m.string(p.place, p.length), Score: p.score}
		switch {
		case p.lost:
			piece.Score = lost[m.symbols[p.place]]
			fallthrough
		case p.length == 1:
			list = append(list, piece)
		default:
			others = append(others, piece)
		}
	}
	order := func(a, b unigram.Piece) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text))
	}
	slices.SortFunc(others, order)
	list = append(list, others[:min(size-len(list), len(others))]...)
	slices.SortFunc(list, order)
	return list
}
