package checks

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/engines/verbatim"
)

// placeholders returns the placeholders of a text, each as it counts for the same:
// without spaces inside, and addresses of the web without what browsers add.
func placeholders(text string) (result []string) {
	for _, span := range verbatim.Placeholder.FindAllStringIndex(text, -1) {
		p := text[span[0]:span[1]]
		if previous, _ := utf8.DecodeLastRuneInString(text[:span[0]]); p[0] == '%' && unicode.IsDigit(previous) {
			continue // a percentage: 5%d
		}
		if scheme := webAddress.FindString(p); scheme != "" {
			p = strings.TrimSuffix(p[len(scheme):], "/")
		}
		result = append(result, squeeze(p))
	}
	return result
}

var webAddress = regexp.MustCompile(`^(?i:https?)://`)

// squeeze removes the white space of a text.
func squeeze(text string) string {
	if strings.IndexFunc(text, unicode.IsSpace) < 0 {
		return text
	}
	return strings.Join(strings.Fields(text), "")
}

// lostPlaceholder says whether the translation has one of the text's placeholders
// fewer times than the text. Those in brackets may have spaces in them.
func lostPlaceholder(text, translation string) bool {
	if !strings.ContainsAny(text, "{%<@:") && !strings.Contains(text, "www.") && !strings.Contains(text, "WWW.") {
		return false
	}
	expected := placeholders(text)
	if len(expected) == 0 {
		return false
	}
	counts, squeezed := map[string]int{}, ""
	for _, p := range placeholders(translation) {
		counts[p]++
	}
	for _, p := range expected {
		if counts[p]--; counts[p] >= 0 {
			continue
		}
		if !strings.HasSuffix(p, "}") && !strings.HasSuffix(p, ">") {
			return true
		}
		if squeezed == "" {
			squeezed = squeeze(translation)
		}
		if times(expected, p) > strings.Count(squeezed, p) {
			return true
		}
	}
	return false
}

// times says how many of a list are p.
func times(list []string, p string) (n int) {
	for _, s := range list {
		if s == p {
			n++
		}
	}
	return n
}
