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

// languageNames finds the languages that headings name.
type languageNames struct {
	codes  []string
	byName map[string]string // in lower case; nil until a heading is no code
}

// code returns the one of the codes whose language a heading names: by a code, or by a name in English or in one
// of the languages, as in "de", "text_de", "German" and "Deutsch". It returns "" for a heading that names none.
func (n *languageNames) code(heading string) string {
	words := strings.FieldsFunc(heading, func(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Mark) && r != '-' })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(headingWords, strings.ToLower(w)) })
	label := strings.Join(words, " ")
	if label == "" {
		return ""
	}
	if code := codeOf(label); slices.Contains(n.codes, code) {
		return code
	}
	if n.byName == nil {
		n.byName = namesOf(n.codes)
	}
	return n.byName[strings.ToLower(label)]
}

// namesOf returns the codes by their names in English and in each of the languages, in lower case. The first code has a name of several.
func namesOf(codes []string) map[string]string {
	var namers []display.Namer // of which there are far fewer than languages
	for _, locale := range append([]string{"eng"}, codes...) {
		if namer := display.Languages(tagOf(locale)); namer != nil && !slices.Contains(namers, namer) {
			namers = append(namers, namer)
		}
	}
	byName := map[string]string{}
	for _, code := range codes {
		tag, names := tagOf(code), []string{language.Name(code)}
		for _, namer := range namers {
			names = append(names, namer.Name(tag))
		}
		for _, name := range names {
			if name = strings.ToLower(name); byName[name] == "" {
				byName[name] = code
			}
		}
	}
	return byName
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
	named := languageNames{codes: codes}
	for i, value := range rows[0] {
		c := column{role: named.code(value), tag: strings.TrimSpace(value)}
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
