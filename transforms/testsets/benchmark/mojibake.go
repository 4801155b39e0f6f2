package benchmark

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"sentweave/schemas/excerpt"
)

// isMojibake says whether a text is UTF-8 that was read as Latin-1 or Windows-1252
// and written as UTF-8 again: its characters, as bytes of one of these, are UTF-8
// with something beyond ASCII in it. Text of people does not do that by chance: each
// accented letter would have to be followed by a sign such as © or ¤.
func isMojibake(text string) bool {
	latin, western := make([]byte, 0, len(text)), make([]byte, 0, len(text))
	isLatin, isWestern, high := true, true, false
	for _, r := range text {
		high = high || r >= 0x80
		isLatin = isLatin && r <= 0xff
		if isLatin {
			latin = append(latin, byte(r))
		}
		b, ok := charmap.Windows1252.EncodeRune(r)
		if r >= 0x80 && r < 0xa0 { // five bytes that Windows-1252 leaves open
			b, ok = byte(r), true
		}
		isWestern = isWestern && ok
		if isWestern {
			western = append(western, b)
		}
		if !isLatin && !isWestern {
			return false
		}
	}
	return high && (isLatin && utf8.Valid(latin) || isWestern && utf8.Valid(western))
}

// cutting names the first character that Clean would change.
func cutting(text string) string {
	previous := ' '
	for _, r := range text {
		if isDropped(r) || r != ' ' && isSpace(r) {
			return fmt.Sprintf("U+%04X", r)
		}
		if r == ' ' && previous == ' ' {
			break
		}
		previous = r
	}
	return "spaces to spare"
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// clip keeps a message short.
func clip(text string) string { return excerpt.Characters(text, 60) }
