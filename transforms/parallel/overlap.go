package parallel

import (
	"cmp"
	"slices"
	"unicode"
)

// word is a word of a text: what it is in lower case, hashed, and its length.
type word struct {
	hash   uint64
	length int32
}

// appendWords appends the words of a text, sorted: runs of letters, marks and
// digits with a letter among them. Numbers are left out, because translations
// have the same ones.
func appendWords(words []word, text string) []word {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a, over runes
	from := len(words)
	w, letters := word{hash: offset}, false
	end := func() {
		if letters {
			words = append(words, w)
		}
		w, letters = word{hash: offset}, false
	}
	for _, r := range text {
		letter := isLetter(r)
		if !letter && !isMarkOrDigit(r) {
			if w.length > 0 {
				end()
			}
			continue
		}
		w.hash = (w.hash ^ uint64(unicode.ToLower(r))) * prime
		w.length++
		letters = letters || letter
	}
	end()
	slices.SortFunc(words[from:], func(a, b word) int { return cmp.Compare(a.hash, b.hash) })
	return words
}

// isLetter and isMarkOrDigit answer for ASCII without the tables.
func isLetter(r rune) bool {
	if r < 0x80 {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r)
}

func isMarkOrDigit(r rune) bool {
	if r < 0x80 {
		return '0' <= r && r <= '9'
	}
	return unicode.IsMark(r) || unicode.IsDigit(r)
}

// overlapSlack is the number of letters that count as different in any two texts:
// "Tom is a surfer" and "Tom is een surfer" share 85 %, and yet are translated.
const overlapSlack = 4

// overlap returns the share of two texts, given by their sorted words, that
// stands in both: Dice's coefficient of the multisets of words, each weighted by
// its length, so that a name or a term counts more than an article. It lies in
// [0, 1); overlapSlack keeps that of short texts low.
//
// Source: L. R. Dice, Measures of the amount of ecologic association between
// species, Ecology 26 (1945).
func overlap(a, b []word) float64 {
	all, both := overlapSlack, 0
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.hash <= y.hash {
			all += int(x.length)
			a = a[1:]
		}
		if y.hash <= x.hash {
			all += int(y.length)
			b = b[1:]
		}
		if x.hash == y.hash {
			both += int(x.length)
		}
	}
	for _, w := range a {
		all += int(w.length)
	}
	for _, w := range b {
		all += int(w.length)
	}
	return 2 * float64(both) / float64(all)
}
