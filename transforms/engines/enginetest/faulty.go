// Package enginetest has engines and servers that misbehave in every way that real
// ones do, and count their answers. It is for tests of engines, of their callers, and
// of the pipelines above them.
package enginetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/engines"
)

// Trouble is a way to misbehave.
type Trouble int

// Troubles. The protocol shows all but Lie, which only a look at the language finds,
// and Reorder, which it shows only where answers are numbered.
const (
	None      Trouble = iota
	Throttle          // ask for a pause
	Break             // an internal error
	Vanish            // not reachable
	Stall             // never answer
	Truncate          // stop in the middle of the answer
	Short             // an answer too few
	Long              // an answer too many
	Reorder           // answers in another order
	Duplicate         // an answer twice, another not at all
	Lie               // an answer in another language
)

// String returns the name of the trouble.
func (t Trouble) String() string {
	return [...]string{"none", "throttle", "break", "vanish", "stall", "truncate", "short", "long", "reorder", "duplicate", "lie"}[t]
}

// Translation is what well-behaved fakes translate a text to.
func Translation(target, text string) string { return target + ":" + text }

// Answers are translations by Translation.
func Answers(p engines.Pair, texts []string) []engines.Answer {
	answers := make([]engines.Answer, len(texts))
	for i, text := range texts {
		answers[i].Text = Translation(p.Target, text)
	}
	return answers
}

// Dice choose troubles: a share of the requests has one, by a hash of the seed and
// the number of the request. They also count. They may be thrown by many
// goroutines at once.
type Dice struct {
	Seed  uint64
	Share float64 // of requests with trouble, in [0, 1]
	Among []Trouble
	Calm  int // requests before the first one that may have trouble

	mutex    sync.Mutex
	requests int
	troubles map[Trouble]int
	sent     map[string]int
	answered map[string]int
}

// Throw returns the trouble of the next request, which has these texts.
func (d *Dice) Throw(texts []string) Trouble {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.requests++
	if d.sent == nil {
		d.sent, d.answered, d.troubles = map[string]int{}, map[string]int{}, map[Trouble]int{}
	}
	for _, text := range texts {
		d.sent[text]++
	}
	h := xxh3.HashStringSeed(fmt.Sprint(d.requests), d.Seed)
	trouble := None
	if len(d.Among) > 0 && d.requests > d.Calm && float64(h%1000) < d.Share*1000 {
		trouble = d.Among[h/1000%uint64(len(d.Among))]
	}
	d.troubles[trouble]++
	return trouble
}

// Answered counts texts that were answered as the protocol wants it.
func (d *Dice) Answered(texts ...string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, text := range texts {
		d.answered[text]++
	}
}

// Counts returns the number of requests, and how often each text was sent and
// answered.
func (d *Dice) Counts() (requests int, sent, answered map[string]int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.requests, d.sent, d.answered
}

// Seen returns how many requests had the trouble.
func (d *Dice) Seen(t Trouble) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.troubles[t]
}

// Faulty is an engine in memory that has the troubles of its dice.
type Faulty struct {
	Dice Dice
	// Limit are its limits.
	Limit engines.Limits
	// Delay is what a request takes.
	Delay time.Duration
	// Refuse, if set, says which texts are refused.
	Refuse func(text string) bool
	// PerMillion is its price.
	PerMillion float64

	mutex   sync.Mutex
	current int
	most    int
}

// Name implements engines.Engine.
func (f *Faulty) Name() string { return "faulty" }

// Identity implements engines.Engine.
func (f *Faulty) Identity(p engines.Pair) (engines.Identity, error) {
	return engines.Identity{Engine: "faulty"}, engines.CheckPair(p)
}

// Limits implements engines.Engine.
func (f *Faulty) Limits() engines.Limits { return f.Limit }

// Price implements engines.Engine.
func (f *Faulty) Price() float64 { return f.PerMillion }

// Supports implements engines.Engine.
func (f *Faulty) Supports(p engines.Pair) error { return engines.CheckPair(p) }

// Close implements engines.Engine.
func (f *Faulty) Close() error { return nil }

// Most returns the greatest number of requests that were under way at once.
func (f *Faulty) Most() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.most
}

func (f *Faulty) enter(delta int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.current += delta
	f.most = max(f.most, f.current)
}

// Translate implements engines.Engine.
func (f *Faulty) Translate(ctx context.Context, p engines.Pair, texts []string) ([]engines.Answer, error) {
	f.enter(1)
	defer f.enter(-1)
	trouble := f.Dice.Throw(texts)
	if trouble == Stall {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(f.Delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answers := Answers(p, texts)
	switch trouble {
	case Throttle:
		return nil, &engines.Fault{Kind: engines.Throttled, Unbilled: true, RetryAfter: 3 * time.Second, Err: fmt.Errorf("slow down")}
	case Break:
		return nil, engines.Faultf(engines.Failed, "internal error")
	case Vanish:
		return nil, &engines.Fault{Kind: engines.Unavailable, Unbilled: true, Err: fmt.Errorf("connection refused")}
	case Truncate:
		half := len(texts) / 2
		f.Dice.Answered(texts[:half]...)
		return answers[:half], engines.Faultf(engines.Failed, "the answer was cut")
	case Short:
		return answers[1:], nil
	case Long:
		return append(answers, answers[0]), nil
	case Lie:
		for i, text := range texts {
			answers[i].Text = text
		}
	}
	if f.Refuse != nil {
		for _, text := range texts {
			if f.Refuse(text) {
				return nil, &engines.Fault{Kind: engines.Refused, Unbilled: true, Err: fmt.Errorf("content is not wanted")}
			}
		}
	}
	f.Dice.Answered(texts...)
	return answers, nil
}
