package learner

import (
	"context"
	"errors"
	"fmt"
)

// Result is a learned vocabulary.
type Result struct {
	// Pieces in the order of their ids: reserved tokens, characters by code point,
	// then by falling count, equal ones by code point.
	Pieces []string
	// Threshold is the one the search ended with, Tried how many it looked at.
	Threshold int64
	Tried     int
	// Searched is the size that the search gave, before Exact. WithinSlack says
	// whether it met the wanted one.
	Searched    int
	WithinSlack bool
	// Words is the number of words that were learned from. WordsLost and MassLost
	// count the words, and their occurrences, that were left out for a character
	// that is not among the MaxUniqueCharacters.
	Words     int
	WordsLost int
	MassLost  int64
}

// Learn learns a vocabulary from words ordered by falling count, as
// Counts.Smoothed gives them. Observe, if not nil, is called with every
// threshold and the size it gives.
func Learn(ctx context.Context, words []Word, c Config, observe func(threshold int64, size int)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("learn vocabulary: there are no words; a corpus must have words that occur more often than the least count")
	}
	upper := min(words[0].Count, c.UpperThreshold)
	lower := max(words[len(words)-1].Count, c.LowerThreshold)
	r := &Result{}
	filtered := r.filter(words, c)
	if len(filtered) == 0 {
		return nil, fmt.Errorf("learn vocabulary: none of %d words is left after the limits on length and characters", len(words))
	}
	r.Words = len(filtered)
	// The search may step one below the lower bound before it ends.
	s := newSearch(filtered, c, min(lower, upper)-1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Threshold = (upper + lower) / 2
		r.Tried++
		r.Pieces = s.vocabulary(r.Threshold)
		size := len(r.Pieces)
		if observe != nil {
			observe(r.Threshold, size)
		}
		r.Searched = size
		r.WithinSlack = size <= c.Size && float64(c.Size-size) <= c.Slack*float64(c.Size)
		if r.WithinSlack || lower >= upper || r.Threshold <= 1 {
			break
		}
		if size > c.Size {
			lower = r.Threshold + 1
		} else {
			upper = r.Threshold - 1
		}
	}
	if c.Exact {
		s.fit(r)
	}
	return r, nil
}

// fit trims or fills the pieces to the wanted size. Characters stay, at the start of words and within them: words of
// others could not be written.
func (s *search) fit(r *Result) {
	if excess := len(r.Pieces) - s.config.Size; excess > 0 {
		needed := map[string]bool{}
		for _, p := range s.fixed() {
			needed[p] = true
		}
		for _, p := range s.pieces {
			if p.character {
				needed[p.text] = true
			}
		}
		pieces := r.Pieces[:0]
		spare := len(r.Pieces) - len(needed) // that may go
		for _, p := range r.Pieces {
			if !needed[p] {
				if spare--; spare < excess {
					continue
				}
			}
			pieces = append(pieces, p)
		}
		r.Pieces = pieces
		return
	}
	for threshold := r.Threshold - 1; threshold >= s.floor && len(r.Pieces) < s.config.Size; threshold-- {
		present := make(map[string]bool, len(r.Pieces))
		for _, p := range r.Pieces {
			present[p] = true
		}
		for _, p := range s.vocabulary(threshold) {
			if len(r.Pieces) == s.config.Size {
				return
			}
			if !present[p] {
				r.Pieces = append(r.Pieces, p)
			}
		}
	}
}
