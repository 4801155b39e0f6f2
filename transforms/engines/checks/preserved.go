package checks

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// placeholder matches what a translation must keep as it is: addresses of the web
// and of mail, tags, placeholders in braces ({0}, { name }, {{x}}, ${x}), and those of
// printf that are not a percentage (%s, %1$d, %(name)s, %.2f).
var placeholder = regexp.MustCompile(`(?i:https?|ftp)://[!#-;=?-~]*[A-Za-z0-9/=&%#_~+-]` +
	`|(?i:www)\.[\w-]+(?:\.[\w-]+)+(?:/[!#-;=?-~]*[A-Za-z0-9/=&%#_~+-])?` +
	`|[\w.+-]+@[\w-]+(?:\.[\w-]+)+` +
	`|</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>` +
	`|\$?\{\{?\s*[\w.:-]*\s*\}?\}` +
	`|%(?:\d+\$|\(\w+\))?[-+#0]*\d*(?:\.\d+)?(?:ll?|h)?[sdiufxXcqv@]\b`)

// placeholders returns the placeholders of a text, each as it counts for the same:
// without spaces inside, and addresses of the web without what browsers add.
func placeholders(text string) (found []string) {
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		p := text[at[0]:at[1]]
		if before, _ := utf8.DecodeLastRuneInString(text[:at[0]]); p[0] == '%' && unicode.IsDigit(before) {
			continue // a percentage: 5%d
		}
		if scheme := webAddress.FindString(p); scheme != "" {
			p = strings.TrimSuffix(p[len(scheme):], "/")
		}
		found = append(found, squeeze(p))
	}
	return found
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
	wanted := placeholders(text)
	if len(wanted) == 0 {
		return false
	}
	counts, squeezed := map[string]int{}, ""
	for _, p := range placeholders(translation) {
		counts[p]++
	}
	for _, p := range wanted {
		if counts[p]--; counts[p] >= 0 {
			continue
		}
		if !strings.HasSuffix(p, "}") && !strings.HasSuffix(p, ">") {
			return true
		}
		if squeezed == "" {
			squeezed = squeeze(translation)
		}
		if times(wanted, p) > strings.Count(squeezed, p) {
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
