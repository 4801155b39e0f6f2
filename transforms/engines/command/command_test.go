package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// TestMain is also the program that translates, when it is started as such: with
// the troubles that its first text asks for.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_TRANSLATE") == "" {
		os.Exit(m.Run())
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 10<<20)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			os.Exit(2)
		}
		fmt.Println(play(r))
	}
}

// play answers a request, with trouble if a file says that its share is reached.
func play(r request) string {
	var translations []*string
	for _, text := range r.Texts {
		translated := enginetest.Translation(r.Target, text)
		translations = append(translations, &translated)
	}
	id := r.ID
	switch trouble := os.Getenv("TEST_TROUBLE"); {
	case trouble == "" || id%4 != 1:
	case len(r.Texts) == 1 && (trouble == "die" || trouble == "half" || trouble == "stall"):
		// A text that the program dies over twice is to blame.
	case trouble == "die":
		fmt.Fprintln(os.Stderr, "out of memory, with key", enginetest.Canary)
		os.Exit(3)
	case trouble == "half":
		fmt.Print(`{"id":`)
		os.Exit(0)
	case trouble == "stall":
		time.Sleep(time.Hour)
	case trouble == "stale":
		id--
	case trouble == "short":
		translations = translations[1:]
	case trouble == "twice":
		data, _ := json.Marshal(answer{ID: &id, Translations: translations})
		return string(data) + "\n" + string(data)
	case trouble == "noise":
		return "loading model... done"
	}
	if at := slices.IndexFunc(r.Texts, func(s string) bool { return strings.HasPrefix(s, "refuse ") }); at >= 0 {
		return `{"id":` + strconv.FormatInt(id, 10) + `,"error":"I do not like it, nor ` +
			strings.ReplaceAll(enginetest.Canary, `"`, `\"`) + `"}`
	}
	var reasons []string
	for i, text := range r.Texts {
		if strings.HasPrefix(text, "null ") {
			translations[i], reasons = nil, make([]string, len(r.Texts))
			reasons[i] = "unknown word"
		}
	}
	data, _ := json.Marshal(answer{ID: &id, Translations: translations, Errors: reasons})
	return string(data)
}

func open(t *testing.T, trouble string) *Engine {
	t.Helper()
	t.Setenv("TEST_TRANSLATE", "1")
	t.Setenv("TEST_TROUBLE", trouble)
	t.Setenv("TEST_KEY", enginetest.Canary)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := DefaultConfig("test-1", self)
	config.Limits.Items, config.SecretVariables = 10, []string{"TEST_KEY", "TEST_NO_KEY"}
	e, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// Every fourth request goes wrong, and the answers are those without trouble.
func TestTranslateThroughTroubles(t *testing.T) {
	for _, trouble := range []string{"", "die", "half", "stall", "stale", "short", "twice", "noise"} {
		t.Run(trouble, func(t *testing.T) {
			n := 200
			if trouble == "stall" {
				n = 40
			}
			enginetest.CheckThroughTroubles(t, open(t, trouble), undiced(enginetest.Texts(n)), enginetest.Texts(n))
		})
	}
}

// undiced are dice whose count of answers is right: the program has its own.
func undiced(texts []string) *enginetest.Dice {
	d := &enginetest.Dice{}
	d.Throw(texts)
	d.Answered(texts...)
	return d
}

func TestTranslateOneByOne(t *testing.T) {
	e := open(t, "")
	c, err := engines.NewCaller(e, enginetest.Quick())
	if err != nil {
		t.Fatal(err)
	}
	texts := enginetest.Texts(30)
	texts[7], texts[20], texts[21] = "refuse this", "null here", "refuse that"
	got, err := c.Translate(t.Context(), enginetest.Pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		if (i == 7 || i == 20 || i == 21) != (a.Err != nil) {
			t.Errorf("%q: %v", texts[i], a)
		}
		enginetest.CheckSecret(t, a.Err)
	}
	if !strings.Contains(got[20].Err.Error(), "unknown word") || !strings.Contains(got[7].Err.Error(), "do not like") {
		t.Errorf("errors %v, %v", got[7].Err, got[20].Err)
	}
}

func TestTranslateKeepsProgramAlive(t *testing.T) {
	e := open(t, "")
	first, err := e.pool.Get("", e.start)
	if err != nil {
		t.Fatal(err)
	}
	e.pool.Put("", first)
	for range 5 {
		if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); err != nil {
			t.Fatal(err)
		}
	}
	last, err := e.pool.Get("", e.start)
	if err != nil || last != first {
		t.Errorf("another program, error %v", err)
	}
	// One that dies while it waits is replaced.
	e.pool.Put("", first)
	first.Kill()
	if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); err != nil {
		t.Error(err)
	}
}

func TestTranslateEndsWithContext(t *testing.T) {
	e := open(t, "stall")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Translate(ctx, enginetest.Pair, []string{"text", "another"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestOpen(t *testing.T) {
	if _, err := Open(DefaultConfig("model", "no-such-program")); err == nil {
		t.Error("no error for a program that is absent")
	}
	if _, err := Open(DefaultConfig("", "sh")); err == nil {
		t.Error("no error without a model")
	}
	e, err := Open(DefaultConfig("model", "sh"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Supports(enginetest.Pair) != nil || !errors.Is(e.Supports(engines.Pair{Source: "deu", Target: "deu"}), engines.ErrUnsupported) {
		t.Error("other pairs than those of two languages")
	}
	if e.Close() != nil {
		t.Error("close")
	}
	if _, err := e.Translate(t.Context(), enginetest.Pair, []string{"text"}); err == nil {
		t.Error("no error after close")
	}
}

// Whatever a program writes, an answer has as many translations as texts, or an
// error of its own.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":1,"translations":["a",null],"errors":["","x"]}`))
	f.Add([]byte(`{"id":1,"error":"no"}`))
	f.Add([]byte(`{"id":1,"translations":["a"],"more":true}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := parse(line, request{ID: 1, Texts: []string{"a", "b"}}, 0)
		if err == nil && a.Error == "" && !a.More && (len(a.Translations) != 2 || len(a.Errors) != 0 && len(a.Errors) != 2) {
			t.Errorf("%q: %+v", line, a)
		}
	})
}
