package parallel

import (
	"unicode"
	"unicode/utf8"
)

// Weight is the length of a text in characters of an alphabet: a Han character
// counts 3, a Kana or Hangul syllable 2, a combining mark 0, everything else 1.
// So the lengths of translations can be compared.
func Weight(text string) float64 {
	w := 0
	for _, r := range text {
		switch {
		case r < 0x300:
			w++
		case r < 0x370:
		case r < 0x483: // Greek and Cyrillic, which have no marks
			w++
		case unicode.Is(unicode.M, r):
		case r < 0x1100:
			w++
		case unicode.Is(unicode.Han, r):
			w += 3
		case unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			w += 2
		default:
			w++
		}
	}
	return float64(w)
}

// sameWords says whether two texts have the same letters, marks and digits, in
// any case. Texts without any are the same.
func sameWords(a, b string) bool {
	for {
		var x, y rune
		x, a = nextWordRune(a)
		y, b = nextWordRune(b)
		if x != y {
			return false
		}
		if x == 0 {
			return true
		}
	}
}

// nextWordRune returns the first letter, mark or digit of text in lower case, and
// what follows; 0 at the end.
func nextWordRune(text string) (rune, string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r), text[i:]
		}
	}
	return 0, ""
}
