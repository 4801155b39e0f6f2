package engines_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/enginetest"
)

// limited refuses texts that are longer than a server wants them.
func limited(most int) func(string) bool {
	return func(text string) bool { return len(text) > most }
}

// A run of refused texts is that many answers: those behind them are translated, and
// the next run knows of them all.
func TestRefusalsAreAnswers(t *testing.T) {
	for _, tt := range []struct {
		reason      string
		long, short int
		items       int
		extra       int // requests at most, beside those that find the culprits
	}{
		{"long ones first", 200, 100, 10, 3},
		{"one by one", 200, 100, 1, 3},
		{"nothing but one long text", 1, 0, 10, 1},
		{"nothing but long texts", 250, 0, 50, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &enginetest.Faulty{Limit: engines.Limits{Items: tt.items}, Refuse: limited(500)}
			var texts []string
			for i := range tt.long + tt.short {
				texts = append(texts, fmt.Sprint(i, strings.Repeat(" word", 100*max(0, min(1, tt.long-i)))))
			}
			var mutex sync.Mutex
			journal := map[string]error{}
			got, err := caller(t, f, nil).Journalled(func(b engines.Batch) error {
				mutex.Lock()
				defer mutex.Unlock()
				for i, text := range b.Texts {
					if texts[b.Indices[i]] != text || b.Characters == 0 {
						t.Errorf("%s: batch %+v", tt.reason, b)
					}
					journal[text] = b.Answers[i].Err
				}
				return nil
			}).Translate(t.Context(), pair, texts)
			if err != nil {
				t.Fatalf("%s: %v", tt.reason, err)
			}
			for i, a := range got {
				told, ok := journal[texts[i]]
				if long := i < tt.long; !ok || (a.Err != nil) != long || (told != nil) != long || long &&
					(engines.KindOf(a.Err) != engines.Refused || !strings.Contains(a.Err.Error(), "content is not wanted")) {
					t.Errorf("%s: text %d: %v, journal %v", tt.reason, i, a.Err, told)
				}
			}
			requests, _, _ := f.Dice.Counts()
			if most := 2*tt.long + tt.short + tt.extra; requests > most {
				t.Errorf("%s: %d requests, want at most %d", tt.reason, requests, most)
			}
		})
	}
}

// An engine that refuses whatever it is asked is out of order, and says why; no text
// is taken for the culprit.
func TestRefusingAll(t *testing.T) {
	for _, n := range []int{1, 1000} {
		f := &enginetest.Faulty{Limit: engines.Limits{Items: 50}, Refuse: limited(0)}
		got, err := caller(t, f, nil).Journalled(func(b engines.Batch) error {
			t.Errorf("%d texts: journal has %v", n, b)
			return nil
		}).Translate(t.Context(), pair, numbered(n))
		if err == nil || !strings.Contains(err.Error(), "content is not wanted") || !strings.Contains(err.Error(), "refuses every text") {
			t.Errorf("%d texts: error %v", n, err)
		}
		if requests, _, _ := f.Dice.Counts(); requests > 40 {
			t.Errorf("%d texts: %d requests", n, requests)
		}
		if !errors.Is(got[n-1].Err, engines.ErrNotSent) {
			t.Errorf("%d texts: %v", n, got[n-1].Err)
		}
	}
}

// each refuses texts one by one, as engines do that answer for each text.
type each struct {
	enginetest.Faulty
	refuse func(string) bool
	before func(texts []string) error // what goes wrong with a request, if not nil
}

func (e *each) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	if e.before != nil {
		if err := e.before(texts); err != nil {
			return nil, err
		}
	}
	answers, err := e.Faulty.Translate(ctx, p, texts)
	for i := range answers {
		if e.refuse(texts[i]) {
			answers[i] = engines.Answer{Err: engines.Faultf(engines.Refused, "content is not wanted")}
		}
	}
	return answers, err
}

