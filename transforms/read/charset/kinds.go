package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a character is beside others. Letters have the number of a script, twice, and
// one more for capitals.
type kind uint8

const (
	gap        kind = iota // white space, digits, marks of ASCII
	quote                  // what is at words: quotation marks, dashes
	apostrophe             // what is behind letters, or between them
	opening                // what comes before words
	closing                // what is behind words
	symbol                 // what is in no word
	accent                 // a mark on the letter before it, or on its mark
	tone                   // a mark on a Latin letter
	undefined
	latinSmall
	latinCapital
	cyrillicSmall
	cyrillicCapital
	greekSmall
	greekCapital
	hebrew
	arabic = hebrew + 2
	thai   = hebrew + 4
)

func (k kind) isLatin() bool { return k == latinSmall || k == latinCapital }
func (k kind) script() kind  { return (k - latinSmall) / 2 }
func (k kind) capital() bool { return k >= latinSmall && (k-latinSmall)%2 == 1 }

// link is the weight of two neighbours.
func link(a, b kind) float64 {
	letterA, letterB := a >= latinSmall, b >= latinSmall
	switch {
	case letterA && letterB:
		switch {
		case a.script() != b.script():
			return -5
		case !a.capital() && b.capital():
			return -6
		case a.capital() && b.capital():
			return -1.5
		}
	case b == accent && !letterA && a != accent, b == tone && !a.isLatin(), b == apostrophe && a == gap:
		return -6
	case b.capital(): // at the start of a word
		return -1
	case (a == symbol || a == closing) && letterB, letterA && (b == symbol || b == opening):
		return -3
	}
	return 0
}

func kindOf(r rune) kind {
	capital := kind(0)
	if unicode.IsUpper(r) {
		capital = 1
	}
	switch {
	case r == utf8.RuneError || r >= 0x80 && r < 0xa0:
		return undefined
	case strings.ContainsRune("ªº¹²³´™†‡‰", r):
		return closing
	case r >= 0x300 && r < 0x370:
		return tone
	case unicode.Is(unicode.Mn, r) || r == 'ำ':
		return accent
	case unicode.Is(unicode.Latin, r) || r == 'ƒ':
		return latinSmall + capital
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillicSmall + capital
	case unicode.Is(unicode.Greek, r):
		return greekSmall + capital
	case unicode.Is(unicode.Hebrew, r):
		return hebrew
	case unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r):
		return arabic
	case unicode.Is(unicode.Thai, r):
		return thai
	case r < utf8.RuneSelf, r == 0xa0:
		return gap
	case r == '’':
		return apostrophe
	case strings.ContainsRune("„‚¿¡µ", r):
		return opening
	case strings.ContainsRune("‘“”«»‹›–—…·•°§©®€£\u00ad،؛؟\u200c\u200d", r):
		return quote
	}
	return symbol
}
