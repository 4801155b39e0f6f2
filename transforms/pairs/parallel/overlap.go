package parallel

import (
	"cmp"
	"slices"
	"unicode"
)

// word is a word of a text: what it is in lower case, hashed, and its length. That
// of a number is 0, because translations have the same ones.
type word struct {
	hash   uint64
	length int32
}

// appendWords appends the words of a text, sorted: runs of letters, marks and
// digits, of which the first ones are hashed, up to prefix. Those without a letter are numbers.
func appendWords(words []word, text string, prefix int32) []word {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a, over runes
	first := len(words)
	w, letters := word{hash: offset}, false
	end := func() { // of a word, or of nothing
		if w.hash == offset {
			return
		}
		if !letters {
			w.length = 0
		}
		words = append(words, w)
		w, letters = word{hash: offset}, false
	}
	for _, r := range text {
		letter := isLetter(r)
		if !letter && !isMarkOrDigit(r) {
			end()
			continue
		}
		if w.length < prefix {
			w.hash = (w.hash ^ uint64(unicode.ToLower(r))) * prime
		}
		w.length++
		letters = letters || letter
	}
	end()
	slices.SortFunc(words[first:], func(a, b word) int { return cmp.Compare(a.hash, b.hash) })
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

// overlap returns the share of two texts that is in both: Dice's coefficient
// of the multisets of words, each weighted by its length, so that a name or a term
// counts more than an article. It lies in [0, 1); overlapSlack keeps that of short
// texts low. Of texts that have less than the minimum in common it returns 0, and
// mostly soon: translations have few words in common.
//
// Source: L. R. Dice, Measures of the amount of ecologic association between
// species, Ecology 26 (1945).
func overlap(x, y *block, minimum float64) float64 {
	total := float64(x.letters + y.letters + overlapSlack)
	// The letters that may be missing in the other text.
	spareX, spareY := float64(x.letters)-minimum*total/2, float64(y.letters)-minimum*total/2
	a, b, shared := x.words, y.words, 0
	for len(a) > 0 && len(b) > 0 && spareX >= 0 && spareY >= 0 {
		v, w := a[0], b[0]
		switch {
		case v.hash < w.hash:
			spareX -= float64(v.length)
			a = a[1:]
		case v.hash > w.hash:
			spareY -= float64(w.length)
			b = b[1:]
		default:
			shared += int(v.length)
			a, b = a[1:], b[1:]
		}
	}
	if share := 2 * float64(shared) / total; share >= minimum {
		return share
	}
	return 0
}

// contained returns the share of the words of the text with fewer of them, numbers
// included, that is in the other one; or 0 where it is less than the minimum.
func contained(x, y *block, minimum float64) float64 {
	a, b, shared := x.words, y.words, 0
	total := min(len(a), len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0].hash, b[0].hash); {
		case c < 0:
			a = a[1:]
		case c > 0:
			b = b[1:]
		default:
			shared++
			a, b = a[1:], b[1:]
		}
	}
	if share := float64(shared) / float64(max(1, total)); share >= minimum {
		return share
	}
	return 0
}

// Overlap measures how much of two texts is in both. Its memory is used for one pair after the other.
type Overlap struct{ a, b block }

// Share returns the share of the words of two texts that is in both, in [0, 1): the measure by which blocks
// count as untranslated.
func (o *Overlap) Share(a, b string) float64 {
	o.a.set(a)
	o.b.set(b)
	return overlap(&o.a, &o.b, 0)
}
