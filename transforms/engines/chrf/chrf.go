// Package chrf scores a translation against a reference by the character n-grams that
// both have. It computes chrF2 as sacrebleu does: characters up to 6-grams, no words,
// recall counted twice, white space left out, case kept, and without the orders for
// which one side is too short. It needs no words and so suits every language. A round
// trip (text, translation, translation back) is scored against the text.
//
// Source: M. Popović, chrF: character n-gram F-score for automatic MT evaluation, WMT
// 2015; and chrF deconstructed: beta parameters and n-gram weights, WMT 2016.
// sacrebleu 2.6.0, signature nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no.
package chrf

import (
	"math/bits"
	"slices"
	"unicode"
)

// orders is the length of the longest n-grams, beta the weight of recall.
const (
	orders = 6
	beta   = 2
)

// Statistics are the counts of n-grams that a score is made of. Those of segments
// add up to those of a corpus. The zero value is that of nothing.
type Statistics [orders]struct{ Hypothesis, Reference, Match int64 }

// Add adds the counts of other segments.
func (s *Statistics) Add(counts Statistics) {
	for i, o := range counts {
		s[i].Hypothesis += o.Hypothesis
		s[i].Reference += o.Reference
		s[i].Match += o.Match
	}
}

// Score returns the score of the counts, from 0 to 100.
func (s Statistics) Score() float64 {
	precision, recall, effective := 0.0, 0.0, 0
	for _, c := range s {
		if c.Hypothesis > 0 && c.Reference > 0 {
			precision += float64(c.Match) / float64(c.Hypothesis)
			recall += float64(c.Match) / float64(c.Reference)
			effective++
		}
	}
	if precision+recall == 0 {
		return 0
	}
	precision /= float64(effective)
	recall /= float64(effective)
	return 100 * (1 + beta*beta) * precision * recall / (beta*beta*precision + recall)
}

// Scorer counts n-grams and keeps the memory for it. One goroutine uses it at a
// time. The zero value is ready.
type Scorer struct {
	hypothesis, reference side
}

// side is a text and the hashes of its n-grams.
type side struct {
	runes  []rune
	hashes []uint64
}

// Segment counts the n-grams of a translation and its reference. It allocates
// nothing once the scorer has seen texts as long.
func (c *Scorer) Segment(hypothesis, reference string) Statistics {
	c.hypothesis.set(hypothesis)
	c.reference.set(reference)
	var s Statistics
	for i := range s {
		h, r := c.hypothesis.grams(i+1), c.reference.grams(i+1)
		if s[i].Reference = int64(len(r)); len(r) > 0 {
			s[i].Hypothesis = int64(len(h))
		}
		s[i].Match = matches(h, r)
	}
	return s
}

// Segment returns the score of one translation, from 0 to 100.
func Segment(hypothesis, reference string) float64 {
	var c Scorer
	return c.Segment(hypothesis, reference).Score()
}

func (s *side) set(text string) {
	s.runes = s.runes[:0]
	for _, r := range text {
		if !space(r) {
			s.runes = append(s.runes, r)
		}
	}
	s.hashes = slices.Grow(s.hashes[:0], len(s.runes))
}

// space is white space to Python's str.split, which has four more control
// characters than Go's.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// grams returns the sorted hashes of the n-grams. Three characters fit into a hash
// as they are; more are mixed, so that two n-grams of a text share one about once
// in 10^12 texts of a thousand characters.
func (s *side) grams(n int) []uint64 {
	s.hashes = s.hashes[:0]
	for i := range len(s.runes) - n + 1 {
		h := uint64(0)
		for position, r := range s.runes[i : i+n] {
			if position == 3 {
				h = mix(h)
			}
			if position < 3 {
				h = h<<21 | uint64(r)
			} else {
				h = mix(h ^ uint64(r))
			}
		}
		s.hashes = append(s.hashes, h)
	}
	slices.Sort(s.hashes)
	return s.hashes
}

func mix(h uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}

// matches counts what two sorted lists have in common.
func matches(a, b []uint64) (n int64) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}
