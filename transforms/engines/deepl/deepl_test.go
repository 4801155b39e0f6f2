package deepl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// open opens the engine for a server, with a configuration that is changed.
func open(t *testing.T, server *enginetest.DeepLServer, change func(*Config)) (*Engine, error) {
	t.Helper()
	t.Setenv("TEST_KEY", server.Key)
	config := Config{Server: server.URL, KeyVariable: "TEST_KEY"}
	if change != nil {
		change(&config)
	}
	e, err := Open(t.Context(), config)
	if err == nil {
		t.Cleanup(func() { e.Close() })
	}
	return e, err
}

func TestTranslateThroughTroubles(t *testing.T) {
	server := enginetest.DeepL(t)
	server.Dice = enginetest.Dice{Seed: 2, Share: .4, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short, enginetest.Long,
	}}
	e, err := open(t, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.CheckThroughTroubles(t, e, &server.Dice, enginetest.Texts(1500))
	identity, err := e.Identity(enginetest.Pair)
	if err != nil || identity.Model != "default" || identity.Options != `{"formality":"","glossary":"","target":"DE"}` {
		t.Errorf("%+v, error %v", identity, err)
	}
	enginetest.CheckSecret(t, identity, *e, e, e.config)
}

func TestPairs(t *testing.T) {
	for _, tt := range []struct {
		change         func(*Config)
		pair           engines.Pair
		source, target string // or neither, where it is not supported
	}{
		{nil, engines.Pair{Source: "eng", Target: "deu"}, "EN", "DE"},
		{nil, engines.Pair{Source: "deu", Target: "eng"}, "DE", "EN-US"},
		{nil, engines.Pair{Source: "eng", Target: "por"}, "EN", "PT-BR"},
		{nil, engines.Pair{Source: "por", Target: "spa"}, "PT", "ES"},
		{nil, engines.Pair{Source: "eng", Target: "zho"}, "EN", "ZH-HANS"},
		{nil, engines.Pair{Source: "eng", Target: "cmn_Hant"}, "EN", "ZH-HANT"},
		{nil, engines.Pair{Source: "zho_Hant", Target: "eng"}, "ZH", "EN-US"},
		{nil, engines.Pair{Source: "eng", Target: "nor"}, "EN", "NB"},
		{nil, engines.Pair{Source: "zho_Hans", Target: "zho_Hant"}, "", ""},
		{nil, engines.Pair{Source: "eng", Target: "swa"}, "", ""},
		{nil, engines.Pair{Source: "swa", Target: "eng"}, "", ""},
		{nil, engines.Pair{Source: "en", Target: "deu"}, "", ""},
		{func(c *Config) { c.Codes = map[string]string{"en": "en-gb", "spa": "ES-419"} }, engines.Pair{Source: "deu", Target: "eng"}, "DE",
			"EN-GB"},
		{func(c *Config) { c.Codes = map[string]string{"en": "en-gb", "spa": "ES-419"} }, engines.Pair{Source: "deu", Target: "spa"}, "DE",
			"ES-419"},
		{func(c *Config) { c.Formality = "less" }, engines.Pair{Source: "eng", Target: "deu"}, "EN", "DE"},
		{func(c *Config) { c.Formality = "less" }, engines.Pair{Source: "deu", Target: "eng"}, "", ""},
		{func(c *Config) { c.Formality = "prefer_less" }, engines.Pair{Source: "deu", Target: "eng"}, "DE", "EN-US"},
	} {
		e, err := open(t, enginetest.DeepL(t), tt.change)
		if err != nil {
			t.Fatal(err)
		}
		source, target, err := e.pair(tt.pair)
		if (tt.source == "") != errors.Is(err, engines.ErrUnsupported) || err == nil && (source != tt.source || target != tt.target) {
			t.Errorf("%v with %+v: %q to %q, error %v", tt.pair, e.config, source, target, err)
		}
	}
	if _, err := open(t, enginetest.DeepL(t), func(c *Config) { c.Codes = map[string]string{"eng": "EN-AU"} }); err == nil ||
		!strings.Contains(err.Error(), `no target language "EN-AU"`) {
		t.Errorf("error %v", err)
	}
	if unknown := (engines.Codes{}).AddCodes(strings.Fields(documented)...); unknown != nil {
		t.Errorf("documented codes %v are of no language here", unknown)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		config Config
		want   string // in the faults; none
	}{
		{Config{}, ""}, {Config{Codes: map[string]string{"en": "EN-GB", "pt": "PT-PT"}, PerMillion: 3}, ""},
		{Config{Codes: map[string]string{"xx-none": "EN", "yy-none": "DE"}}, "yy-none"},
		{Config{Codes: map[string]string{"en": "EN-GB", "eng": "EN-US"}}, "eng has two varieties, EN-GB and EN-US"},
		{Config{PerMillion: -1}, "deepl-price is -1"},
	} {
		if err := tt.config.Describe().Faults; (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.config, err)
		}
	}
}

