package engines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func TestReadSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("\ufeff from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_KEY", "from-variable")
	t.Setenv("TEST_EMPTY", " ")
	t.Setenv("TEST_LINES", "two\nlines")
	for _, tt := range []struct{ variable, file, want string }{
		{"", "", ""}, {"TEST_KEY", "", "from-variable"}, {"", file, "from-file"}, {"TEST_KEY", file, "from-variable"},
		{"TEST_EMPTY", file, "from-file"},
	} {
		s, err := engines.ReadSecret(tt.variable, tt.file)
		if err != nil || s.Reveal() != tt.want || s.Empty() != (tt.want == "") {
			t.Errorf("%q, %q: %q, error %v", tt.variable, tt.file, s.Reveal(), err)
		}
	}
	for _, tt := range [][2]string{{"TEST_EMPTY", ""}, {"TEST_ABSENT", ""}, {"TEST_LINES", ""}, {"", file + ".absent"}, {"", t.TempDir()}} {
		if _, err := engines.ReadSecret(tt[0], tt[1]); err == nil || strings.Contains(err.Error(), "lines\n") {
			t.Errorf("%q: error %v", tt, err)
		}
	}
}

func TestSecretIsNotTold(t *testing.T) {
	t.Setenv("TEST_KEY", enginetest.Canary)
	s, err := engines.ReadSecret("TEST_KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		Open   engines.Secret
		hidden engines.Secret
		nested map[string]engines.Secret
	}
	encoded, err := json.Marshal(holder{Open: s})
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(enginetest.Canary)
	enginetest.CheckSecret(t, s, &s, holder{s, s, map[string]engines.Secret{"key": s}}, string(encoded), []engines.Secret{s},
		s.Scrub("key "+enginetest.Canary+" is wrong"), s.Scrub(string(quoted)), s.Scrub(url.QueryEscape(enginetest.Canary)),
		s.Hide(fmt.Errorf("key %s: %w", enginetest.Canary, errors.New(enginetest.Canary))))
	if got := fmt.Sprint(s); got != "(secret)" {
		t.Errorf("it prints as %q", got)
	}
}

// However a server escapes a key that it repeats, it is not told; texts that only
// look like it are.
func TestScrub(t *testing.T) {
	t.Setenv("TEST_KEY", `a&b/c"d<e'f\g h+ü`)
	s, err := engines.ReadSecret("TEST_KEY", "")
	if err != nil {
		t.Fatal(err)
	}
	for by, text := range map[string]string{
		"nobody":              `a&b/c"d<e'f\g h+ü`,
		"JSON":                `a&b/c\"d<e'f\\g h+ü`,
		"JSON of Go":          `a\u0026b/c\"d\u003ce'f\\g h+ü`,
		"JSON of PHP":         `a&b\/c\"d<e'f\\g h+\u00fc`,
		"JSON in capitals":    `a\u0026b\u002Fc\u0022d\u003Ce\u0027f\u005Cg\u0020h\u002B\u00FC`,
		"HTML of Go":          `a&amp;b/c&#34;d&lt;e&#39;f\g h+ü`,
		"HTML of Python":      `a&amp;b/c&quot;d&lt;e&#x27;f\g h+ü`,
		"HTML with zeros":     `a&#038;b&#x02F;c&quot;d&lt;e&#039;f\g h+&#252;`,
		"HTML in JSON":        `a&amp;b\/c&quot;d&lt;e&#39;f\\g h+ü`,
		"HTML in JSON of Go":  `a\u0026amp;b/c\u0026#34;d\u0026lt;e\u0026#39;f\\g h+ü`,
		"a query of a URL":    `a%26b%2Fc%22d%3Ce%27f%5Cg+h%2B%C3%BC`,
		"a path of a URL":     `a&b%2fc%22d%3ce%27f%5cg%20h+%c3%bc`,
		"nobody, in a phrase": `key a&b/c"d<e'f\g h+ü is wrong`,
	} {
		if got := s.Scrub(text); got != "(secret)" && got != "key (secret) is wrong" {
			t.Errorf("by %s: %s", by, got)
		}
	}
	for _, text := range []string{"", "a&b", `a&b/c"d<e'f\g h-ü`, "nothing of it"} {
		if got := s.Scrub(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestCodes(t *testing.T) {
	codes := engines.Codes{"zho_Hans": "zh-CN", "nor": "no"}
	if unknown := codes.AddCodes("en", "de", "zh", "ar", "tl", "xx-nothing", "no"); len(unknown) != 1 || unknown[0] != "xx-nothing" {
		t.Errorf("unknown %v", unknown)
	}
	for code, want := range map[string]string{
		"eng": "en", "zho": "zh", "cmn": "zh", "zho_Hans": "zh-CN", "cmn_Hans": "zh-CN", "zho_Hant": "", "arb": "ar", "arz": "",
		"fil": "tl", "nob": "no", "nno": "",
	} {
		if got, ok := codes.Find(code); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	if _, _, err := codes.Pair("engine", engines.Pair{Source: "ara", Target: "arb"}); !errors.Is(err, engines.ErrUnsupported) {
		t.Errorf("error %v for one language twice", err)
	}
}

func TestIdentity(t *testing.T) {
	p := engines.Pair{Source: "eng", Target: "deu"}
	base := engines.Identity{Engine: "google", Model: "general/nmt", Options: "{}"}
	keys := map[string]string{}
	for name, key := range map[string]string{
		"base": base.Key(p, "text"), "text": base.Key(p, "text."), "pair": base.Key(engines.Pair{Source: "deu", Target: "eng"}, "text"),
		"engine":  engines.Identity{Engine: "chat", Model: base.Model, Options: base.Options}.Key(p, "text"),
		"model":   engines.Identity{Engine: base.Engine, Model: "x", Options: base.Options}.Key(p, "text"),
		"options": engines.Identity{Engine: base.Engine, Model: base.Model, Options: "{} "}.Key(p, "text"),
	} {
		if other, ok := keys[key]; ok || len(key) != 32 {
			t.Errorf("%s has the key of %s, %q", name, other, key)
		}
		keys[key] = name
	}
	// xxh3-64 of nothing, as its authors' program xxhsum -H3 gives it.
	if got := (engines.Identity{}).OptionsXXH3(); got != "2d06800538d394c2" {
		t.Errorf("hash %s", got)
	}
}
