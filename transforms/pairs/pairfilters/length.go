package pairfilters

import (
	"fmt"
	"math"

	"sentweave/transforms/filters/choice"
)

// Reasons.
const (
	reasonTooShort    = "too_short"
	reasonTooLong     = "too_long"
	reasonRatio       = "length_ratio"
	reasonWordRatio   = "word_ratio"
	reasonFewWords    = "few_words"
	reasonManyWords   = "many_words"
	reasonShortWords  = "short_words"
	reasonLongWords   = "long_words"
	reasonLongestWord = "long_word"
)

// ordered returns an error unless the least is at most the greatest.
func ordered(name string, least, greatest *int) func() error {
	return func() error {
		if *greatest < *least {
			return fmt.Errorf("max-%s %d: want at least %d, which min-%[1]s asks for", name, *greatest, *least)
		}
		return nil
	}
}

// bounds are two rules: of a measure the lesser one of both sides, and the greater one, are bounded.
func bounds(measure string, of func(*Side) float64, low, high *int, reasons []string) []Rule {
	return []Rule{
		{Reason: reasons[0], Measure: "least_" + measure, Of: lesserSide(of),
			Drops: func(_ *Pair, x float64) bool { return x < float64(*low) }},
		{Reason: reasons[1], Measure: "most_" + measure, Of: greaterSide(of),
			Drops: func(_ *Pair, x float64) bool { return x > float64(*high) }},
	}
}

var lengths = Filter{
	Name: "length", Default: true,
	Drops:   "pairs with a side that is empty or very long, in characters",
	Source:  hardRules + "no_empty, not_too_long; " + opusFilter + "LengthFilter of characters",
	Reasons: []string{reasonTooShort, reasonTooLong},
	New: func() Rules {
		low, high := 1, 1023
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-characters", "Least characters of a side.", &low),
				choice.Threshold("max-characters", "Most characters of a side.", &high),
			},
			Validate: ordered("characters", &low, &high),
			Rules:    bounds("characters", (*Side).characters, &low, &high, []string{reasonTooShort, reasonTooLong}),
		}
	},
}

var words = Filter{
	Name:    "words",
	Drops:   "pairs with a side of too few or too many words",
	Source:  opusFilter + "LengthFilter; " + hardRules + "not_too_short, which counts spaces",
	Reasons: []string{reasonFewWords, reasonManyWords},
	New: func() Rules {
		low, high := 1, 100
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-words", "Least words of a side.", &low),
				choice.Threshold("max-words", "Most words of a side.", &high),
			},
			Validate: ordered("words", &low, &high),
			Rules:    bounds("words", (*Side).words, &low, &high, []string{reasonFewWords, reasonManyWords}),
		}
	},
}

// ratio returns the ratio of a measure of both sides, at least 1.
func ratio(of func(*Side) float64) func(*Pair) float64 {
	return func(p *Pair) float64 {
		a, b := of(&p.A), of(&p.B)
		if a == b {
			return 1
		}
		return min(max(a, b)/min(a, b), math.MaxFloat32) // a side may have none
	}
}

var lengthRatio = Filter{
	Name: "length-ratio", Default: true,
	Drops:   "pairs of which a side is much longer, letters counting for what they say",
	Source:  hardRules + "length_ratio; " + opusFilter + "LengthRatioFilter of characters",
	Reasons: []string{reasonRatio},
	New: func() Rules {
		greatest := choice.Ratio(3)
		return simple(Rule{Reason: reasonRatio, Measure: "length_ratio",
			Of:    ratio(func(s *Side) float64 { return s.counts.Weigh(0).Length }),
			Drops: func(_ *Pair, x float64) bool { return x > float64(greatest) }},
			choice.Threshold("max-length-ratio", "Greatest ratio of the lengths of both sides.", &greatest))
	},
}

var wordRatio = Filter{
	Name:    "word-ratio",
	Drops:   "pairs of which a side has many times the words of the other",
	Source:  opusFilter + "LengthRatioFilter",
	Reasons: []string{reasonWordRatio},
	New: func() Rules {
		from := choice.Ratio(3)
		return simple(Rule{Reason: reasonWordRatio, Measure: "word_ratio", Of: ratio((*Side).words),
			Drops: func(_ *Pair, x float64) bool { return x >= float64(from) }},
			choice.Threshold("word-ratio", "Ratio of the words of both sides from which on a pair is dropped.", &from))
	},
}

var averageWord = Filter{
	Name:    "average-word",
	Drops:   "pairs with a side whose words are short or long on average",
	Source:  opusFilter + "AverageWordLengthFilter",
	Reasons: []string{reasonShortWords, reasonLongWords},
	New: func() Rules {
		low, high := 2, 20
		of := func(s *Side) float64 {
			if s.tokens == 0 || !s.spaced {
				return notApplicable
			}
			return float64(s.inTokens) / float64(s.tokens)
		}
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-average-word", "Least characters of the words of a side, on average.", &low),
				choice.Threshold("max-average-word", "Most characters of the words of a side, on average.", &high),
			},
			Validate: ordered("average-word", &low, &high),
			Rules:    bounds("average_word", of, &low, &high, []string{reasonShortWords, reasonLongWords}),
		}
	},
}

var longWord = Filter{
	Name:    "long-word",
	Drops:   "pairs with a very long word",
	Source:  opusFilter + "LongWordFilter",
	Reasons: []string{reasonLongestWord},
	New: func() Rules {
		from := 40
		of := func(s *Side) float64 {
			if !s.spaced {
				return notApplicable
			}
			return float64(s.longest)
		}
		return simple(Rule{Reason: reasonLongestWord, Measure: "longest_word", Of: greaterSide(of),
			Drops: func(_ *Pair, x float64) bool { return x >= float64(from) }},
			choice.Threshold("long-word", "Characters from which on a word is too long.", &from))
	},
}
