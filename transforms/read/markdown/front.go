package markdown

import (
	"regexp"
	"strings"

	"sentweave/schemas/yamlfile"
)

// front is what the front matter of a file states: YAML between lines of three hyphens at the beginning of the file, as
// Jekyll, Hugo, Docusaurus and Pandoc have it. Each value is as written, or "".
type front struct{ Title, Language, Date, URL string }

// keys are the names of the fields, the one that counts most first.
var keys = struct{ title, language, date, url []string }{
	title: []string{"title"}, language: []string{"lang", "language", "locale"}, date: []string{"date"},
	url: []string{"canonical_url", "canonicalURL", "canonical", "url", "permalink"},
}

// aKey is how the first line of front matter in YAML begins, comments aside. Other text between two lines of hyphens is text.
var aKey = regexp.MustCompile(`^["']?[\pL_][\pL\pN_ .-]*["']?\s*:(\s|$)`)

// cutFront returns what the front matter states, and the file without it. Of TOML between lines of three plus signs, and of
// YAML that cannot be read, nothing is stated. Front matter that does not end is text.
func cutFront(file string) (f front, body string) {
	fence, rest, ok := cutLine(file)
	if !ok || fence != "---" && fence != "+++" {
		return front{}, file
	}
	inner := rest
	for length := 0; ; {
		line, after, _ := cutLine(rest)
		if length = len(inner) - len(rest); line == fence || fence == "---" && line == "..." {
			inner, body = inner[:length], after
			break
		}
		if after == rest {
			return front{}, file
		}
		rest = after
	}
	if fence == "+++" {
		return front{}, body
	}
	if !isMapping(inner) {
		return front{}, file
	}
	return parseFront(inner), body
}

// cutLine returns the first line of a text without the white space at its end, and what follows it.
func cutLine(text string) (line, rest string, ok bool) {
	line, rest, ok = strings.Cut(text, "\n")
	return strings.TrimRight(line, " \t\r"), rest, ok
}

// isMapping says whether a text may be a mapping of YAML: its first line is a key, or it has nothing but comments.
func isMapping(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			return aKey.MatchString(line)
		}
	}
	return text == "" || strings.Contains(text, "#")
}

// parseFront reads YAML.
func parseFront(text string) (f front) {
	document, root, err := yamlfile.Open("front matter", []byte(text))
	if err != nil {
		return front{}
	}
	stated := map[string]string{}
	for _, e := range document.Entries(root, "front matter") {
		if value, ok := document.Scalar(e.Value, e.Key); ok && e.Key != "" {
			stated[e.Key] = strings.Join(strings.Fields(value), " ")
		}
	}
	first := func(names []string) string {
		for _, name := range names {
			if stated[name] != "" {
				return stated[name]
			}
		}
		return ""
	}
	f = front{Title: first(keys.title), Language: first(keys.language), Date: first(keys.date)}
	for _, name := range keys.url {
		if strings.Contains(stated[name], "://") { // others are paths below the address of a site
			f.URL = stated[name]
			break
		}
	}
	return f
}
