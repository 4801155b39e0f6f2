package engines_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// mortal is a program in memory that ends over some texts, or stops answering.
type mortal struct {
	enginetest.Faulty
	poison map[string]bool
	// tells: what came before the poison is answered, so that it is known.
	tells, hangs bool

	mutex  sync.Mutex
	deaths int
	asked  map[string]int
}

func (m *mortal) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i, text := range texts {
		if m.asked[text]++; !m.poison[text] && !m.poison["*"] {
			continue
		}
		m.deaths++
		err := error(errors.New("segmentation fault"))
		if m.hangs {
			<-ctx.Done()
			err = ctx.Err()
		}
		fault := &engines.Fault{Kind: engines.Crashed, First: m.tells, Err: err}
		if !m.tells {
			i = 0
		}
		return enginetest.Answers(p, texts[:i]), fault
	}
	return enginetest.Answers(p, texts), nil
}

func dying(items int, tells bool, poison ...string) *mortal {
	m := &mortal{Faulty: enginetest.Faulty{Limit: engines.Limits{Items: items}}, tells: tells, poison: map[string]bool{},
		asked: map[string]int{}}
	for _, text := range poison {
		m.poison[text] = true
	}
	return m
}

// A text over which a program ends costs it once where it is known, and once more for each
// request where it is not; no time passes, all others are answered, and the journal has it.
func TestPoisonIsSetApart(t *testing.T) {
	texts := numbered(100)
	poison := []string{texts[0], texts[13], texts[14], texts[15], texts[57], texts[99]}
	for _, tt := range []struct {
		name   string
		items  int
		tells  bool
		deaths int
	}{
		{"known", 20, true, 6}, {"known, one by one", 1, true, 6}, {"known, all at once", 100, true, 6},
		{"unknown", 20, false, 6 + 3}, {"unknown, one by one", 1, false, 6 + 6}, {"unknown, all at once", 100, false, 6 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := dying(tt.items, tt.tells, poison...)
				var mutex sync.Mutex
				journal := map[string]error{}
				start := time.Now()
				got, err := caller(t, m, nil).Journalled(func(b engines.Batch) error {
					mutex.Lock()
					defer mutex.Unlock()
					for i, text := range b.Texts {
						journal[text] = b.Answers[i].Err
					}
					return nil
				}).Translate(t.Context(), pair, texts)
				if err != nil {
					t.Fatal(err)
				}
				for i, a := range got {
					told, ok := journal[texts[i]]
					switch {
					case m.poison[texts[i]] && (engines.KindOf(a.Err) != engines.Crashed || engines.KindOf(told) != engines.Crashed ||
						!strings.Contains(a.Err.Error(), "segmentation fault")):
						t.Errorf("poison %d: %v, journal %v", i, a, told)
					case !m.poison[texts[i]] && a.Text != enginetest.Translation("deu", texts[i]), !ok:
						t.Errorf("text %d: %v, journal %v", i, a, ok)
					}
				}
				if m.deaths != tt.deaths {
					t.Errorf("the program ended %d times, want %d", m.deaths, tt.deaths)
				}
				if took := time.Since(start); took > 0 {
					t.Errorf("there were pauses of %v", took)
				}
			})
		})
	}
}

// A program that ends over every text is out of order: no text is to blame, and the
// error says what it said.
func TestProgramThatAlwaysEnds(t *testing.T) {
	for _, tells := range []bool{true, false} {
		for _, n := range []int{1, 100} {
			synctest.Test(t, func(t *testing.T) {
				m := dying(20, tells, "*")
				got, err := caller(t, m, func(c *engines.Config) { c.Parallel = 1 }).Journalled(func(b engines.Batch) error {
					t.Errorf("journal has %v", b)
					return nil
				}).Translate(t.Context(), pair, numbered(n))
				if err == nil || !strings.Contains(err.Error(), `ends over every text, even "Hello."`) ||
					!strings.Contains(err.Error(), "segmentation fault") || m.deaths > 4 {
					t.Errorf("%d deaths, error %v", m.deaths, err)
				}
				if !errors.Is(got[0].Err, engines.ErrNotSent) {
					t.Errorf("answer %v", got[0])
				}
			})
		}
	}
}

// A pair for which even the proof is poison is translated all the same, once something
// else has been.
func TestProofIsPoison(t *testing.T) {
	texts := numbered(40)
	m := dying(10, true, texts[12], "Hello.")
	got, err := caller(t, m, func(c *engines.Config) { c.Parallel = 1 }).Translate(t.Context(), pair, texts)
	if err != nil || got[12].Err == nil || got[39].Err != nil || m.deaths != 1 {
		t.Errorf("%d deaths, error %v", m.deaths, err)
	}
}

// A program that stops answering has the time of a request, and no more.
func TestPoisonHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		texts := numbered(40)
		m := dying(10, true, texts[3], texts[25])
		m.hangs = true
		start := time.Now()
		got, err := caller(t, m, func(c *engines.Config) { c.Parallel = 1 }).Translate(t.Context(), pair, texts)
		if took := time.Since(start); err != nil || engines.KindOf(got[3].Err) != engines.Crashed ||
			engines.KindOf(got[25].Err) != engines.Crashed || got[26].Err != nil || took > 2*time.Minute {
			t.Errorf("%v after %v, error %v", got[3], took, err)
		}
	})
}

// A program that was slow, and got on, is not blamed for its texts.
func TestSlowProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{asked: map[string]int{}}
		texts := numbered(100)
		got, err := caller(t, s, nil).Translate(t.Context(), pair, texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range got {
			if a.Err != nil || s.asked[texts[i]] > 2 {
				t.Errorf("text %d: %v, asked %d times", i, a.Err, s.asked[texts[i]])
			}
		}
	})
}

// slow answers a text in two seconds.
type slow struct {
	enginetest.Faulty
	mutex sync.Mutex
	asked map[string]int
}

func (s *slow) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	for i, text := range texts {
		s.mutex.Lock()
		s.asked[text]++
		s.mutex.Unlock()
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return enginetest.Answers(p, texts[:i]),
				&engines.Fault{Kind: engines.Crashed, Err: fmt.Errorf("no answer in its time: %w", ctx.Err())}
		}
	}
	return enginetest.Answers(p, texts), nil
}