// What the API answers decides what is done about it.
func TestComplaints(t *testing.T) {
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `[{"language":"EN"},{"language":"DE"}]`)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, `{"message":"what it says"}`)
	}))
	defer server.Close()
	t.Setenv("TEST_KEY", enginetest.Canary)
	e, err := Open(t.Context(), Config{Server: server.URL, KeyVariable: "TEST_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		status int
		want   engines.Kind
		says   string
	}{
		{400, engines.Refused, "what it says"}, {403, engines.Fatal, "DeepL does not take the key"}, {404, engines.Fatal, "what it says"},
		{413, engines.Refused, "what it says"},
		{429, engines.Throttled, "what it says"}, {456, engines.Fatal, "what it says: the quota is used up; raise it"},
		{500, engines.Failed, "what it says"}, {503, engines.Unavailable, "what it says"}, {504, engines.Unavailable, ""},
		{529, engines.Throttled, ""},
	} {
		status = tt.status
		if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); engines.KindOf(err) != tt.want ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%d: %v, error %v", tt.status, engines.KindOf(err), err)
		}
	}
}

// A request that JSON makes too large comes in two; a quota that is used up ends the work,
// and what was answered stands.
func TestLimits(t *testing.T) {
	server := enginetest.DeepL(t)
	e, err := open(t, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := engines.NewCaller(e, enginetest.Quick())
	if err != nil {
		t.Fatal(err)
	}
	large := make([]string, 60) // each < is six bytes of JSON
	for i := range large {
		large[i] = fmt.Sprint(i, strings.Repeat("<", 1900))
	}
	answers, err := c.Translate(t.Context(), enginetest.Pair, large)
	if diff := cmp.Diff(enginetest.Answers(enginetest.Pair, large), answers); diff != "" || err != nil {
		t.Errorf("%s, error %v", diff, err)
	}
	for _, sent := range server.Sent() {
		if n := len(sent.Body["text"].([]any)); n > mostTexts/2 {
			t.Errorf("a request of %d such texts was taken", n)
		}
	}
	const each = 100
	server.Quota = 60*1902 + 50 + 10*each // the room of some texts more
	texts := make([]string, 20)
	for i := range texts {
		texts[i] = fmt.Sprintf("%0*d", each, i)
	}
	config := enginetest.Quick()
	config.Parallel, config.Limits.Items = 1, 5
	if c, err = engines.NewCaller(e, config); err != nil {
		t.Fatal(err)
	}
	answers, err = c.Translate(t.Context(), enginetest.Pair, texts)
	if err == nil || !strings.Contains(err.Error(), "the quota is used up") {
		t.Errorf("error %v", err)
	}
	for i, a := range answers {
		if want := i < 10; want != (a.Err == nil) || !want && !errors.Is(a.Err, engines.ErrNotSent) {
			t.Errorf("text %d: %v", i, a)
		}
	}
}

// Plan, price and quota go by the key; an estimate needs none.
func TestPlans(t *testing.T) {
	t.Setenv("TEST_KEY", "")
	for _, tt := range []struct {
		key     string
		price   float64
		want    float64
		address string
	}{{"k-1", 0, pricePro, pro}, {"k-1:fx", 0, 0, free}, {"k-1:fx", 7, 7, free}, {"k-1", 7, 7, pro}} {
		server := enginetest.DeepL(t)
		server.Key = tt.key
		e, err := open(t, server, func(c *Config) { c.PerMillion = tt.price })
		if err != nil {
			t.Fatal(err)
		}
		if e.Price() != tt.want || address(e.key) != tt.address {
			t.Errorf("key %s: price %v at %s", tt.key, e.Price(), address(e.key))
		}
		if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"four"}); err != nil {
			t.Error(err)
		}
		if got := e.Quota(t.Context()); got != "499996 of 500000 characters are left this month" {
			t.Error(got)
		}
	}
	t.Setenv("TEST_KEY", "")
	for _, estimate := range []bool{true, false} {
		call := enginetest.Quick()
		call.Estimate = estimate
		e, err := Config{KeyVariable: "TEST_KEY"}.Open(t.Context(), call)
		if !estimate {
			if err == nil || !strings.Contains(err.Error(), "TEST_KEY is not set") {
				t.Errorf("without a key: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Price() != pricePro || e.Supports(engines.Pair{Source: "zho_Hant", Target: "eng"}) != nil ||
			e.Supports(engines.Pair{Source: "eng", Target: "vol"}) == nil {
			t.Errorf("price %v", e.Price())
		}
		if quota := e.(engines.Metered).Quota(t.Context()); !strings.Contains(quota, "without a key") {
			t.Error(quota)
		}
		if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); err == nil || e.Close() != nil {
			t.Errorf("it translates: %v", err)
		}
	}
}

func TestSecretIsNotTold(t *testing.T) {
	server := enginetest.DeepL(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("wrong-"+enginetest.CanaryTail+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, server, func(c *Config) { c.KeyFile = file }) // which goes before the variable
	if err == nil || !strings.Contains(err.Error(), "403") || !strings.Contains(err.Error(), "DeepL does not take the key") {
		t.Errorf("error %v", err)
	}
	enginetest.CheckSecret(t, err)
	if err := os.WriteFile(file, []byte(server.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, server, func(c *Config) { c.KeyVariable, c.KeyFile = "", file }); err != nil {
		t.Error(err)
	}
	if _, err := open(t, server, func(c *Config) { c.KeyVariable = "" }); err == nil || !strings.Contains(err.Error(), "there is no key") {
		t.Errorf("error %v", err)
	}
}

func FuzzAnswers(f *testing.F) {
	file := filepath.Join(f.TempDir(), "key")
	if err := os.WriteFile(file, []byte(enginetest.Canary), 0o600); err != nil {
		f.Fatal(err)
	}
	languages := []byte(`[{"language":"EN","name":"English"},{"language":"DE","name":"German","supports_formality":true}]`)
	f.Add(languages, []byte(`{"translations":[{"detected_source_language":"EN","text":"eins"},{"text":"2 &amp; <b>"}]}`), uint16(0))
	f.Add(languages, []byte(`{"translations":[{"text":null},null]}`), uint16(0))
	f.Add(languages, []byte(`{"message":"Quota exceeded"}`), uint16(256))
	f.Add([]byte(`[{"language":"ZH-HANT"},{"language":"x"},null]`), []byte(`<html>`), uint16(302))
	enginetest.FuzzAnswers(f, func(ctx context.Context, server string) (engines.Engine, error) {
		return Open(ctx, Config{Server: server, KeyFile: file})
	})
}

// TestLive translates by the account whose key is in SENTWEAVE_DEEPL_KEY, at the address
// in SENTWEAVE_DEEPL if there is one.
func TestLive(t *testing.T) {
	if os.Getenv("SENTWEAVE_DEEPL_KEY") == "" {
		t.Skip("skipped: SENTWEAVE_DEEPL_KEY holds no key")
	}
	e, err := Open(t.Context(), Config{Server: os.Getenv("SENTWEAVE_DEEPL"), KeyVariable: "SENTWEAVE_DEEPL_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	t.Log(e.Quota(t.Context()), slices.Sorted(func(yield func(string) bool) {
		for ours := range e.targets {
			if !yield(ours) {
				return
			}
		}
	}))
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
