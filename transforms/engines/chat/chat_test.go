package chat

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

func open(t *testing.T, server string) *Engine {
	t.Helper()
	t.Setenv("TEST_KEY", enginetest.Canary)
	config := DefaultConfig(server+"/v1", "model-7b")
	config.KeyVariable, config.Limits.Items = "TEST_KEY", 10
	e, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestTranslateThroughTroubles(t *testing.T) {
	server := enginetest.Chat(t)
	server.Dice = enginetest.Dice{Seed: 3, Share: .35, Among: []enginetest.Trouble{
		enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short, enginetest.Long,
		enginetest.Reorder, enginetest.Duplicate,
	}}
	e := open(t, server.URL)
	enginetest.CheckThroughTroubles(t, e, &server.Dice, enginetest.Texts(500))
	identity, err := e.Identity(enginetest.Pair)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.CheckSecret(t, identity, e, e.config)
}

// An endpoint that does not take a parameter gets requests without it, or by its new
// name; what it has against all requests ends the work.
func TestParameters(t *testing.T) {
	unsupported := func(parameter string) string {
		return `{"error":{"message":"Unsupported value: it is not supported with this model.","type":"invalid_request_error","param":"` +
			parameter + `","code":"unsupported_value"}}`
	}
	for _, tt := range []struct {
		reason    string
		maxTokens int
		// refuse returns the body of a complaint about a request.
		refuse   func(body string) string
		requests int    // of 2 that are sent
		want     string // the error of both, if any
	}{
		{"takes all", 100, func(string) string { return "" }, 2, ""},
		{"takes no temperature", 0, func(body string) string {
			if strings.Contains(body, "temperature") {
				return unsupported("temperature")
			}
			return ""
		}, 3, ""},
		{"takes no temperature and no max_tokens", 100, func(body string) string {
			switch {
			case strings.Contains(body, `"max_tokens"`):
				return unsupported("max_tokens")
			case strings.Contains(body, "temperature"):
				return unsupported("temperature")
			case !strings.Contains(body, `"max_completion_tokens":100`):
				return unsupported("no bound")
			}
			return ""
		}, 4, ""},
		{"is behind a proxy", 0, func(body string) string {
			if strings.Contains(body, "temperature") {
				return `{"error":{"message":"litellm.BadRequestError: Unsupported value: 'temperature' does not support 0.0 with this model","type":null,"param":null,"code":"400"}}`
			}
			return ""
		}, 3, ""},
		{"finds it too much", 100, func(body string) string {
			if !strings.Contains(body, `"max_tokens":100`) {
				return unsupported("another name")
			}
			return `{"error":{"message":"'max_tokens' is too large","param":"max_tokens","code":"missing_room"}}`
		}, 2, "too large"},
		{"has no such model", 0, func(string) string {
			return `{"error":{"message":"no such model","param":null,"code":"model_not_found"}}`
		}, 2, "no such model"},
		{"takes no max_tokens by any name", 100, func(body string) string {
			if strings.Contains(body, "max_completion_tokens") {
				return unsupported("max_completion_tokens")
			}
			return unsupported("max_tokens")
		}, 3, "not supported"},
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			body, _ := io.ReadAll(r.Body)
			if complaint := tt.refuse(string(body)); complaint != "" {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, complaint)
				return
			}
			fmt.Fprint(w, `{"choices":[{"message":{"content":"1\tHallo"},"finish_reason":"stop"}]}`)
		}))
		config := DefaultConfig(server.URL, "model-7b")
		config.MaxTokens = tt.maxTokens
		e, err := Open(config)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			answers, err := e.Translate(t.Context(), enginetest.Pair, []string{"hello"})
			if (err == nil) != (tt.want == "") || err == nil && answers[0].Text != "Hallo" || err != nil &&
				(!strings.Contains(err.Error(), tt.want) || engines.KindOf(err) != engines.Fatal) {
				t.Errorf("%s: answers %v, error %v", tt.reason, answers, err)
			}
		}
		if requests != tt.requests {
			t.Errorf("%s: %d requests, want %d", tt.reason, requests, tt.requests)
		}
		server.Close()
	}
}

