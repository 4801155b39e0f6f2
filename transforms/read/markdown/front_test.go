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
		{"lists, mappings and anchors", "---\ntags: [a, b]\nauthor: &x\n  name: c\ntitle: >\n  Green\n  tea\n---\nA",
			front{Title: "Green tea"}, "A"},
		{"the end of a document", "---\ntitle: A\n...\nB", front{Title: "A"}, "B"},
		{"line ends of Windows", "---\r\ntitle: A\r\n---\r\nB\r\n", front{Title: "A"}, "B\r\n"},
		{"YAML that cannot be read", "---\ntitle: a: b\n---\nA", front{}, "A"},
		{"aliases that multiply", "---\na: &a [x,x]\nb: &b [*a,*a]\ntitle: T\n---\nA", front{Title: "T"}, "A"},
		{"an alias of itself", "---\ntitle: &a\n  - *a\n---\nA", front{}, "A"},
		{"nothing", "---\n---\nA", front{}, "A"},
		{"comments alone", "---\n# x\n---\nA", front{}, "A"},
		{"keys in capitals", "---\nTitle: A\nLang: de\n---\nB", front{Title: "A", Language: "de"}, "B"},
		{"a quoted date", "---\ndate: '2023-02-01 10:00'\n---\nB", front{Date: "2023-02-01 10:00"}, "B"},
		{"the date of publication", "---\npublishDate: 2023-02-01\n---\nB", front{Date: "2023-02-01"}, "B"},
		{"the date first", "---\npublished: true\ndate: 2023-02-01\n---\nB", front{Date: "2023-02-01"}, "B"},
		{"TOML", "+++\ntitle = \"Tea: a  \\u0064rink\"\nlanguage = 'de'\ndate = 2023-02-01T10:00:00+02:00\ncanonical = \"https://a.org/b\"\n[menu.main]\ntitle = 1\n+++\nA",
			front{"Tea: a drink", "de", "2023-02-01T10:00:00+02:00", "https://a.org/b"}, "A"},
		{"TOML with a day", "+++\ndate = 2023-02-01\n+++\nA", front{Date: "2023-02-01"}, "A"},
		{"TOML with a time in no zone", "+++\ndate = 2023-02-01T10:00:30\n+++\nA", front{Date: "2023-02-01T10:00:30"}, "A"},
		{"TOML with a date in quotes", "+++\r\ndate = \"2023-02-01\"\r\n+++\r\nA", front{Date: "2023-02-01"}, "A"},
		{"TOML with a clock", "+++\ndate = 10:00:30\ntitle = \"\"\"\nT\nU\"\"\"\n+++\nA", front{Title: "T U"}, "A"},
		{"TOML that cannot be read", "+++\ntitle = T\n+++\nA", front{}, "A"},
		{"TOML that has no end", "+++\ntitle = 'T'\n", front{}, "+++\ntitle = 'T'\n"},
		{"TOML of many dots", "+++\n" + strings.Repeat("a.", 50) + "b = 1\n+++\nA", front{}, "A"},
		{"TOML of tables in tables", "+++\na = " + strings.Repeat("{a = ", 50) + "1" + strings.Repeat("}", 50) + "\n+++\nA", front{}, "A"},
		{"JSON", "{\n  \"title\": \"T\\u0065a}\", \"date\": \"2023-02-01\", \"tags\": [{}], \"Language\": \"de\"\n}\n\nA\n",
			front{"Tea}", "de", "2023-02-01", ""}, "\nA\n"},
		{"JSON alone", "{\"title\": \"T\"}", front{Title: "T"}, ""},
		{"JSON before text in its line", "{\"title\": \"T\"} is JSON.\n", front{}, "{\"title\": \"T\"} is JSON.\n"},
		{"braces that are not JSON", "{% raw %}\nA\n", front{}, "{% raw %}\nA\n"},
		{"JSON that is deep", "{\"title\": \"T\", \"a\": " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}\nA", front{}, "A"},
		{"JSON that is large", "{\"title\": \"" + strings.Repeat("T", 300<<10) + "\"}\nA", front{},
			"{\"title\": \"" + strings.Repeat("T", 300<<10) + "\"}\nA"},
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
	converted, reason, _ := Convert("---\ntitle: Tea & <time>\nlanguage: en\ndate: 2024-03-01\nurl: https://a.org/?b=\"c\n---\nText.\n", false)
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
