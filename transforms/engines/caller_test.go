package engines_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

var pair = engines.Pair{Source: "eng", Target: "deu"}

func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d %s", i, strings.Repeat("x", i%7))
	}
	return texts
}

func caller(t *testing.T, e engines.Engine, change func(*engines.Config)) *engines.Caller {
	t.Helper()
	config := engines.DefaultConfig()
	if change != nil {
		change(&config)
	}
	c, err := engines.NewCaller(e, config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A third of the requests go wrong in every way that a protocol shows, and yet the
// answers are those without trouble, and nothing is answered twice.
func TestTranslateThroughTroubles(t *testing.T) {
	texts := numbered(1000)
	for parallel := range 5 {
		for _, seed := range []uint64{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				f := &enginetest.Faulty{Delay: time.Second / 10, Limit: engines.Limits{Items: 16, Characters: 300}}
				f.Dice = enginetest.Dice{Seed: seed, Share: .3, Among: []enginetest.Trouble{
					enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall, enginetest.Truncate, enginetest.Short,
					enginetest.Long,
				}}
				journal := map[string]int{}
				var mutex sync.Mutex
				c := caller(t, f, func(c *engines.Config) {
					c.Parallel, c.Attempts, c.Misfits = parallel+1, 30, 30
				}).Journalled(func(b engines.Batch) error {
					mutex.Lock()
					defer mutex.Unlock()
					for i, text := range b.Texts {
						journal[text]++
						if texts[b.Indices[i]] != text || b.Answers[i].Text != enginetest.Translation("deu", text) {
							t.Errorf("journal has %q for text %d", b.Answers[i].Text, b.Indices[i])
						}
					}
					return nil
				})
				got, err := c.Translate(t.Context(), pair, texts)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(enginetest.Answers(pair, texts), got); diff != "" {
					t.Error(diff)
				}
				_, _, answered := f.Dice.Counts()
				for _, text := range texts {
					if answered[text] != 1 || journal[text] != 1 {
						t.Errorf("%q was answered %d times, and recorded %d times", text, answered[text], journal[text])
					}
				}
				for _, trouble := range f.Dice.Among {
					if f.Dice.Seen(trouble) == 0 {
						t.Errorf("%v was not tried", trouble)
					}
				}
				if f.Most() > parallel+1 {
					t.Errorf("%d requests at once", f.Most())
				}
			})
		}
	}
}

// What is refused is cut down to the culprits; the others are translated once.
func TestTranslateFindsCulprits(t *testing.T) {
	texts := numbered(200)
	culprits := []int{0, 63, 64, 150, 199}
	f := &enginetest.Faulty{Limit: engines.Limits{Items: 64}, Refuse: func(text string) bool {
		return slices.ContainsFunc(culprits, func(i int) bool { return texts[i] == text })
	}}
	got, err := caller(t, f, nil).Translate(t.Context(), pair, texts)
	if err != nil {
		t.Fatal(err)
	}
	_, _, answered := f.Dice.Counts()
	for i, a := range got {
		if want := slices.Contains(culprits, i); want != (a.Err != nil) {
			t.Errorf("text %d: %v", i, a)
		} else if want && engines.KindOf(a.Err) != engines.Refused {
			t.Errorf("text %d: %v", i, a.Err)
		} else if !want && answered[texts[i]] != 1 {
			t.Errorf("text %d was answered %d times", i, answered[texts[i]])
		}
	}
	if requests, _, _ := f.Dice.Counts(); requests > 4+len(culprits)*2*7 {
		t.Errorf("%d requests to find %d culprits", requests, len(culprits))
	}
}

// A text over which the engine breaks down each time is given up; the others are
// not held up.
type fragile struct{ enginetest.Faulty }

func (f *fragile) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if at := slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "text 21 ") }); at >= 0 {
		return enginetest.Answers(p, texts[:at]), engines.Faultf(engines.Failed, "the program died")
	}
	return f.Faulty.Translate(ctx, p, texts)
}

func TestTranslateGivesUpAText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		texts := numbered(50)
		f := &fragile{enginetest.Faulty{Limit: engines.Limits{Items: 20}}}
		got, err := caller(t, f, nil).Translate(t.Context(), pair, texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range got {
			if (i == 21) != (a.Err != nil) {
				t.Errorf("text %d: %v", i, a)
			}
		}
	})
}

// An engine that answers nothing at all is out of order: that is an error, and not
// a thousand texts without a translation.
func TestTranslateStopsWhenNothingIsAnswered(t *testing.T) {
	for _, trouble := range []enginetest.Trouble{enginetest.Throttle, enginetest.Break, enginetest.Vanish, enginetest.Stall,
		enginetest.Short} {
		synctest.Test(t, func(t *testing.T) {
			f := &enginetest.Faulty{Limit: engines.Limits{Items: 10}, Dice: enginetest.Dice{Share: 1, Among: []enginetest.Trouble{trouble}}}
			got, err := caller(t, f, nil).Translate(t.Context(), pair, numbered(1000))
			if err == nil || !strings.Contains(err.Error(), "in a row") {
				t.Errorf("%v: error %v", trouble, err)
			}
			if requests, _, _ := f.Dice.Counts(); requests > 80 {
				t.Errorf("%v: %d requests", trouble, requests)
			}
			if !errors.Is(got[999].Err, engines.ErrNotSent) {
				t.Errorf("%v: %v", trouble, got[999].Err)
			}
		})
	}
}

