package engines

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/googleapis/gax-go/v2"
)

// work is one call of Translate.
type work struct {
	caller   *Caller
	pair     Pair
	texts    []string
	answers  []Answer // each is written by the one slot that has its text
	requests []request
	next     atomic.Int64

	ctx   context.Context // of requests under way
	going context.Context // ends with ctx, and when no more requests shall be sent
	stop  context.CancelCauseFunc
}

// run takes request after request, each when the caller has a slot for it.
func (w *work) run() {
	for {
		select {
		case w.caller.slots <- struct{}{}:
		case <-w.going.Done():
			return
		}
		at := int(w.next.Add(1)) - 1
		if at >= len(w.requests) {
			<-w.caller.slots
			return
		}
		err := w.settle(w.requests[at])
		<-w.caller.slots
		if err != nil {
			w.stop(err)
			return
		}
	}
}

// settle sends a request, and what becomes of it, until each of its texts has a
// translation or is given up. An error ends the work.
func (w *work) settle(r request) error {
	backoff := w.caller.backoff()
	for todo := []request{r}; len(todo) > 0; {
		last := len(todo) - 1
		r, todo = todo[last], todo[:last]
		done, err := w.send(r)
		if done > 0 {
			w.caller.pace.answered()
			backoff = w.caller.backoff()
		}
		if err == nil {
			continue
		}
		if done == len(r.indices) || w.going.Err() != nil {
			return err
		}
		if done > 0 {
			r = part(w.texts, r.indices[done:])
		}
		again, err := w.after(r, err, &backoff)
		if err != nil {
			return err
		}
		todo = append(todo, again...)
	}
	return nil
}

// send sends a request once. It returns how many of its texts were answered, the
// first ones, and why not all.
func (w *work) send(r request) (done int, err error) {
	c := w.caller
	if err := c.pace.wait(w.going, r.characters); err != nil {
		return 0, err
	}
	if err := c.reserve(int64(r.characters)); err != nil {
		return 0, err
	}
	texts := make([]string, len(r.indices))
	for i, index := range r.indices {
		texts[i] = w.texts[index]
	}
	base := w.ctx
	if c.config.Finish {
		base = context.WithoutCancel(base)
	}
	ctx, cancel := context.WithTimeout(base, c.config.Timeout)
	answers, err := c.engine.Translate(ctx, w.pair, texts)
	stalled := ctx.Err() != nil
	cancel()
	switch {
	case err == nil && len(answers) != len(texts):
		answers, err = nil, Faultf(Malformed, "%d texts have %d answers", len(texts), len(answers))
	case len(answers) > len(texts):
		answers = nil
	case err != nil && stalled && w.ctx.Err() == nil:
		err = Faultf(Failed, "there was no answer in %v", c.config.Timeout)
	}
	if err != nil && faultOf(err).Unbilled {
		c.refund(int64(part(w.texts, r.indices[len(answers):]).characters))
	}
	if len(answers) == 0 {
		return 0, err
	}
	indices := r.indices[:len(answers)]
	for i, index := range indices {
		w.answers[index] = answers[i]
	}
	if told := c.tell(Batch{Pair: w.pair, Indices: indices, Texts: texts[:len(answers)], Answers: answers}); told != nil {
		return len(answers), told
	}
	return len(answers), err
}

// after decides what is done with a request that failed: it returns the requests
// in its place, the last of which is the next, and gives up texts. An error ends
// the work.
func (w *work) after(r request, err error, backoff *gax.Backoff) ([]request, error) {
	c, fault := w.caller, faultOf(err)
	if fault.Kind == Fatal {
		return nil, err
	}
	failed, ever := c.pace.fail(err)
	if failed >= c.patience || !ever && fault.Kind != Throttled && failed >= 2*c.config.Attempts {
		return nil, fmt.Errorf("%d requests in a row were not answered, the last one: %w", failed, err)
	}
	if fault.RetryAfter > c.config.MaxRetryAfter {
		return nil, fmt.Errorf("the engine wants a pause of %v: %w", fault.RetryAfter, err)
	}
	r.tries++
	single := len(r.indices) == 1
	switch fault.Kind {
	case Throttled:
		r.tries--
		c.pace.hold(max(fault.RetryAfter, backoff.Pause()))
		return []request{r}, nil
	case Refused:
		if single {
			return nil, w.give(r, err)
		}
		return w.halves(r), nil
	case Malformed:
		if !single {
			return w.halves(r), nil
		}
	case Failed:
		if !single && r.tries >= 2 {
			return w.halves(r), nil
		}
	}
	if r.tries >= c.config.Attempts {
		if single {
			return nil, w.give(r, err)
		}
		return w.halves(r), nil
	}
	return []request{r}, pause(w.going, max(fault.RetryAfter, backoff.Pause()), nil)
}

// give gives up a text.
func (w *work) give(r request, err error) error {
	w.answers[r.indices[0]] = Answer{Err: err}
	return nil
}

// halves cuts a request in two; the first half is the next.
func (w *work) halves(r request) []request {
	middle := (len(r.indices) + 1) / 2
	return []request{part(w.texts, r.indices[middle:]), part(w.texts, r.indices[:middle])}
}

func (c *Caller) reserve(characters int64) error {
	if c.config.Budget == nil {
		return nil
	}
	return c.config.Budget.Reserve(characters)
}

func (c *Caller) refund(characters int64) {
	if c.config.Budget != nil {
		c.config.Budget.Refund(characters)
	}
}

// tell hands an answered request to the journal.
func (c *Caller) tell(b Batch) error {
	if c.journal == nil {
		return nil
	}
	for _, text := range b.Texts {
		b.Characters += int64(Characters(text))
	}
	if err := c.journal(b); err != nil {
		return fmt.Errorf("record %d answers: %w", len(b.Texts), err)
	}
	return nil
}
