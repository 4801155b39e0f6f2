package checks

import (
	"strings"
	"unicode"

	"sentweave/transforms/engines/verbatim"
)

// otherScript says whether a translation has no letter of a language's scripts,
// though both the text and it have words that are not names: so many words in a row are
// none, however they are capitalised.
func otherScript(scripts []*unicode.RangeTable, text, translation string) bool {
	if len(scripts) == 0 {
		return false
	}
	for _, r := range translation {
		if unicode.In(r, scripts...) && unicode.IsLetter(r) {
			return false
		}
	}
	return common(text) && (common(translation) || words(translation) >= manyWords)
}

// manyWords are more than a name has.
const manyWords = 5

// words counts those that have a letter.
func words(text string) (n int) {
	for word := range strings.FieldsSeq(verbatim.Placeholder.ReplaceAllString(text, " ")) {
		if strings.IndexFunc(word, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

// common says whether a text has a word that is not a name: one of two small letters or
// more, or of a script that has no capitals. Names (NATO, iPhone, Tom), what stands
// with digits, and addresses and placeholders are none.
func common(text string) bool {
	small, mixed := 0, false
	for _, r := range verbatim.Placeholder.ReplaceAllString(text, " ") + " " {
		switch {
		case unicode.Is(unicode.Lo, r):
			return true
		case unicode.IsLower(r):
			small++
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '/', r == '.' && small > 0:
			mixed = mixed || r != '.'
		case unicode.IsMark(r):
		default:
			if small > 1 && !mixed {
				return true
			}
			small, mixed = 0, false
		}
	}
	return false
}