func TestIdentity(t *testing.T) {
	identity := func(change func(*Config)) engines.Identity {
		config := DefaultConfig("http://localhost", "model-7b")
		change(&config)
		e, err := Open(config)
		if err != nil {
			t.Fatal(err)
		}
		i, err := e.Identity(enginetest.Pair)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	plain := identity(func(*Config) {})
	for name, i := range map[string]engines.Identity{
		"model":        identity(func(c *Config) { c.Model = "model-8b" }),
		"instructions": identity(func(c *Config) { c.Instructions = "Be formal." }),
	} {
		if i.Key(enginetest.Pair, "text") == plain.Key(enginetest.Pair, "text") {
			t.Errorf("the identity does not tell another %s", name)
		}
	}
	if other := identity(func(c *Config) { c.Server = "http://elsewhere"; c.PerMillion = 1; c.Limits.Items = 3 }); other != plain {
		t.Errorf("identity %v: want %v, the same for another server", other, plain)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		texts, content string // texts joined by |
		want           string // translations joined by |, or the reason
	}{
		{"hello|world", "1\tHallo\n2\tWelt", "Hallo|Welt"},
		{"hello|world", "2\tWelt\n1\tHallo", "Hallo|Welt"},
		{"hello|world|tom", "1. Hallo\n\n2: Welt\n3) Tom\n", "Hallo|Welt|Tom"},
		{"1. place|2", "1\t1. Platz\n2\t2", "1. Platz|2"},
		{"hello", "```\n1\tHallo\n```", "Hallo"},
		{"hello", "<think>1\tno\n2\tno</think>\n1\tHallo", "Hallo"},
		{"-|world", "1\t\n2\tWelt", "|Welt"},
		{"a|b|c|d|e|f|g|h|i", "10\tx", "the answer has a line 10 of 9"},
		{"a", "0\tx", "the answer has a line 0 of 1"},
		{"a|b", "1\tHallo", "the answer has 1 lines of 2"},
		{"a|b", "1\tHallo\n1\tWelt", "the answer has line 1 twice"},
		{"a", "Here you are:\n1\tHallo", "a line of the answer has no number"},
		{"a|b", "1\tHallo\nWelt", "a line of the answer has no number"},
		{"a", "99999999999999999999\tx", "a line of the answer has no number"},
		{"a|b|c", "3D is nice", "a line of the answer has no number"},
		{"a", "<think>let me see", "the answer ends within the model's thoughts"},
		{"a", "", "the answer has 0 lines of 1"},
		// A number may be the text's own.
		{"1 dog barks", "1 perro ladra", "line 1 of the answer begins with a number that may be the text's own"},
		{"1 dog barks", "1\t1 perro ladra", "1 perro ladra"},
		{"1 dog barks", "1\\t1 perro ladra", "1 perro ladra"},
		{"1. First steps", "1. Primeros pasos", "line 1 of the answer begins with a number that may be the text's own"},
		{"1", "1", "line 1 of the answer begins with a number that may be the text's own"},
		{"2 dogs|a cat", "2 perros\n1 un gato", "line 2 of the answer begins with a number that may be the text's own"},
		{"2 dogs|a cat", "1 2 perros\n2\tun gato", "2 perros|un gato"},
		{"١ كلب", "1 dog", "line 1 of the answer begins with a number that may be the text's own"},
		{"10 dogs", "1 10 perros", "10 perros"},
	} {
		got, err := parse(tt.content, strings.Split(tt.texts, "|"))
		text := strings.Join(got, "|")
		if err != nil {
			text = err.Error()
		}
		if text != tt.want {
			t.Errorf("%q of %q: %q, want %q", tt.content, tt.texts, text, tt.want)
		}
	}
}

// What a faithful model would answer to numbered texts is read as those texts.
func FuzzNumbering(f *testing.F) {
	f.Add("Hallo", "1\tx\u2028y", "\n2. ")
	f.Add("0", "3", " ") // the last line ends in its tab
	f.Fuzz(func(t *testing.T, a, b, c string) {
		texts := []string{strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""), strings.ToValidUTF8(c, "")}
		got, err := parse(number(texts), texts)
		if err != nil {
			t.Fatalf("%q: %v", number(texts), err)
		}
		for i, text := range texts {
			if want := strings.TrimSpace(flat(text)); got[i] != want {
				t.Errorf("%q: %q", want, got[i])
			}
		}
		// Whatever the model writes, there are as many texts as asked for, or none.
		if got, err := parse(a+"\n"+b, texts[:2]); err == nil &&
			(len(got) != 2 || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "\n") })) {
			t.Errorf("%q: %q", a+"\n"+b, got)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var lines []string
	texts := slices.Repeat([]string{"a sentence"}, 20)
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("%d\t%s", i+1, strings.Repeat("Ein Satz. ", 10)))
	}
	content := strings.Join(lines, "\n")
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := parse(content, texts); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLive translates by the endpoint at SENTWEAVE_CHAT, with the model that
// SENTWEAVE_CHAT_MODEL names and the key in SENTWEAVE_CHAT_KEY if there is one.
func TestLive(t *testing.T) {
	server, model := os.Getenv("SENTWEAVE_CHAT"), os.Getenv("SENTWEAVE_CHAT_MODEL")
	if server == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_CHAT and SENTWEAVE_CHAT_MODEL name no endpoint and model")
	}
	config := DefaultConfig(server, model)
	if os.Getenv("SENTWEAVE_CHAT_KEY") != "" {
		config.KeyVariable = "SENTWEAVE_CHAT_KEY"
	}
	e, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enginetest.CheckLive(t, e, engines.Pair{Source: "eng", Target: "spa"})
}