func TestTranslateStopsAtFatal(t *testing.T) {
	broken := errors.New("wrong key")
	for _, e := range []error{broken, &engines.Fault{Kind: engines.Fatal, Err: broken},
		&engines.Fault{Kind: engines.Throttled, RetryAfter: time.Hour, Err: broken}} {
		f := &erring{err: e}
		if _, err := caller(t, f, nil).Translate(t.Context(), pair, numbered(1000)); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
}

type erring struct {
	enginetest.Faulty
	err error
}

func (e *erring) Translate(context.Context, engines.Pair, []string) ([]engines.Answer, error) {
	return nil, e.err
}

func TestTranslateEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		texts := numbered(1000)
		f := &enginetest.Faulty{Delay: 10 * time.Second, Limit: engines.Limits{Items: 10}}
		ctx, cancel := context.WithTimeout(t.Context(), 55*time.Second)
		defer cancel()
		var recorded atomic.Int64
		c := caller(t, f, nil).Journalled(func(b engines.Batch) error { recorded.Add(int64(len(b.Texts))); return nil })
		start := time.Now()
		got, err := c.Translate(ctx, pair, texts)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 55*time.Second {
			t.Errorf("it ended after %v", took)
		}
		done := 0
		for i, a := range got {
			if a.Err == nil {
				done++
			} else if !errors.Is(a.Err, engines.ErrNotSent) {
				t.Errorf("text %d: %v", i, a.Err)
			}
		}
		if done != 200 || recorded.Load() != 200 { // 4 slots, 5 requests of 10 texts each
			t.Errorf("%d translated, %d recorded", done, recorded.Load())
		}
		// Going on with the rest answers each text once, but those under way.
		var rest []string
		for i, a := range got {
			if a.Err != nil {
				rest = append(rest, texts[i])
			}
		}
		if _, err := c.Translate(t.Context(), pair, rest); err != nil {
			t.Fatal(err)
		}
		_, sent, answered := f.Dice.Counts()
		twice := 0
		for _, text := range texts {
			if answered[text] != 1 {
				t.Errorf("%q was answered %d times", text, answered[text])
			}
			twice += sent[text] - 1
		}
		if twice != 40 {
			t.Errorf("%d texts were sent twice: want those of 4 requests", twice)
		}
	})
}

func TestTranslateKeepsToRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &enginetest.Faulty{Limit: engines.Limits{Items: 1}}
		c := caller(t, f, func(c *engines.Config) { c.Limits.RequestsPerMinute = 60 })
		start := time.Now()
		if _, err := c.Translate(t.Context(), pair, numbered(121)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Minute {
			t.Errorf("121 requests at 60 a minute took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := &enginetest.Faulty{Limit: engines.Limits{Items: 1, Characters: 100, CharactersPerMinute: 6000}}
		texts := slices.Repeat([]string{strings.Repeat("ä", 100)}, 61)
		start := time.Now()
		if _, err := caller(t, f, nil).Translate(t.Context(), pair, texts); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("6,100 characters at 6,000 a minute took %v", took)
		}
	})
}

// While one request is told to wait, the others wait as well.
func TestTranslateWaitsWhenThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &throttling{until: time.Now().Add(90 * time.Second)}
		if _, err := caller(t, f, func(c *engines.Config) { c.Limits.Items = 1 }).Translate(t.Context(), pair, numbered(100)); err != nil {
			t.Fatal(err)
		}
		if f.throttled > 4 {
			t.Errorf("%d requests were throttled: want one of each slot", f.throttled)
		}
	})
}

type throttling struct {
	enginetest.Faulty
	until     time.Time
	mutex     sync.Mutex
	throttled int
}

func (f *throttling) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if left := time.Until(f.until); left > 0 {
		f.mutex.Lock()
		f.throttled++
		f.mutex.Unlock()
		return nil, &engines.Fault{Kind: engines.Throttled, RetryAfter: left, Err: errors.New("slow down")}
	}
	return f.Faulty.Translate(ctx, p, texts)
}

