package bitext

import (
	"slices"
	"strings"
	"unicode"

	bcp47 "golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"sentweave/schemas/language"
)

// headings are names that columns of texts have.
var headings = []string{"source", "target", "src", "tgt", "trg", "text", "text1", "text2", "text_a", "text_b", "sentence1", "sentence2",
	"original", "translation", "premise", "hypothesis"}

// headingWords are beside the language in the name of a column: "text_de", "source (English)".
var headingWords = append([]string{"sentence", "sent", "segment", "string", "language", "lang", "column"}, headings...)

// languageNamed returns the one of the codes whose language a heading names: by a code, or by a name in English or in one
// of the languages, as in "de", "text_de", "German" and "Deutsch". It returns "" for a heading that names none.
func languageNamed(heading string, codes []string) string {
	words := strings.FieldsFunc(heading, func(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Mark) && r != '-' })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(headingWords, strings.ToLower(w)) })
	label := strings.Join(words, " ")
	if label == "" {
		return ""
	}
	if code := codeOf(label); slices.Contains(codes, code) { // first, since names take the square of the languages
		return code
	}
	for _, code := range codes {
		if strings.EqualFold(label, language.Name(code)) {
			return code
		}
		for _, locale := range append([]string{"eng"}, codes...) {
			names := display.Languages(tagOf(locale))
			if names != nil && strings.EqualFold(label, names.Name(tagOf(code))) {
				return code
			}
		}
	}
	return ""
}

// tagOf returns the tag of a code, or that of no language.
func tagOf(code string) bcp47.Tag {
	tag, err := language.BCP47(code)
	if err != nil {
		return bcp47.Und
	}
	return bcp47.Make(tag)
}

// columnsOfNames returns the columns of a table whose first row names the two languages that the name of the file tells,
// in either order, and nil for another table. A column of numbers with another name is a score.
func columnsOfNames(rows [][]string, codes []string) (columns []column) {
	if len(codes) != 2 || codes[0] == codes[1] {
		return nil
	}
	var roles []string
	for i, value := range rows[0] {
		c := column{role: languageNamed(value, codes), tag: strings.TrimSpace(value)}
		if c.role == "" {
			values := columnOf(rows[1:], i)
			numbers := slices.ContainsFunc(values, func(v string) bool { return !isMissing(v) }) &&
				!slices.ContainsFunc(values, func(v string) bool { return !isNumber(v) }) && !areRowNumbers(values)
			if c.role = roleSkip; c.tag != "" && !slices.Contains(roles, roleScore) && (numbers || strings.EqualFold(c.tag, roleScore)) {
				c.role = roleScore
			}
		}
		if c.role != roleSkip && slices.Contains(roles, c.role) {
			return nil
		}
		columns, roles = append(columns, c), append(roles, c.role)
	}
	if !slices.Contains(roles, codes[0]) || !slices.Contains(roles, codes[1]) {
		return nil
	}
	return columns
}