// So is one that refuses each text on its own; one that refuses some of them is not.
func TestRefusingEach(t *testing.T) {
	e := &each{Faulty: enginetest.Faulty{Limit: engines.Limits{Items: 10}}, refuse: limited(0)}
	got, err := caller(t, e, nil).Journalled(func(b engines.Batch) error {
		t.Errorf("journal has %v", b)
		return nil
	}).Translate(t.Context(), pair, numbered(1000))
	if requests, _, _ := e.Dice.Counts(); err == nil || !strings.Contains(err.Error(), "refuses every text") || requests > 20 ||
		!errors.Is(got[999].Err, engines.ErrNotSent) {
		t.Errorf("%d requests, error %v, last %v", requests, err, got[999])
	}
	e = &each{Faulty: enginetest.Faulty{Limit: engines.Limits{Items: 10}}, refuse: limited(6)}
	texts := append(slices.Repeat([]string{"too long for it"}, 300), "short")
	got, err = caller(t, e, nil).Translate(t.Context(), pair, texts)
	if requests, _, _ := e.Dice.Counts(); err != nil || engines.KindOf(got[0].Err) != engines.Refused || got[300].Err != nil ||
		requests > 60 {
		t.Errorf("%d requests, error %v, %v %v", requests, err, got[0], got[300])
	}
}

// While a proof cannot be had, nobody knows who is to blame, and no text is.
func TestRefusingWithoutProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proofs := 0
		e := &each{Faulty: enginetest.Faulty{Limit: engines.Limits{Items: 10}}, refuse: limited(0)}
		e.before = func(texts []string) error {
			if texts[0] != "Hello." {
				return nil
			}
			if proofs++; proofs == 1 {
				return engines.Faultf(engines.Unavailable, "nobody is there")
			}
			return nil
		}
		_, err := caller(t, e, nil).Journalled(func(b engines.Batch) error {
			t.Errorf("journal has %v", b)
			return nil
		}).Translate(t.Context(), pair, numbered(10))
		if err == nil || !strings.Contains(err.Error(), "refuses every text") || proofs != 2 {
			t.Errorf("%d proofs, error %v", proofs, err)
		}
	})
}

// An engine whose key expires in the middle is found out, too. Each slot may count one answer
// from before then late, and the 100 texts that one proof is good for begin anew.
func TestRefusingAllFromNowOn(t *testing.T) {
	var mutex sync.Mutex
	left := 500
	f := &enginetest.Faulty{Limit: engines.Limits{Items: 1}, Refuse: func(string) bool {
		mutex.Lock()
		defer mutex.Unlock()
		left--
		return left < 0
	}}
	got, err := caller(t, f, nil).Translate(t.Context(), pair, numbered(5000))
	most := 100 * (1 + engines.DefaultConfig().Parallel)
	given := 0
	for _, a := range got {
		if engines.KindOf(a.Err) == engines.Refused {
			given++
		}
	}
	if err == nil || !strings.Contains(err.Error(), "content is not wanted") || given > most {
		t.Errorf("%d texts given up, error %v", given, err)
	}
}

// A proof that meets a fault which passes is sent again.
func TestProofThroughTroubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &enginetest.Faulty{Limit: engines.Limits{Items: 1}, Refuse: limited(10)}
		f.Dice = enginetest.Dice{Seed: 4, Share: .6, Among: []enginetest.Trouble{enginetest.Throttle, enginetest.Vanish, enginetest.Stall}}
		got, err := caller(t, f, func(c *engines.Config) { c.Attempts = 30 }).Translate(
			t.Context(), pair, []string{"a text that is too long", "short"})
		if err != nil || engines.KindOf(got[0].Err) != engines.Refused || got[0].Err == nil || got[1].Err != nil {
			t.Errorf("answers %v, error %v", got, err)
		}
	})
}

// misfit gives no fitting answer to one text, and is paid for each.
type misfit struct{ enginetest.Faulty }

func (f *misfit) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	answers, err := f.Faulty.Translate(ctx, p, texts)
	for _, text := range texts {
		if text == "misfit" {
			return nil, engines.Faultf(engines.Malformed, "the answer was cut")
		}
	}
	return answers, err
}

func TestMisfitsAreNotPaidForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &misfit{enginetest.Faulty{Limit: engines.Limits{Items: 4}}}
		told := 0
		texts := append(numbered(11), "misfit")
		got, err := caller(t, f, nil).Journalled(func(b engines.Batch) error {
			if b.Texts[0] == "misfit" {
				told++
			}
			return nil
		}).Translate(t.Context(), pair, texts)
		_, sent, _ := f.Dice.Counts()
		if err != nil || engines.KindOf(got[11].Err) != engines.Malformed || sent["misfit"] != 4 ||
			told != 1 { // of 4, of 2, and twice alone
			t.Errorf("answer %v, sent %d times, told %d times, error %v", got[11], sent["misfit"], told, err)
		}
	})
}

