package corpus

import (
	"testing"
	"time"

	"sentweave/transforms/read/layout"
)

func TestFormatOfALayout(t *testing.T) {
	tests := []struct{ pattern, name, language, page, format string }{
		{"{language}/{page}.html", "pt-BR/a/b.html", "por", "a/b", formatHTML},
		{"{language}/{page}.html", "de/a.html.gz", "deu", "a", formatHTML},
		{"{language}/{page}.html", "a.html", "", "a.html", formatHTML},
		{"{page}.{language}.html", "ch1/features.zh-cn.html", "zho_Hans", "ch1/features", formatHTML},
		// As web servers negotiate languages and encodings: no extension of ours.
		{"{page}.html.{language}", "mod/core.html.de", "deu", "mod/core", formatHTML},
		{"{page}.html.{language}", "index.html.ru.utf8", "rus", "index", formatHTML},
		{"{page}.html.{language}", "index.html.ko.euc-kr", "kor", "index", formatHTML},
		{"{page}.html.{language}", "index.html.zh-cn.utf8", "zho_Hans", "index", formatHTML},
		{"{page}.txt.{language}", "readme.txt.fr", "fra", "readme", formatText},
		{"{page}.html.{language}", "logo.png", "", "logo.png", ""},
		{"{language}/{page}", "de/readme", "deu", "readme", ""},
		{"text/{language}/{page}", "text/de/readme.html", "deu", "readme.html", formatHTML},
	}
	for _, tt := range tests {
		l, err := layout.Parse(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		stated, page, _ := l.Read(tt.name)
		format, _ := Config{Format: formatAuto, Layout: tt.pattern}.formatOf(l, tt.name)
		if code := parseStated(stated); code != tt.language || page != tt.page || format != tt.format {
			t.Errorf("%s of %s: language %q, page %q, format %q; want %q, %q, %q", tt.pattern, tt.name, code, page, format, tt.language, tt.page, tt.format)
		}
	}
}

func TestParseDate(t *testing.T) {
	for date, want := range map[string]string{
		"2024-03-05T08:30:00Z": "2024-03-05T08:30:00Z", "2024-03-05T08:30:00.5+01:00": "2024-03-05T07:30:00.5Z", "2024-03-05T08:30:00+0100": "2024-03-05T07:30:00Z",
		"2024-03-05 08:30:00": "2024-03-05T08:30:00Z", "2024-03-05 08:30:00.25+00:00": "2024-03-05T08:30:00.25Z", "2024-03-05 08:30:00 UTC": "2024-03-05T08:30:00Z",
		"2024-03-05": "2024-03-05T00:00:00Z", "20240305": "2024-03-05T00:00:00Z", "2024-03": "2024-03-01T00:00:00Z", "2024": "2024-01-01T00:00:00Z",
		"Tue, 05 Mar 2024 08:30:00 GMT": "2024-03-05T08:30:00Z", "Tue, 05 Mar 2024 08:30:00 +0100": "2024-03-05T07:30:00Z",
		"1709627400": "2024-03-05T08:30:00Z", "1709627400250": "2024-03-05T08:30:00.25Z",
		"05.03.2024": "", "yesterday": "", "": "", "17": "", "1.5e9": "",
	} {
		got := ""
		if ms := parseDate(date); ms != 0 {
			got = time.UnixMilli(ms).UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", date, got, want)
		}
	}
}
