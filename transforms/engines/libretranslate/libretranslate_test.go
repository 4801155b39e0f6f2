package libretranslate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func open(t *testing.T, server string) *Engine {
	t.Helper()
	t.Setenv("TEST_KEY", enginetest.Canary)
	config := DefaultConfig(server)
	config.KeyVariable, config.Limits.Items = "TEST_KEY", 10
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestTranslateThroughTroubles(t *testing.T) {
	server := enginetest.LibreTranslate(t)
	server.Dice = enginetest.Dice{Seed: 5, Share: .3, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short, enginetest.Long,
	}}
	enginetest.CheckThroughTroubles(t, open(t, server.URL), &server.Dice, enginetest.Texts(400))
}

func TestSupports(t *testing.T) {
	e := open(t, enginetest.LibreTranslate(t).URL)
	for _, tt := range []struct {
		pair           engines.Pair
		source, target string
	}{
		{engines.Pair{Source: "eng", Target: "zho_Hant"}, "en", "zh-Hant"}, {engines.Pair{Source: "eng", Target: "zho"}, "en", "zh-Hans"},
		{engines.Pair{Source: "cmn_Hans", Target: "deu"}, "zh-Hans", "de"}, {engines.Pair{Source: "por", Target: "eng"}, "pt-BR", "en"},
		{engines.Pair{Source: "por", Target: "deu"}, "", ""}, {engines.Pair{Source: "eng", Target: "spa"}, "", ""},
		{engines.Pair{Source: "zho", Target: "zho_Hans"}, "", ""},
	} {
		source, target, err := e.pair(tt.pair)
		if (tt.source == "") != errors.Is(err, engines.ErrUnsupported) || err == nil && (source != tt.source || target != tt.target) {
			t.Errorf("%v: %q to %q, error %v", tt.pair, source, target, err)
		}
	}
}

func TestSecretIsNotTold(t *testing.T) {
	e := open(t, enginetest.LibreTranslate(t).URL)
	identity, err := e.Identity(enginetest.Pair)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.CheckSecret(t, identity, *e, e, e.config)
	t.Setenv("TEST_KEY", "wrong-"+enginetest.CanaryTail)
	wrong := DefaultConfig(enginetest.LibreTranslate(t).URL)
	wrong.KeyVariable = "TEST_KEY"
	e, err = Open(t.Context(), wrong)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Translate(t.Context(), enginetest.Pair, []string{"text"})
	if engines.KindOf(err) != engines.Fatal {
		t.Errorf("error %v", err)
	}
}

// reserved counts what a budget is asked for.
type reserved struct{ characters atomic.Int64 }

func (r *reserved) Reserve(n int64) error { r.characters.Add(n); return nil }
func (r *reserved) Refund(n int64)        { r.characters.Add(-n) }

// A budget is asked for what is sent.
func TestCharacters(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Q []string }
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`)
		} else if json.NewDecoder(r.Body).Decode(&body) == nil {
			sent += utf8.RuneCountInString(strings.Join(body.Q, ""))
			_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": body.Q})
		}
	}))
	defer server.Close()
	budget, config := &reserved{}, engines.DefaultConfig()
	config.Budget, config.Parallel, config.Limits.Items = budget, 1, 2
	e := open(t, server.URL)
	c, err := engines.NewCaller(e, config)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"&lt;b&gt; &quot;1&quot; &amp; mehr", "AT&T", "é", "&amp;"}
	if _, err := c.Translate(t.Context(), enginetest.Pair, texts); err != nil || int64(sent) != budget.characters.Load() ||
		sent != 34+5*4+4+1+9 {
		t.Errorf("%d characters were sent, %d of the budget, error %v", sent, budget.characters.Load(), err)
	}
	if _, characters, _ := c.Requests(texts); characters != int64(sent) {
		t.Errorf("an estimate of %d characters, %d were sent", characters, sent)
	}
}

// What it says in the place of translations may have the key in it.
func TestSecretInAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "the quota of " + enginetest.Canary + " is used up"})
	}))
	defer server.Close()
	_, err := open(t, server.URL).Translate(t.Context(), enginetest.Pair, []string{"text"})
	if err == nil || !strings.Contains(err.Error(), "is used up") {
		t.Errorf("error %v", err)
	}
	enginetest.CheckSecret(t, err)
}

// What the server says with the status of a bad request is about the text, or about
// all requests.
func TestComplaints(t *testing.T) {
	for _, tt := range []struct {
		status int
		says   string
		want   engines.Kind
	}{
		{400, "Visit https://portal.example to get an API key", engines.Fatal},
		{400, "Please contact the server operator to get an API key", engines.Fatal},
		{403, "Invalid API key", engines.Fatal},
		{403, "Too many request limits violations", engines.Fatal},
		{429, "Slowdown: 80 per 1 minute", engines.Throttled},
		{400, "Invalid request: request (600) exceeds text limit (500)", engines.Refused},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /languages", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`)
		})
		mux.HandleFunc("POST /translate", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			fmt.Fprintf(w, `{"error":%q}`, tt.says)
		})
		server := httptest.NewServer(mux)
		e, err := Open(t.Context(), DefaultConfig(server.URL))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); engines.KindOf(err) != tt.want ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, error %v", tt.says, engines.KindOf(err), err)
		}
		server.Close()
	}
}

// The server takes what it has for HTML; texts come through as they are.
func TestReferences(t *testing.T) {
	server := enginetest.LibreTranslate(t)
	texts := []string{"&lt;b&gt; makes text bold", "AT&T", "&amp;", "&amp;amp;lt;", "a & b &copy it", "&#39;&#x1F600;", "<b>&nbsp;</b>",
		"100 &percent"}
	answers, err := open(t, server.URL).Translate(t.Context(), enginetest.Pair, texts)
	if diff := cmp.Diff(enginetest.Answers(enginetest.Pair, texts), answers); diff != "" || err != nil {
		t.Errorf("%s, error %v", diff, err)
	}
	// What the server has nothing to translate in comes back as it was sent.
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Q []string }
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `[{"code":"en","targets":["de"]},{"code":"de","targets":["en"]}]`)
		} else if json.NewDecoder(r.Body).Decode(&body) == nil {
			_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": body.Q})
		}
	}))
	defer echo.Close()
	answers, err = open(t, echo.URL).Translate(t.Context(), enginetest.Pair, []string{"&#39; &amp;"})
	if err != nil || answers[0].Text != "&#39; &amp;" {
		t.Errorf("answers %v, error %v", answers, err)
	}
}

// TestLive translates by the server at SENTWEAVE_LIBRETRANSLATE, with the key in
// SENTWEAVE_LIBRETRANSLATE_KEY if there is one.
func TestLive(t *testing.T) {
	server := os.Getenv("SENTWEAVE_LIBRETRANSLATE")
	if server == "" {
		t.Skip("skipped: SENTWEAVE_LIBRETRANSLATE names no server")
	}
	config := DefaultConfig(server)
	if os.Getenv("SENTWEAVE_LIBRETRANSLATE_KEY") != "" {
		config.KeyVariable = "SENTWEAVE_LIBRETRANSLATE_KEY"
	}
	e, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
