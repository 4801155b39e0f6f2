package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sentweave/transforms/read/html"
)

func TestFrontMatter(t *testing.T) {
	for _, test := range []struct {
		why, file string
		want      front
		body      string
	}{
		{"none", "# A\n", front{}, "# A\n"},
		{"all fields", "---\ntitle: \"Tea: a  drink\"\nlang: pt-BR\ndate: 2024-03-01 10:00:00 +0100\ncanonical_url: https://a.org/b\nurl: /b\n---\n# A\n",
			front{"Tea: a drink", "pt-BR", "2024-03-01 10:00:00 +0100", "https://a.org/b"}, "# A\n"},
		{"an address that is a path", "---\npermalink: /b/\n---\nA", front{}, "A"},
		{"lists, mappings and anchors", "---\ntags: [a, b]\nauthor: &x\n  name: c\ntitle: >\n  Green\n  tea\n---\nA", front{Title: "Green tea"}, "A"},
		{"the end of a document", "---\ntitle: A\n...\nB", front{Title: "A"}, "B"},
		{"line ends of Windows", "---\r\ntitle: A\r\n---\r\nB\r\n", front{Title: "A"}, "B\r\n"},
		{"YAML that cannot be read", "---\ntitle: a: b\n---\nA", front{}, "A"},
		{"aliases that multiply", "---\na: &a [x,x]\nb: &b [*a,*a]\ntitle: T\n---\nA", front{Title: "T"}, "A"},
		{"an alias of itself", "---\ntitle: &a\n  - *a\n---\nA", front{}, "A"},
		{"nothing", "---\n---\nA", front{}, "A"},
		{"comments alone", "---\n# x\n---\nA", front{}, "A"},
		{"TOML", "+++\ntitle = \"T\"\n+++\nA", front{}, "A"},
		{"a line between lines is text", "---\n\nSome text.\n\n---\n\nMore.\n", front{}, "---\n\nSome text.\n\n---\n\nMore.\n"},
		{"no end", "---\ntitle: a\n", front{}, "---\ntitle: a\n"},
		{"more than the decoder reads", "---\ntitle: a\nb: " + strings.Repeat("x", 300<<10) + "\n---\nA", front{}, "A"},
		{"deeper than the decoder reads", "---\ntitle: a\nb: " + strings.Repeat("[", 1000) + "\n---\nA", front{}, "A"},
		{"not at the beginning", "\n---\ntitle: a\n---\n", front{}, "\n---\ntitle: a\n---\n"},
	} {
		got, body := cutFront(test.file)
		if diff := cmp.Diff(test.want, got); diff != "" || body != test.body {
			t.Errorf("%s: body %.80q, want %.80q\n%s", test.why, body, test.body, diff)
		}
	}
}

// TestStated: what the front matter states is what the page states.
func TestStated(t *testing.T) {
	converted, reason, _ := Convert("---\ntitle: Tea & <time>\nlanguage: en\ndate: 2024-03-01\nurl: https://a.org/?b=\"c\n---\nText.\n")
	if reason != "" || converted.Date != "2024-03-01" {
		t.Fatalf("reason %q, date %q", reason, converted.Date)
	}
	page, reason, _ := html.Parse(converted.HTML, html.Origin{ContentType: "text/html; charset=utf-8"}, html.DefaultConfig())
	if reason != "" {
		t.Fatal(reason)
	}
	want := &html.Page{Language: "en", Title: "Tea & <time>", Canonical: `https://a.org/?b="c`}
	if diff := cmp.Diff(want, page, cmpopts.IgnoreFields(html.Page{}, "Root", "Blocks", "Ordinals", "Texts", "Charset")); diff != "" {
		t.Error(diff)
	}
}
