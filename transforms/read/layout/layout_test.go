package layout

import (
	"encoding/json"
	"strings"
	"testing"

	"sentweave/schemas/dataset"
)

func TestLayout(t *testing.T) {
	tests := []struct {
		layout, name, language, page string
		ok                           bool
	}{
		{"{language}/{page}.html", "es/a/b.html", "es", "a/b", true},
		{"{language}/{page}.html", "es/a.html.gz", "es", "a", true},
		{"{language}/{page}", "es/a.html.gz", "es", "a.html.gz", true}, // it matches as it is
		{"{page}.{language}.html", "a.b.zh-Hans.html.gz", "zh-Hans", "a.b", true},
		{"{language}/{page}.{language}.html", "de/a.b.de.html", "de", "a.b", true},
		{"{language}/{page}.{language}.html", "de/a.fr.html", "", "de/a.fr.html", false},
		{"{language}/{page}.html", "es/a.html.br", "", "es/a.html.br", false},
		{"{language}/{page}.html", "a.html", "", "a.html", false},
		{"", "es/a.html", "", "es/a.html", false},
	}
	for _, test := range tests {
		l, err := Parse(test.layout)
		if err != nil {
			t.Fatal(err)
		}
		if language, page, ok := l.Read(test.name); language != test.language || page != test.page || ok != test.ok {
			t.Errorf("%q in %q: %q, %q, %v", test.name, test.layout, language, page, ok)
		}
	}
	for layout, want := range map[string][]string{"{page}": {"holds no {language}"}, "{language}{page}{page}": {"{page} 2 times"},
		"{language}{language}": {"holds no {page}"}} {
		_, err := Parse(layout)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %v, want %q", layout, err, w)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for name, test := range map[string]struct {
		property, config, layout, err string
	}{
		"none":                {"", `{"format":"html"}`, "", ""},
		"the property":        {"{language}/{page}", `{}`, "{language}/{page}", ""},
		"in the config alone": {"", `{"layout":"{page}.{language}"}`, "{page}.{language}", ""},
		"of another making":   {"", `["layout"]`, "", ""},
		"of other pages":      {"", `{"layout":7}`, "", ""},
		"no pattern":          {"{page}", `{}`, "", "holds no {language}"},
	} {
		m := &dataset.Manifest{Plan: dataset.Plan{Layout: test.property, Config: json.RawMessage(test.config)}}
		l, err := FromManifest(m)
		if l.String() != test.layout || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %q, %v", name, l, err)
		}
		if l, err = OfPages(m); (err == nil) != (test.layout != "") || l.String() != test.layout {
			t.Errorf("%s, of pages: %q, %v", name, l, err)
		}
	}
}
