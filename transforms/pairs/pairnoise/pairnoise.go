// Package pairnoise makes wrong pairs of good ones by rules, as bicleaner does, so that a classifier learns what is wrong
// with pairs that nobody has judged.
//
// Sources: Zaragoza-Bernabeu et al., Bicleaner AI: Bicleaner Goes Neural, LREC 2022, section 3.1 (misaligned sentences, cut
// sentences, words replaced by their frequency, words in another order); Khayrallah and Koehn, On the Impact of Various Types
// of Noise on Neural Machine Translation, 2018, section 3 (untranslated sentences, short segments).
package pairnoise

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/clean/characters"
	"sentweave/transforms/random"
)

// version is raised when a pair becomes another one.
const version = 1

// leastWords is the number of words from which on a rule changes some of them.
const leastWords = 4

// Pair is a good pair: its id, its texts in UTF-8, and what pairs whose targets are in one language have in common.
type Pair struct{ ID, Source, Target, Languages string }

// kind is a way to make a pair wrong. Its function returns another target of a pair, given the target of another pair
// of about the same length, or "" where the pair does not lend itself to the rule.
type kind struct {
	name, is string
	target   func(s *random.Stream, p Pair, other string) string
}

// kinds lists the rules.
var kinds = []kind{
	{"misaligned", "the translation of another sentence of about the same length",
		func(_ *random.Stream, _ Pair, other string) string { return other }},
	{"misordered", "the words in another order",
		func(s *random.Stream, p Pair, _ string) string {
			words, separator := split(p.Target)
			if len(words) < leastWords {
				return ""
			}
			random.Shuffle(s, words)
			return strings.Join(words, separator)
		}},
	{"truncated", "the last 30 to 70 % of the words cut off",
		func(s *random.Stream, p Pair, _ string) string {
			words, separator := split(p.Target)
			if len(words) < leastWords {
				return ""
			}
			return strings.Join(words[:len(words)-part(s, len(words), .3, .7)], separator)
		}},
	{"omitted", "30 to 50 % of the words left out of the middle",
		func(s *random.Stream, p Pair, _ string) string {
			words, separator := split(p.Target)
			if len(words) < leastWords {
				return ""
			}
			n := part(s, len(words), .3, .5)
			first := 1 + s.IntN(len(words)-n-1)
			return strings.Join(slices.Delete(words, first, first+n), separator)
		}},
	{"replaced", "30 to 70 % of the words replaced by those of other sentences, as frequent as they are there",
		func(s *random.Stream, p Pair, other string) string {
			words, separator := split(p.Target)
			others, _ := split(other)
			if len(words) < leastWords || len(others) < leastWords {
				return ""
			}
			for _, i := range s.Sample(nil, len(words), part(s, len(words), .3, .7)) {
				words[i] = others[s.IntN(len(others))]
			}
			return strings.Join(words, separator)
		}},
	{"untranslated", "the source instead of the translation",
		func(_ *random.Stream, p Pair, _ string) string { return p.Source }},
	{"numbers", "one digit changed",
		func(s *random.Stream, p Pair, _ string) string {
			runes := []rune(p.Target)
			var digits []int
			for i, r := range runes {
				if r >= '0' && r <= '9' {
					digits = append(digits, i)
				}
			}
			if len(digits) == 0 {
				return ""
			}
			at := digits[s.IntN(len(digits))]
			runes[at] = '0' + (runes[at]-'0'+1+rune(s.IntN(9)))%10
			return string(runes)
		}},
	{"merged", "the translation of another sentence after the right one",
		func(_ *random.Stream, p Pair, other string) string {
			if other == "" {
				return ""
			}
			return p.Target + " " + other
		}},
}

// Kinds returns the names of the rules and what they do, in the same order.
func Kinds() (names, are []string) {
	for _, k := range kinds {
		names, are = append(names, k.name), append(are, k.is)
	}
	return names, are
}

// Plant makes about half of the pairs wrong and returns, for each pair in order, the kind and the wrong target; both are ""
// for a pair that stays as it is. Each kind has about as many pairs as lend themselves to it: a pair becomes of the
// kind that has the fewest so far. The result is a function of the seed and of the set of pairs, whatever their order; ids must
// differ. It takes n log n time and some ten words of memory a pair.
func Plant(seed uint64, pairs []Pair) (names, targets []string) {
	names, targets = make([]string, len(pairs)), make([]string, len(pairs))
	order := make([]int, len(pairs))
	streams, rank, lengths := make([]random.Stream, len(pairs)), make([]uint64, len(pairs)), make([]int, len(pairs))
	for i, p := range pairs {
		order[i], streams[i] = i, random.New(version, seed, "pair noise", p.ID, 0)
		rank[i], lengths[i] = streams[i].Uint64(), utf8.RuneCountInString(p.Target)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(pairs[a].Languages, pairs[b].Languages), cmp.Compare(lengths[a], lengths[b]),
			cmp.Compare(rank[a], rank[b]), strings.Compare(pairs[a].ID, pairs[b].ID))
	})
	others := make([]string, len(pairs))
	for place, i := range order {
		for _, next := range []int{place + 1, place - 1} {
			if next < 0 || next >= len(order) || others[i] != "" {
				continue
			}
			if other := pairs[order[next]]; other.Languages == pairs[i].Languages && other.Target != pairs[i].Target &&
				other.Source != pairs[i].Source {
				others[i] = other.Target
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), strings.Compare(pairs[a].ID, pairs[b].ID))
	})
	counts := make([]int, len(kinds))
	for _, i := range order {
		if s := &streams[i]; s.Bool(.5) {
			best := -1
			for k := range kinds {
				if best >= 0 && counts[k] >= counts[best] {
					continue
				}
				if target := kinds[k].target(s, pairs[i], others[i]); target != "" && target != pairs[i].Target {
					best, names[i], targets[i] = k, kinds[k].name, target
				}
			}
			if best >= 0 {
				counts[best]++
			}
		}
	}
	return names, targets
}

// part returns a random number of so many words, of shares of them, at least 1.
func part(s *random.Stream, words int, least, most float64) int {
	return max(1, int(float64(words)*(least+(most-least)*s.Float64())))
}

// split cuts a text into words, or into characters where most of them are of a script without spaces, and returns what joins
// them again.
func split(text string) (words []string, separator string) {
	unspaced, letters := 0, 0
	for _, r := range text {
		if characters.Unspaced(r) {
			unspaced++
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if 2*unspaced > letters {
		return strings.Split(text, ""), ""
	}
	return strings.Fields(text), " "
}