// collecting has answers to requests that were placed before.
type collecting struct {
	enginetest.Faulty
	placed map[string]bool
	broken map[string]bool
}

func (f *collecting) Collect(_ context.Context, p engines.Pair, texts []string) ([]engines.Answer, bool, error) {
	switch {
	case f.broken[texts[0]]:
		delete(f.broken, texts[0])
		return nil, true, &engines.Fault{Kind: engines.Failed, Unbilled: true, Err: errors.New("the batch has failed")}
	case f.placed[texts[0]]:
		return enginetest.Answers(p, texts), true, nil
	}
	return nil, false, nil
}

func TestPlacedRequestsAreNotPaidAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			reason         string
			placed, broken []string
			spent          int64
		}{
			{"nothing was placed", nil, nil, 4},
			{"all was placed", []string{"a", "b", "c", "d"}, nil, 0},
			{"half was placed", []string{"a", "c"}, nil, 2},
			{"what was placed has failed", []string{"c"}, []string{"a"}, 3},
		} {
			f := &collecting{enginetest.Faulty{Limit: engines.Limits{Items: 1}}, map[string]bool{}, map[string]bool{}}
			for _, text := range tt.placed {
				f.placed[text] = true
			}
			for _, text := range tt.broken {
				f.broken[text] = true
			}
			ledger := &enginetest.Ledger{Characters: max(tt.spent, 1)}
			if tt.spent == 0 { // all of it is spent by the run that placed them
				ledger.Characters = 4
				if err := ledger.Reserve(4); err != nil {
					t.Fatal(err)
				}
				tt.spent = 4
			}
			_, err := caller(t, f, func(c *engines.Config) { c.Budget = ledger }).Translate(t.Context(), pair, []string{"a", "b", "c", "d"})
			if spent, _ := ledger.Spent(); err != nil || spent != tt.spent {
				t.Errorf("%s: %d characters spent, error %v", tt.reason, spent, err)
			}
		}
	})
}

func TestRatesAreTheUsers(t *testing.T) {
	f := &enginetest.Faulty{Limit: engines.Limits{Items: 10, RequestsPerMinute: 60, CharactersPerMinute: 600}}
	got := caller(t, f, func(c *engines.Config) { c.Limits = engines.Limits{Items: 20, RequestsPerMinute: 6000} }).Limits()
	if want := (engines.Limits{Items: 10, RequestsPerMinute: 6000, CharactersPerMinute: 600}); got != want {
		t.Errorf("limits %+v, want %+v", got, want)
	}
}

func TestRetry(t *testing.T) {
	fault := func(kind engines.Kind) error { return engines.Faultf(kind, "reason") }
	stall := errors.New("stall")
	for _, tt := range []struct {
		reason string
		errs   []error // of each call; the last one of all that follow
		calls  int
		want   string
		most   time.Duration
	}{
		{"works", []error{nil}, 1, "", 0},
		{"busy, then works", []error{fault(engines.Unavailable), fault(engines.Throttled), fault(engines.Malformed), nil}, 4, "",
			4 * time.Second},
		{"wrong key", []error{fault(engines.Fatal)}, 1, "reason", 0},
		{"no fault of the service", []error{errors.New("reason")}, 1, "reason", 0},
		{"never there", []error{fault(engines.Unavailable)}, 8, "after 8 attempts: reason", time.Minute + 4*time.Second},
		{"stalls once", []error{stall, nil}, 2, "", 6 * time.Second},
		{"stalls", []error{stall}, 8, "no answer in 5s", time.Minute + 44*time.Second},
		{"asks for too much", []error{&engines.Fault{Kind: engines.Throttled, RetryAfter: time.Hour, Err: errors.New("reason")}}, 1,
			"reason", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			config := engines.DefaultConfig()
			config.Timeout = 5 * time.Second
			calls, start := 0, time.Now()
			err := engines.Retry(t.Context(), config, func(ctx context.Context) error {
				err := tt.errs[min(calls, len(tt.errs)-1)]
				calls++
				if err == stall {
					<-ctx.Done()
					return ctx.Err()
				}
				return err
			})
			if calls != tt.calls || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) ||
				time.Since(start) > tt.most {
				t.Errorf("%s: %d calls in %v, error %v", tt.reason, calls, time.Since(start), err)
			}
		})
	}
}
