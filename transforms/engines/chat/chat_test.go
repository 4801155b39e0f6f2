package chat

import (
	"fmt"
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
	enginetest.CheckSecret(t, identity, *e, e, e.config)
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
		"model": identity(func(c *Config) { c.Model = "model-8b" }), "instructions": identity(func(c *Config) { c.Instructions = "Be formal." }),
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
		content string
		n       int
		want    string // translations joined by |, or the reason
	}{
		{"1\tHallo\n2\tWelt", 2, "Hallo|Welt"},
		{"2\tWelt\n1\tHallo", 2, "Hallo|Welt"},
		{"1. Hallo\n\n2: Welt\n3) Tom\n", 3, "Hallo|Welt|Tom"},
		{"1\t1. Platz\n2\t2", 2, "1. Platz|2"},
		{"```\n1\tHallo\n```", 1, "Hallo"},
		{"<think>1\tno\n2\tno</think>\n1\tHallo", 1, "Hallo"},
		{"1\t\n2\tWelt", 2, "|Welt"},
		{"10\tx", 9, "the answer has a line 10 of 9"},
		{"0\tx", 1, "the answer has a line 0 of 1"},
		{"1\tHallo", 2, "the answer has 1 lines of 2"},
		{"1\tHallo\n1\tWelt", 2, "the answer has line 1 twice"},
		{"Here you are:\n1\tHallo", 1, "a line of the answer has no number"},
		{"1\tHallo\nWelt", 2, "a line of the answer has no number"},
		{"99999999999999999999\tx", 1, "a line of the answer has no number"},
		{"3D is nice", 3, "a line of the answer has no number"},
		{"<think>let me see", 1, "the answer ends within the model's thoughts"},
		{"", 1, "a line of the answer has no number"},
	} {
		got, err := parse(tt.content, tt.n)
		text := strings.Join(got, "|")
		if err != nil {
			text = err.Error()
		}
		if tt.content == "" {
			tt.want = "the answer has 0 lines of 1"
		}
		if text != tt.want {
			t.Errorf("%q: %q, want %q", tt.content, text, tt.want)
		}
	}
}

// What a faithful model would answer to numbered texts is read as those texts.
func FuzzNumbering(f *testing.F) {
	f.Add("Hallo", "1\tx\u2028y", "\n2. ")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		texts := []string{strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""), strings.ToValidUTF8(c, "")}
		got, err := parse(number(texts), 3)
		if err != nil {
			t.Fatalf("%q: %v", number(texts), err)
		}
		for i, text := range texts {
			if want := strings.TrimSpace(flat(text)); got[i] != want {
				t.Errorf("%q: %q", want, got[i])
			}
		}
		// Whatever the model writes, there are as many texts as asked for, or none.
		if got, err := parse(a+"\n"+b, 2); err == nil && (len(got) != 2 || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "\n") })) {
			t.Errorf("%q: %q", a+"\n"+b, got)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("%d\t%s", i+1, strings.Repeat("Ein Satz. ", 10)))
	}
	content := strings.Join(lines, "\n")
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := parse(content, 20); err != nil {
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
