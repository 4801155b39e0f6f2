package pairfilters

import (
	"strings"
	"unicode"

	"sentweave/transforms/filters/choice"
)

// Reasons.
const (
	reasonIdentical  = "identical"
	reasonOverlap    = "copied_words"
	reasonSubstring  = "common_substring"
	reasonSimilarity = "similar_sides"
)

// mostCompared is how many characters of a side are compared character by character: the table of
// distances has as many cells as both sides have characters, multiplied.
const mostCompared = 2048

func (s *Side) compared() []rune { return s.runes[:min(len(s.runes), mostCompared)] }

var identical = Filter{
	Name: "identical", Default: true,
	Drops:   "pairs of which both sides have the same letters, in any case",
	Source:  hardRules + "no_identical",
	Reasons: []string{reasonIdentical},
	New: func() Rules {
		return simple(Rule{Reason: reasonIdentical, Measure: "identical", Of: sameLetters, Drops: positive})
	},
}

// sameLetters is 1 for texts of which all letters are equal but for their case, and 0 otherwise.
func sameLetters(p *Pair) float64 {
	a, b := p.A.Text, p.B.Text
	for {
		var x, y rune
		x, a = nextLetter(a)
		y, b = nextLetter(b)
		if x != y || x == 0 {
			return truth(x == y)
		}
	}
}

// nextLetter returns the first letter of a text, folded, and what follows; 0 at the end.
func nextLetter(text string) (rune, string) {
	for i, r := range text {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r), text[i+len(string(r)):]
		}
	}
	return 0, ""
}

var overlap = Filter{
	Name: "copied-words", Default: true,
	Drops:   "pairs of which both sides have mostly the same words, by their letters",
	Source:  "Dice 1945; the rule of pairs --kind parallel on untranslated blocks",
	Reasons: []string{reasonOverlap},
	New: func() Rules {
		from := .8
		return simple(Rule{Reason: reasonOverlap, Measure: "copied_words",
			Of:    func(p *Pair) float64 { return p.overlap.Share(p.A.Text, p.B.Text) },
			Drops: func(_ *Pair, x float64) bool { return x >= from }},
			choice.Threshold("copied-words", "Share of the words, by their letters, from which on both sides count as untranslated.", &from))
	},
}

var commonSubstring = Filter{
	Name:    "common-substring",
	Drops:   "pairs of which one side is mostly a part of the other, in characters",
	Source:  opusFilter + "LongestCommonSubstringFilter",
	Reasons: []string{reasonSubstring},
	New: func() Rules {
		from := .9
		return simple(Rule{Reason: reasonSubstring, Measure: "common_substring", Of: (*Pair).commonSubstring,
			Drops:  func(_ *Pair, x float64) bool { return x >= from },
			Passes: func(p *Pair) bool { return p.lacksCore(from) }},
			choice.Threshold("common-substring", "Share of the shorter side that the longest part of both has from which on a pair is dropped.", &from))
	},
}

// commonSubstring returns the length of the longest text that is a part of both sides, as a share of the
// shorter side.
func (p *Pair) commonSubstring() float64 {
	a, b := p.A.compared(), p.B.compared()
	shorter := min(len(a), len(b))
	if shorter == 0 {
		return 0
	}
	_, _, longest := longestMatch(a, b, p.room(len(b)+1))
	return float64(longest) / float64(shorter)
}

// longestMatch returns the first of the longest stretches that are in both lists: where it begins in
// each, and its length. Row holds len(b)+1 zeros.
func longestMatch[T comparable](a, b []T, row []int32) (startA, startB, longest int) {
	for i, x := range a {
		diagonal := int32(0)
		for j, y := range b {
			next := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
				if length := int(row[j+1]); length > longest {
					startA, startB, longest = i+1-length, j+1-length, length
				}
			} else {
				row[j+1] = 0
			}
			diagonal = next
		}
	}
	return startA, startB, longest
}

// lacksCore says of some pairs that no part of so great a share of the shorter side is in the other one:
// such a part would hold the middle of the shorter side.
func (p *Pair) lacksCore(share float64) bool {
	shorter, longer := &p.A, &p.B
	if len(shorter.runes) > len(longer.runes) {
		shorter, longer = longer, shorter
	}
	n := len(shorter.runes)
	if n > mostCompared || len(longer.runes) > mostCompared {
		return false
	}
	margin := n - int(share*float64(n)) // at least what may be missing at an end
	if 2*margin >= n {
		return false
	}
	from, to, i := 0, len(shorter.Text), 0
	for offset := range shorter.Text {
		switch i {
		case margin:
			from = offset
		case n - margin:
			to = offset
		}
		i++
	}
	return !strings.Contains(longer.Text, shorter.Text[from:to])
}

var similarity = Filter{
	Name: "similarity", Default: true,
	Drops:   "pairs of which both sides are nearly equal, by Levenshtein's distance of characters",
	Source:  opusFilter + "SimilarityFilter",
	Reasons: []string{reasonSimilarity},
	New: func() Rules {
		from := .9
		return simple(Rule{Reason: reasonSimilarity, Measure: "similarity", Of: (*Pair).similarity,
			Drops:  func(_ *Pair, x float64) bool { return x >= from },
			Passes: func(p *Pair) bool { return p.mostSimilar() < from }},
			choice.Threshold("similarity", "Similarity from which on both sides count as equal.", &from))
	},
}

// similarity returns 1 less Levenshtein's distance, as a share of the longer side.
func (p *Pair) similarity() float64 {
	a, b := p.A.compared(), p.B.compared()
	longer := max(len(a), len(b))
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	row := p.room(len(b) + 1)
	for j := range row {
		row[j] = int32(j)
	}
	for i, x := range a {
		diagonal := int32(i)
		row[0] = int32(i + 1)
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	if longer == 0 {
		return 1
	}
	return 1 - float64(row[len(b)])/float64(longer)
}

// mostSimilar returns a bound of similarity, from the stretches of three characters that both sides have: an
// edit changes at most three of them.
//
// Source: Ukkonen, Approximate string-matching with q-grams and maximal matches, Theoretical Computer
// Science 92 (1992).
func (p *Pair) mostSimilar() float64 {
	const q = 3
	a, b := p.A.compared(), p.B.compared()
	longer, shared := max(len(a), len(b)), 0
	if longer == 0 {
		return 1
	}
	clear(p.trigrams[:]) // by hashes: equal ones of others make the bound no smaller
	for i := q; i <= len(a); i++ {
		p.trigrams[trigram(a[i-q:])]++
	}
	for i := q; i <= len(b); i++ {
		if count := &p.trigrams[trigram(b[i-q:])]; *count > 0 {
			*count--
			shared++
		}
	}
	return 1 - float64(longer-q+1-shared)/float64(q*longer)
}

func trigram(runes []rune) uint32 {
	return (uint32(runes[0])*0x9e3779b1 ^ uint32(runes[1])*0x85ebca6b ^ uint32(runes[2])*0xc2b2ae35) >> 20
}
