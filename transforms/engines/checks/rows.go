package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/engines/chrf"
)

type roundTrip = chrf.Scorer

// Repair returns a translation on one line: line breaks, tabs and other control
// characters, among them U+0085, U+2028 and U+2029 at which Python cuts lines, become
// a space each, and go where there is a space already or the text begins or ends; so
// do byte order marks. Nothing else changes. changed says whether anything did.
func Repair(translation string) (repaired string, changed bool) {
	if strings.IndexFunc(translation, breaks) < 0 {
		return translation, false
	}
	var b strings.Builder
	b.Grow(len(translation))
	gap, spaced := false, true // as if after a space
	for i := 0; i < len(translation); {
		r, size := utf8.DecodeRuneInString(translation[i:])
		part := translation[i : i+size]
		i += size
		if breaks(r) {
			gap = true
			continue
		}
		space := unicode.IsSpace(r)
		if gap && !spaced && !space {
			b.WriteByte(' ')
		}
		gap, spaced = false, space
		b.WriteString(part)
	}
	return b.String(), true
}

// breaks says which characters have no place in a row.
func breaks(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// broken says whether a translation is not text, or not one line.
func broken(text, translation string) bool {
	return !utf8.ValidString(translation) || strings.IndexFunc(translation, breaks) >= 0 ||
		strings.Count(translation, "\ufffd") > strings.Count(text, "\ufffd")
}
