package pairfilters

import "sentweave/transforms/filters/choice"

// Reasons.
const (
	reasonTerminal = "terminal_punctuation"
	reasonNumerals = "numerals"
	reasonDigits   = "number_inconsistencies"
)

var terminalPunctuation = Filter{
	Name:    "terminal-punctuation",
	Drops:   "pairs with many marks that end sentences, or of unlike numbers of them",
	Source:  opusFilter + "TerminalPunctuationFilter, after Vázquez et al. 2019",
	Reasons: []string{reasonTerminal},
	New: func() Rules {
		greatest := 6
		return simple(Rule{Reason: reasonTerminal, Measure: "terminal_punctuation",
			Of: func(p *Pair) float64 {
				a, b := p.A.terminals, p.B.terminals
				return float64(max(a-b, b-a) + max(a-1, 0) + max(b-1, 0))
			},
			Drops: func(_ *Pair, x float64) bool { return x > float64(greatest) }},
			choice.Threshold("max-terminal-punctuation", "Greatest penalty: marks that one side has more than the other, and those of each side but one. The -2 of OpusFilter is 6.",
				&greatest))
	},
}

var numerals = Filter{
	Name:    "numerals",
	Drops:   "pairs whose digits but zeros are unlike, in their order",
	Source:  opusFilter + "NonZeroNumeralsFilter, after Vázquez et al. 2019",
	Reasons: []string{reasonNumerals},
	New: func() Rules {
		minimum := .5
		return simple(Rule{Reason: reasonNumerals, Measure: "numerals", Of: (*Pair).numerals,
			Drops: func(_ *Pair, x float64) bool { return x < minimum }},
			choice.Threshold("min-numerals", "Least similarity of the digits of both sides but zeros, as Ratcliff and Obershelp have it.", &minimum))
	},
}

// mostDigits is how many digits of a side are compared.
const mostDigits = 256

// numerals returns the similarity of the digits of both sides but zeros: twice those in common, as a share
// of all. Texts without any are equal.
func (p *Pair) numerals() float64 {
	var space [2][mostDigits]byte
	a, b := nonZero(space[0][:0], p.A.digits), nonZero(space[1][:0], p.B.digits)
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(p.matching(a, b)) / float64(len(a)+len(b))
}

func nonZero(dst, digits []byte) []byte {
	for _, d := range digits {
		if d != 0 && len(dst) < mostDigits {
			dst = append(dst, d)
		}
	}
	return dst
}

// matching returns how many elements match: those of the longest common stretch, and of what is before
// and behind it in both lists.
//
// Source: Ratcliff and Metzener, Pattern matching: the Gestalt approach, Dr. Dobb's Journal 13 (1988).
func (p *Pair) matching(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	i, j, n := longestMatch(a, b, p.room(len(b)+1))
	if n == 0 {
		return 0
	}
	return n + p.matching(a[:i], b[:j]) + p.matching(a[i+n:], b[j+n:])
}

var numberInconsistencies = Filter{
	Name:    "number-inconsistencies",
	Drops:   "pairs of which a side has digits that the other has not, in any order",
	Source:  hardRules + "no_number_inconsistencies, which does not run by default",
	Reasons: []string{reasonDigits},
	New: func() Rules {
		greatest := 0
		return simple(Rule{Reason: reasonDigits, Measure: "digit_differences",
			Of: func(p *Pair) float64 {
				n := int32(0)
				for i, a := range p.A.values {
					b := p.B.values[i]
					n += max(a-b, b-a)
				}
				return float64(n)
			},
			Drops: func(_ *Pair, x float64) bool { return x > float64(greatest) }},
			choice.Threshold("max-digit-differences", "Most digits that only one side has.", &greatest))
	},
}
