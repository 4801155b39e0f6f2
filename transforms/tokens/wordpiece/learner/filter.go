package learner

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// filter takes the words that are learned from.
func (r *Result) filter(words []Word, c Config) []Word {
	words = slices.DeleteFunc(slices.Clone(words), func(w Word) bool {
		// A word that begins like an inner piece would be taken for one. BERT's basic
		// tokenizer, which splits at #, gives none.
		inner := c.Joiner != "" && strings.HasPrefix(w.Text, c.Joiner)
		return w.Text == "" || inner || !utf8.ValidString(w.Text) ||
			utf8.RuneCountInString(w.Text) > c.MaxCharacters || slices.Contains(c.Reserved, w.Text)
	})
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(b.Count, a.Count) })
	allowed := frequentCharacters(words, c.MaxUniqueCharacters)
	accepted := words[:0]
	for _, w := range words {
		if c.MaxWords >= 0 && len(accepted) == c.MaxWords {
			break
		}
		if strings.ContainsFunc(w.Text, func(x rune) bool { return !allowed[x] }) {
			r.WordsLost++
			r.MassLost += w.Count
			continue
		}
		accepted = append(accepted, w)
	}
	return accepted
}

// frequentCharacters returns the n characters with the highest counts, equal
// ones by code point.
func frequentCharacters(words []Word, n int) map[rune]bool {
	counts := map[rune]int64{}
	for _, w := range words {
		for _, x := range w.Text {
			counts[x] += w.Count
		}
	}
	characters := make([]rune, 0, len(counts))
	for x := range counts {
		characters = append(characters, x)
	}
	slices.SortFunc(characters, func(a, b rune) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	allowed := map[rune]bool{}
	for _, x := range characters[:min(n, len(characters))] {
		allowed[x] = true
	}
	return allowed
}
