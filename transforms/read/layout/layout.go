// Package layout finds the files that are one page in several languages, by a pattern
// of their names.
package layout

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/read/compressed"
)

// Layout reads language and page off the name of an input file, by a pattern
// such as "{language}/{page}.html": {language} stands for one path element or a
// part of it, {page} for anything. {language} may be in several places, which then
// hold the same. Files with the same page are translations of each other. The zero
// Layout matches nothing.
type Layout struct {
	text    string
	pattern *regexp.Regexp
}

// places are what a pattern must hold, with the expressions that they stand for.
var places = []struct{ name, expression string }{{"language", "[^/]+?"}, {"page", ".+"}}

// Parse compiles a pattern; the empty one gives the zero Layout.
func Parse(pattern string) (Layout, error) {
	if pattern == "" {
		return Layout{}, nil
	}
	var errs fault.List
	expression := regexp.QuoteMeta(pattern)
	for _, p := range places {
		place := "{" + p.name + "}"
		n := strings.Count(pattern, place)
		errs.Check(n > 0, "layout %q holds no %s", pattern, place)
		errs.Check(n < 2 || p.name == "language", "layout %q holds %s %d times, it must do so once", pattern, place, n)
		expression = strings.Replace(expression, regexp.QuoteMeta(place), "(?P<"+p.name+">"+p.expression+")", 1)
		expression = strings.ReplaceAll(expression, regexp.QuoteMeta(place), "("+p.expression+")")
	}
	if errs != nil {
		return Layout{}, errs.Err()
	}
	compiled, err := regexp.Compile("^(?s:" + expression + ")$")
	if err != nil {
		return Layout{}, fmt.Errorf("layout %q: %w", pattern, err)
	}
	return Layout{pattern, compiled}, nil
}

// String returns the pattern as it was parsed.
func (l Layout) String() string { return l.text }

// IsZero says whether there is no pattern.
func (l Layout) IsZero() bool { return l.pattern == nil }

// Read returns the language, as it is in the name, and the page. A name that
// matches without its ".gz", or another end that says how it is compressed, does so, too. One that does not match is its own page,
// in no stated language.
func (l Layout) Read(name string) (language, page string, ok bool) {
	if l.pattern == nil {
		return "", name, false
	}
	m := l.pattern.FindStringSubmatch(name)
	if rest, extension := compressed.Cut(name); m == nil && extension != "" {
		m = l.pattern.FindStringSubmatch(rest)
	}
	if m == nil {
		return "", name, false
	}
	language = m[l.pattern.SubexpIndex("language")]
	for i, place := range l.pattern.SubexpNames() {
		if i > 0 && place == "" && m[i] != language {
			return "", name, false
		}
	}
	return language, m[l.pattern.SubexpIndex("page")], true
}

// FromManifest returns the layout of the pages that a dataset of documents was made from, the
// zero one if they had none.
func FromManifest(m *dataset.Manifest) (Layout, error) {
	settings := struct {
		Layout string `json:"layout"`
	}{m.Plan.Layout}
	if settings.Layout == "" { // older manifests tell it in the configuration of the pipeline
		_ = jsonfile.Unmarshal(m.Plan.Config, &settings) // what is otherwise there is no layout
	}
	return Parse(settings.Layout)
}

// OfPages is Of for those who join the versions of a page. Documents without a layout
// are an error.
func OfPages(m *dataset.Manifest) (Layout, error) {
	l, err := FromManifest(m)
	if err == nil && l.IsZero() {
		err = errors.New("they do not tell which pages translate each other: make them by `sentweave corpus --layout {language}/{page}…`")
	}
	return l, err
}
