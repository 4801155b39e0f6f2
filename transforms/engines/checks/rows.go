package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// breaks says which characters have no place in a row: line breaks, tabs and other
// control characters, among them U+0085, U+2028 and U+2029 at which Python cuts lines,
// and byte order marks.
func breaks(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// IsBroken says whether a translation is not text, or not one line.
func IsBroken(text, translation string) bool {
	return !utf8.ValidString(translation) || strings.IndexFunc(translation, breaks) >= 0 ||
		strings.Count(translation, "\ufffd") > strings.Count(text, "\ufffd")
}
