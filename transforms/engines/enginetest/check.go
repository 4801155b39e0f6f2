package enginetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/engines"
)

// Canary is a secret that tests give to engines and look for in what these tell, as is
// its tail. No letter of the tail is a hexadecimal digit: addresses and hashes that tests
// print must not hold it by chance.
const (
	Canary     = `canary-key/+"` + CanaryTail
	CanaryTail = "wqzv"
)

// Pair is that of the tests.
var Pair = engines.Pair{Source: "eng", Target: "deu"}

// Texts are n different ones that are hard to carry.
func Texts(n int) []string {
	odd := []string{"plain", "1. a number", `"quotes" and \ slashes`, "äöü 中文 😀", "<b>tag</b> & &amp; {0} %s", "tail space ?",
		"3\tnot a tab"}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%d %s", i, strings.ReplaceAll(odd[i%len(odd)], "\t", " "))
	}
	return texts
}

// Quick is a configuration for servers on this machine.
func Quick() engines.Config {
	c := engines.DefaultConfig()
	c.Pause, c.MaxPause, c.Timeout, c.Attempts, c.Misfits = time.Millisecond, 10*time.Millisecond, 1500*time.Millisecond, 30, 30
	return c
}

// CheckThroughTroubles checks that the engine, whose server throws the dice, gives
// the translations that Translation makes in spite of all troubles of the dice,
// each of which occurs; that nothing is answered twice; and that what the faults
// tell has no Canary in it.
func CheckThroughTroubles(t testing.TB, e engines.Engine, d *Dice, texts []string) {
	t.Helper()
	var mutex sync.Mutex
	journal := map[string]int{}
	watched := &watching{Engine: e, t: t}
	c, err := engines.NewCaller(watched, Quick())
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Journalled(func(b engines.Batch) error {
		mutex.Lock()
		defer mutex.Unlock()
		for _, text := range b.Texts {
			journal[text]++
		}
		return nil
	}).Translate(t.Context(), Pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Answers(Pair, texts), got); diff != "" {
		t.Error(diff)
	}
	_, _, answered := d.Counts()
	for _, text := range texts {
		if answered[text] != 1 || journal[text] != 1 {
			t.Errorf("%q was answered %d times, and recorded %d times", text, answered[text], journal[text])
		}
	}
	for _, trouble := range d.Among {
		if d.Seen(trouble) == 0 {
			t.Errorf("%v was not tried: take another seed", trouble)
		}
	}
}

// watching looks at the errors of an engine.
type watching struct {
	engines.Engine
	t testing.TB
}

// CheckSecret checks that an error, an identity or an engine tells no Canary.
func CheckSecret(t testing.TB, told ...any) {
	t.Helper()
	for _, x := range told {
		for _, form := range []string{"%v", "%+v", "%#v", "%q"} {
			if text := fmt.Sprintf(form, x); strings.Contains(text, "canary") || strings.Contains(text, CanaryTail) {
				t.Errorf("the secret is in %s", text)
			}
		}
	}
}

// CheckLive translates a few texts by a real engine.
func CheckLive(t testing.TB, e engines.Engine, p engines.Pair) {
	t.Helper()
	if err := e.Supports(p); err != nil {
		t.Skipf("skipped: %v", err)
	}
	c, err := engines.NewCaller(e, engines.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The house is red.", "I have 27 books and two cats.", "Good morning"}
	answers, err := c.Translate(t.Context(), p, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Err != nil || a.Text == "" || a.Text == texts[i] {
			t.Errorf("%q became %q, error %v", texts[i], a.Text, a.Err)
		}
	}
	if len(answers) > 1 && !strings.Contains(answers[1].Text, "27") {
		t.Errorf("%q became %q", texts[1], answers[1].Text)
	}
	t.Logf("%s: %v", e.Name(), answers)
}