func TestTranslateKeepsToBudget(t *testing.T) {
	texts := slices.Repeat([]string{strings.Repeat("ü", 10)}, 100)
	for _, b := range []struct {
		characters int64
		money      float64
		spent      int64
		want       int64
	}{{500, 0, 0, 500}, {505, 0, 0, 500}, {500, 0, 300, 200}, {0, .01, 0, 500}, {700, .01, 0, 500}, {1000, 0, 0, 1000}, {0, 0, 0, 1000}} {
		ledger := &enginetest.Ledger{Characters: b.characters, Money: b.money, Price: 20}
		if err := ledger.Reserve(b.spent); err != nil {
			t.Fatal(err)
		}
		f := &enginetest.Faulty{Limit: engines.Limits{Items: 2}}
		got, err := caller(t, f, func(c *engines.Config) { c.Budget = ledger }).Translate(t.Context(), pair, texts)
		if errors.Is(err, engines.ErrBudget) != (b.want < 1000) {
			t.Errorf("%+v: error %v", b, err)
		}
		var done int64
		for _, a := range got {
			if a.Err == nil {
				done += 10
			}
		}
		spent, money := ledger.Spent()
		if done != b.want || spent != b.want+b.spent || money != float64(spent)*20/1e6 {
			t.Errorf("%+v: %d characters translated, %d spent, %v dollars", b, done, spent, money)
		}
	}
}

// Requests that were refused cost nothing; those whose answer was lost may have
// been billed.
func TestTranslateCountsWhatWasBilled(t *testing.T) {
	for trouble, want := range map[enginetest.Trouble]bool{enginetest.Throttle: false, enginetest.Vanish: false, enginetest.Break: true,
		enginetest.Stall: true, enginetest.Short: true} {
		synctest.Test(t, func(t *testing.T) {
			ledger := &enginetest.Ledger{Price: 20}
			f := &enginetest.Faulty{Dice: enginetest.Dice{Seed: 3, Share: .5, Among: []enginetest.Trouble{trouble}}}
			c := caller(t, f, func(c *engines.Config) { c.Budget, c.Limits.Items, c.Attempts, c.Misfits = ledger, 1, 60, 60 })
			if _, err := c.Translate(t.Context(), pair, slices.Repeat([]string{"1234567890"}, 50)); err != nil {
				t.Fatal(err)
			}
			requests, _, _ := f.Dice.Counts()
			billed := 50
			if want {
				billed = requests
			}
			if spent, _ := ledger.Spent(); spent != int64(billed)*10 || requests <= 50 {
				t.Errorf("%v: %d characters spent in %d requests", trouble, spent, requests)
			}
		})
	}
}

func TestTranslateStopsWithJournal(t *testing.T) {
	full := errors.New("disk is full")
	f := &enginetest.Faulty{Limit: engines.Limits{Items: 10}}
	got, err := caller(t, f, func(c *engines.Config) { c.Parallel = 1 }).Journalled(func(engines.Batch) error { return full }).Translate(
		t.Context(), pair, numbered(100))
	if requests, _, _ := f.Dice.Counts(); !errors.Is(err, full) || requests != 1 {
		t.Errorf("%d requests, error %v", requests, err)
	}
	if got[0].Err != nil || !errors.Is(got[10].Err, engines.ErrNotSent) {
		t.Errorf("answers %v and %v", got[0], got[10])
	}
}

func TestTranslateSendsNothingNeedless(t *testing.T) {
	f := &enginetest.Faulty{Limit: engines.Limits{TextCharacters: 5}}
	got, err := caller(t, f, nil).Translate(t.Context(), pair, []string{"", " \t", "123456", "äöüäö"})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Err != nil || got[1].Text != " \t" || !errors.Is(got[2].Err, engines.ErrTooLong) || got[3].Text != "deu:äöüäö" {
		t.Errorf("answers %v", got)
	}
	for _, p := range []engines.Pair{{Source: "eng", Target: "eng"}, {Source: "en", Target: "deu"}, {Source: "eng", Target: "und"},
		{Source: "eng", Target: "xxq"}} {
		if _, err := caller(t, f, nil).Translate(t.Context(), p, []string{"text"}); !errors.Is(err, engines.ErrUnsupported) {
			t.Errorf("%v: error %v", p, err)
		}
	}
	if requests, _, _ := f.Dice.Counts(); requests != 1 {
		t.Errorf("%d requests", requests)
	}
}

func TestRequests(t *testing.T) {
	f := &enginetest.Faulty{Limit: engines.Limits{Items: 3, Characters: 10, Bytes: 15}, PerMillion: 20}
	c := caller(t, f, nil)
	for _, tt := range []struct {
		texts      []string
		requests   int
		characters int64
	}{
		{nil, 0, 0}, {[]string{"", " "}, 0, 0},
		{[]string{"1", "2", "3"}, 1, 3}, {[]string{"1", "2", "3", "4"}, 2, 4},
		{[]string{"12345", "67890"}, 1, 10}, {[]string{"12345", "67890", "1"}, 2, 11},
		{[]string{"ääää", "ääää"}, 2, 8},              // 16 bytes
		{[]string{"1", "12345678901234", "1"}, 3, 16}, // a long one goes alone
	} {
		requests, characters, money := c.Requests(tt.texts)
		if requests != tt.requests || characters != tt.characters || money != float64(tt.characters)*20/1e6 {
			t.Errorf("%q: %d requests, %d characters, %v dollars", tt.texts, requests, characters, money)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	err := engines.Config{Limits: engines.Limits{Items: -1}}.Validate()
	for _, want := range []string{"parallel", "timeout", "attempts", "pause", "items"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q in it", err, want)
		}
	}
	if err := engines.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}
