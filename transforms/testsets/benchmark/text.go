package benchmark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"sentweave/schemas/blank"
)

// Clean returns a text that is one field of one line for every program that reads
// test sets: each run of white space and control characters becomes one space, those
// at the ends go, as do byte order marks and code points that are not characters.
//
// That covers what Python cuts lines at (str.splitlines: LF VT FF CR, U+001C to
// U+001E, U+0085, U+2028, U+2029) and what it cuts words at (str.split: those, tab,
// U+001F, U+00A0 and the other space separators, U+3000 among them). Joiners and
// variation selectors stay: Hindi, Urdu and emoji need them. U+0080 to U+009F, but for
// U+0085, are bytes of Windows-1252 that somebody took for Latin-1, as STS15 has them, and
// become what they stood for: U+0092 is "’". Invalid UTF-8 becomes U+FFFD. A clean text
// is returned as it is, without an allocation.
func Clean(text string) string {
	if isClean(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		if r >= 0x80 && r < 0xa0 && r != 0x85 {
			if meant := charmap.Windows1252.DecodeByte(byte(r)); meant != utf8.RuneError { // five bytes mean nothing
				r = meant
			}
		}
		switch {
		case isDropped(r):
		case isSpace(r):
			space = true
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Trim returns a text without the white space around it, or "" if it has nothing to see, or
// nothing that is more than white space to Clean: such a text cannot be translated, nor told from none.
func Trim(text string) string {
	if text = strings.TrimSpace(text); blank.IsBlank(text) || Clean(text) == "" {
		return ""
	}
	return text
}

func isClean(text string) bool {
	last := ' '
	for i, r := range text {
		if r == ' ' && last == ' ' || r != ' ' && (isSpace(r) || isDropped(r)) {
			return false
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		}
		last = r
	}
	return text == "" || last != ' '
}

// isSpace says whether a character separates words or controls a terminal.
func isSpace(r rune) bool {
	if r < 0x7f {
		return r <= ' '
	}
	return r <= 0xa0 || r > 0x167f && (unicode.IsSpace(r) || unicode.Is(unicode.Zs, r))
}

// isDropped says whether a code point stands for nothing in a text.
func isDropped(r rune) bool {
	return r == 0xfeff || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe
}

// spaceMark stands for a space of the text where characters stand apart. U+2581 is
// what SentencePiece takes for it.
const spaceMark = "▁"

// Characters puts spaces between the characters of scripts that write words without
// any: Han, kana, Thai, Lao, Khmer, Burmese, Tibetan. Marks stay with their base, and
// words of other scripts stay whole. Spaces of the text become U+2581, so that Join
// restores a clean text exactly; a U+2581 of the text itself becomes "_".
//
// SentEval cuts texts at spaces, so a text of such a script is one word to it without
// this, which is right for every encoder that joins the words again and of no use for
// bags of words. This is not a segmentation into words: those need a dictionary, and
// differ by which one was used.
func Characters(text string) string {
	var b strings.Builder
	b.Grow(2 * len(text))
	apart, first := false, true // the last character was of such a script; nothing yet
	for _, r := range text {
		if r == '▁' {
			r = '_'
		}
		if r == ' ' {
			b.WriteByte(' ')
			b.WriteString(spaceMark)
			apart, first = true, false
			continue
		}
		alone := isUnspaced(r)
		if !unicode.In(r, unicode.M) && r != 0x200d && r != 0x200c && !isVowelSign(r) {
			if !first && (alone || apart) {
				b.WriteByte(' ')
			}
			apart = alone
		}
		first = false
		b.WriteRune(r)
	}
	return strings.TrimPrefix(b.String(), " ")
}

// Join undoes Characters.
func Join(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), spaceMark, " ")
}

func isUnspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
		unicode.Tibetan) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef || r == 'ー'
}

// isVowelSign: letters of Thai and Lao that follow their consonant as marks do (-ะ -า -ำ).
func isVowelSign(r rune) bool {
	return r == 0x0e30 || r == 0x0e32 || r == 0x0e33 || r == 0x0eb0 || r == 0x0eb2 || r == 0x0eb3
}
