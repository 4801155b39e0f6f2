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
	if err := os.WriteFile(file, []byte(" from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_KEY", "from-variable")
	t.Setenv("TEST_EMPTY", " ")
	t.Setenv("TEST_LINES", "two\nlines")
	for _, tt := range []struct{ variable, file, want string }{
		{"", "", ""}, {"TEST_KEY", "", "from-variable"}, {"", file, "from-file"}, {"TEST_KEY", file, "from-variable"}, {"TEST_EMPTY", file, "from-file"},
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
		s.Scrub("key "+enginetest.Canary+" is wrong"), s.Scrub(string(quoted)), s.Scrub(url.QueryEscape(enginetest.Canary)), s.Hide(fmt.Errorf("key %s: %w", enginetest.Canary, errors.New(enginetest.Canary))))
	if got := fmt.Sprint(s); got != "(secret)" {
		t.Errorf("it prints as %q", got)
	}
}

func TestCodes(t *testing.T) {
	codes := engines.Codes{"zho_Hans": "zh-CN", "nor": "no"}
	if unknown := codes.AddCodes("en", "de", "zh", "ar", "tl", "xx-nothing", "no"); len(unknown) != 1 || unknown[0] != "xx-nothing" {
		t.Errorf("unknown %v", unknown)
	}
	for code, want := range map[string]string{
		"eng": "en", "zho": "zh", "cmn": "zh", "zho_Hans": "zh-CN", "cmn_Hans": "zh-CN", "zho_Hant": "", "arb": "ar", "arz": "", "fil": "tl", "nob": "no", "nno": "",
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
		"engine": engines.Identity{Engine: "chat", Model: base.Model, Options: base.Options}.Key(p, "text"), "model": engines.Identity{Engine: base.Engine, Model: "x", Options: base.Options}.Key(p, "text"),
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
