package pairfilters

import (
	"unicode"

	"sentweave/transforms/filters/choice"
)

// Reasons.
const (
	reasonRepetition = "repetition"
	reasonRepeated   = "repeated_words"
)

var repetition = Filter{
	Name: "repetition", Default: true,
	Drops:   "pairs with a stretch of 3 to 101 characters that follows itself, with spaces between or without",
	Source:  opusFilter + "RepetitionFilter",
	Reasons: []string{reasonRepetition},
	New: func() Rules {
		from := 2
		return simple(Rule{Reason: reasonRepetition, Measure: "repetitions",
			Of:    greaterSide(func(s *Side) float64 { return float64(s.repetitions(max(from, 1))) }),
			Drops: func(_ *Pair, x float64) bool { return x >= float64(max(from, 1)) }},
			choice.Threshold("repetitions", "How often a stretch follows itself from which on a pair is dropped.", &from))
	},
}

// The characters of a stretch that is repeated.
const (
	leastRepeated = 3
	mostRepeated  = 101 // OpusFilter's 100 behind the first one
)

// repetitions returns how often the first stretch that follows itself so often follows itself; or 0. A
// stretch does not begin with white space.
func (s *Side) repetitions(least int) int {
	runes := s.runes
	for i := range runes {
		if kindOf(runes[i])&kindSpace != 0 {
			continue
		}
		longest := min(mostRepeated, (len(runes)-i)/(least+1))
		for n := leastRepeated; n <= longest; n++ {
			if next := runes[i+n]; next != runes[i] && next != ' ' {
				continue
			}
			if count := follows(runes[i:], n); count >= least {
				return count
			}
		}
	}
	return 0
}

// follows returns how often the first n characters follow themselves, spaces between them.
func follows(runes []rune, n int) (count int) {
	for at := n; ; at += n {
		for at < len(runes) && runes[at] == ' ' {
			at++
		}
		if at+n > len(runes) {
			return count
		}
		for k := range n {
			if runes[at+k] != runes[k] {
				return count
			}
		}
		count++
	}
}

var repeatedWords = Filter{
	Name:    "repeated-words",
	Drops:   "pairs with words that are said twice in a row, in more than 7 characters",
	Source:  hardRules + "no_repeated_words, its rule on words",
	Reasons: []string{reasonRepeated},
	New: func() Rules {
		return simple(Rule{Reason: reasonRepeated, Measure: "repeated_words", Of: greaterSide((*Side).repeatedWords),
			Drops: func(_ *Pair, x float64) bool { return x > 7 }})
	},
}

// mostWordsRepeated bounds the characters of words that are looked for behind themselves.
const mostWordsRepeated = 200

// repeatedWords returns the characters of the longest stretch of words that is said twice in a row, with
// what is between: of at least two characters with a letter. The case of letters does not count. It does not apply to
// scripts that do not separate words.
func (s *Side) repeatedWords() float64 {
	if !s.spaced {
		return notApplicable
	}
	runes, longest := s.runes, 0
	for i := range runes {
		if isBlank(runes[i]) || i > 0 && isWord(runes[i-1]) == isWord(runes[i]) {
			continue // nor is it the boundary of a word
		}
		if i == 0 && !isWord(runes[0]) {
			continue
		}
		letter := false
		for to := i + 1; to < len(runes) && to-i <= min(mostWordsRepeated, len(runes)-to); to++ {
			letter = letter || kindOf(runes[to-1])&kindAlphabetic != 0
			if !isBlank(runes[to]) || to-i < 2 {
				continue
			}
			if end := saidAgain(runes, i, to); end > 0 && letter {
				longest = max(longest, end-i)
			}
		}
	}
	return float64(longest)
}

// saidAgain returns where the words from one place to another end that follow themselves, 0 if they do not.
func saidAgain(runes []rune, from, to int) int {
	again := to
	for again < len(runes) && isBlank(runes[again]) {
		again++
	}
	n := to - from
	if again+n > len(runes) || again < len(runes) && !isWord(runes[again]) {
		return 0
	}
	for k := range n {
		if x, y := runes[from+k], runes[again+k]; x != y && unicode.ToLower(x) != unicode.ToLower(y) {
			return 0
		}
	}
	end := again + n
	if last := isWord(runes[end-1]); end < len(runes) && isWord(runes[end]) == last || end == len(runes) && !last {
		return 0
	}
	return end
}

func isBlank(r rune) bool { return kindOf(r)&kindSpace != 0 }
