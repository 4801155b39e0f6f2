package markdown

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/yamlfile"
)

// front is what the front matter of a file states: the mapping at the beginning of the file that no reader of the page sees, as
// Jekyll, Hugo, Docusaurus and Pandoc have it. Each value is as written, or "".
type front struct{ Title, Language, Date, URL string }

// keys are the names of the fields in small letters, the one that counts most first. Hugo knows several for the date.
var keys = struct{ title, language, date, url []string }{
	title: []string{"title"}, language: []string{"lang", "language", "locale"},
	date: []string{"date", "publishdate", "pubdate", "published"},
	url:  []string{"canonical_url", "canonicalurl", "canonical", "url", "permalink"},
}

// aKey is how the first line of front matter in YAML begins, comments aside. Other text between two lines of hyphens is text.
var aKey = regexp.MustCompile(`^["']?[\pL_][\pL\pN_ .-]*["']?\s*:(\s|$)`)

// syntaxes are the languages of front matter, by the line that begins it. Front matter that cannot be read states nothing.
var syntaxes = map[string]struct {
	ends []string // the lines that may end it
	// is says whether a text may be such front matter; nil: any text.
	is    func(text string) bool
	parse func(text string) front
}{
	"---": {[]string{"---", "..."}, isMapping, parseYAML},
	"+++": {[]string{"+++"}, nil, parseTOML},
}

// cutFront returns what the front matter states, and the file without it: YAML between lines of three hyphens, TOML between lines
// of three plus signs, or an object of JSON. Front matter that does not end is text.
func cutFront(file string) (f front, body string) {
	if strings.HasPrefix(file, "{") {
		return cutJSON(file)
	}
	fence, inner := cutLine(file)
	syntax, ok := syntaxes[fence]
	if !ok {
		return front{}, file
	}
	for rest := inner; rest != ""; {
		line, after := cutLine(rest)
		if slices.Contains(syntax.ends, line) {
			if inner = inner[:len(inner)-len(rest)]; syntax.is != nil && !syntax.is(inner) {
				break
			}
			return syntax.parse(inner), after
		}
		rest = after
	}
	return front{}, file
}

// Language returns the language that the front matter of a file states, as written, or "". The file may be in any character set of
// which ASCII is a part.
func Language(file []byte) string {
	stated, _ := cutFront(lineEnds.Replace(string(file[:min(len(file), yamlfile.MaxBytes)])))
	return stated.Language
}

// cutJSON is cutFront of a file that an object of JSON begins, with nothing behind the object in its last line.
func cutJSON(file string) (f front, body string) {
	var object json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(file[:min(len(file), maxJSON)]))
	if decoder.Decode(&object) != nil {
		return front{}, file
	}
	if rest, body := cutLine(file[decoder.InputOffset():]); rest == "" {
		return parseJSON(object), body
	}
	return front{}, file
}

// cutLine returns the first line of a text without the white space at its end, and what follows it.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimRight(line, " \t\r"), rest
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

// parseYAML reads front matter in YAML.
func parseYAML(text string) front {
	document, root, err := yamlfile.Open("front matter", []byte(text))
	if err != nil {
		return front{}
	}
	stated := fields{}
	for _, e := range document.Entries(root, "front matter") {
		if value, ok := document.Scalar(e.Value, e.Key); ok {
			stated.add(e.Key, value)
		}
	}
	return stated.front()
}

// maxJSON is the size of the largest front matter in JSON.
const maxJSON = yamlfile.MaxBytes

// parseJSON reads front matter in JSON.
func parseJSON(text []byte) front {
	var object map[string]any
	if jsonfile.Unmarshal(text, &object) != nil {
		return front{}
	}
	return frontOf(object)
}

// frontOf returns what a mapping states.
func frontOf(mapping map[string]any) front {
	stated := fields{}
	for _, key := range slices.Sorted(maps.Keys(mapping)) { // of Date and date the latter counts
		switch value := mapping[key].(type) {
		case string:
			stated.add(key, value)
		case time.Time: // of TOML
			stated.add(key, dateAsWritten(value))
		}
	}
	return stated.front()
}

// fields are the values of front matter that are texts, by their keys in small letters.
type fields map[string]string

// add takes a value. White space in a value is a space.
func (f fields) add(key, value string) {
	f[strings.ToLower(key)] = strings.Join(strings.Fields(value), " ")
}

// front returns what the fields state.
func (f fields) front() front {
	first := func(names []string) string {
		for _, name := range names {
			if f[name] != "" {
				return f[name]
			}
		}
		return ""
	}
	stated := front{Title: first(keys.title), Language: first(keys.language), Date: first(keys.date)}
	for _, name := range keys.url {
		if strings.Contains(f[name], "://") { // others are paths below the address of a site
			stated.URL = f[name]
			break
		}
	}
	return stated
}
