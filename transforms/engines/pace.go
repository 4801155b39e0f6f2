package engines

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// pace holds requests back: to the rate, and while the engine wants a pause. It
// also counts the failures in a row, of whatever request, that tell an engine
// which is out of order from a text that it cannot take.
type pace struct {
	requests, characters *rate.Limiter

	mutex  sync.Mutex
	resume time.Time // before it nothing is sent
	failed int       // requests without an answer since the last one with
	last   error     // of these
	ever   bool      // whether any was answered
	// refused are the texts refused since the last request that was answered.
	refused int
	proving sync.Mutex
	// proofs are texts that were translated, by pair.
	proofs map[Pair]string
}

// mostRefused is the number of texts refused in a row that one proof is good for.
const mostRefused = 100

// perMinute returns a limiter that lets burst pass at once; nil without a limit.
func perMinute(limit, burst int) *rate.Limiter {
	if limit == 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(limit)/60), burst)
}

func newPace(l Limits) *pace {
	// A burst of a second keeps the rate even; a request must fit into it.
	return &pace{
		requests:   perMinute(l.RequestsPerMinute, max(1, l.RequestsPerMinute/60)),
		characters: perMinute(l.CharactersPerMinute, max(1, l.Characters, l.CharactersPerMinute/60)),
		refused:    mostRefused, // nothing is proved yet
		proofs:     map[Pair]string{},
	}
}

// wait returns when a request of that many characters may be sent.
func (p *pace) wait(ctx context.Context, characters int) error {
	if p.requests != nil {
		if err := p.requests.Wait(ctx); err != nil {
			return pause(ctx, 0, err)
		}
	}
	if p.characters != nil {
		if err := p.characters.WaitN(ctx, min(characters, p.characters.Burst())); err != nil {
			return pause(ctx, 0, err)
		}
	}
	for {
		p.mutex.Lock()
		remaining := time.Until(p.resume)
		p.mutex.Unlock()
		if remaining <= 0 {
			return ctx.Err()
		}
		if err := pause(ctx, remaining, nil); err != nil {
			return err
		}
	}
}

// pause waits, and returns the error of ctx if that ends first. The error of a
// limiter that knows of the end beforehand is otherwise.
func pause(ctx context.Context, d time.Duration, otherwise error) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if otherwise != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// hold lets no request pass for a time.
func (p *pace) hold(d time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if end := time.Now().Add(d); end.After(p.resume) {
		p.resume = end
	}
}

// answered says that the engine works.
func (p *pace) answered() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.failed, p.last, p.ever, p.refused = 0, nil, true, 0
}

// prefer keeps the first text of a pair that was translated.
func (p *pace) prefer(pair Pair, texts []string, answers []Answer) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if _, ok := p.proofs[pair]; ok {
		return
	}
	if i := slices.IndexFunc(answers, func(a Answer) bool { return a.Err == nil }); i >= 0 {
		p.proofs[pair] = texts[i]
	}
}

// preferred returns a text that the engine is known to translate, or one that no engine
// has a reason to refuse.
func (p *pace) preferred(pair Pair) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return cmp.Or(p.proofs[pair], proof)
}

// refuse counts texts that were refused. It returns false where it takes a proof
// that the engine does not refuse all.
func (p *pace) refuse(texts int) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.refused >= mostRefused {
		return false
	}
	p.failed, p.last = 0, nil // a refusal is an answer
	p.refused += texts
	return true
}

// fail returns the number of failures in a row, with this one, and whether the engine
// has ever answered.
func (p *pace) fail(err error) (failed int, ever bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.failed, p.last = p.failed+1, err
	return p.failed, p.ever
}

func (p *pace) trouble() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests in a row failed, the last one: %v", p.failed, p.last)
}
