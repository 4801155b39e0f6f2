// Package blank tells texts without anything to see from others.
package blank

import (
	"unicode"
	"unicode/utf8"
)

// IsBlank says that a text has no character to see or to say: it is empty, or of white space, controls,
// format characters such as the zero-width space, marks without a letter that bears them,
// fillers, and U+FFFD, which stands for lost characters.
func IsBlank[T ~string | ~[]byte](text T) bool {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c > ' ' && c != 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		if isSeen(r) {
			return false
		}
		i += size
	}
	return true
}

func isSeen(r rune) bool {
	switch r {
	case utf8.RuneError, '\u2800', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0': // blank braille, fillers, inherent vowels
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Mc, unicode.Co)
}
