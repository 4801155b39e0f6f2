package mediatype

import (
	"strings"
	"testing"
)

// The first rows are of the WHATWG's MIME sniffing standard and of its examples for
// several values ("extract a MIME type" in Fetch); those after the blank line are what it gives up.
func TestParse(t *testing.T) {
	for _, c := range []struct{ header, types, labels string }{
		{"text/html", "text/html", ""},
		{"text/html;charset=gbk", "text/html", "gbk"},
		{" TEXT/HTML ; CHARSET=GBK ", "text/html", "GBK"},
		{`text/html; charset="gbk"`, "text/html", "gbk"},
		{`text/html; charset="g\b\k"`, "text/html", "gbk"},
		{`text/html; charset="gbk`, "text/html", "gbk"},
		{`text/html; charset=gbk"`, "text/html", "gbk"},
		{"text/html; charset=a; charset=b", "text/html", "a b"},
		{"text/html;; =x; y; charset=; charset=gbk;", "text/html", "gbk"},
		{"text/html; charset=gbk; text/html", "text/html text/html", "gbk"},
		{`text/html; title="charset=a; b, c"; charset=gbk`, "text/html", "gbk"},
		{"text/plain, text/html; charset=gbk", "text/plain text/html", "gbk"},
		{"text/html;charset=gbk, text/html", "text/html text/html", "gbk"},
		{"text/html;charset=a, text/html;charset=b", "text/html text/html", "b a"},
		{"application/xhtml+xml; charset=gbk", "application/xhtml+xml", "gbk"},
		{"", "", ""},
		{",;=,;", "", ""},
		{"charset=gbk", "", "gbk"},

		{"text/html; charset = gbk", "text/html", "gbk"},
		{"text/html; charset: gbk", "text/html", "gbk"},
		{"text/html; charset='gbk'", "text/html", "gbk"},
		{"text/html charset=gbk", "text/html", "gbk"},
		{"text/html/; charset=gbk", "text/html", "gbk"},
		{"text/html/charset=gbk", "text/html", "gbk"},
		{"Content-Type: text/html; charset=gbk", "text/html", "gbk"},
		{`text/html; charset="gbk, text/html`, "text/html", "gbk"},
		{"text/html; charset=gbk iso", "text/html", "gbk"},
		{"html; charset=gbk", "", "gbk"},
		{"/html, text/", "", ""},
	} {
		types, labels := Parse(c.header)
		if got := strings.Join(types, " "); got != c.types {
			t.Errorf("Parse(%q): types %q, want %q", c.header, got, c.types)
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("Parse(%q): labels %q, want %q", c.header, got, c.labels)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`text/html; charset="a\"b", text/plain;charset=c`)
	f.Add(`text/html; charset="\`)
	f.Fuzz(func(t *testing.T, header string) {
		types, labels := Parse(header)
		for _, s := range append(types, labels...) {
			if s == "" || strings.ContainsAny(s, " \";,") {
				t.Errorf("Parse(%q) holds %q", header, s)
			}
		}
	})
}
