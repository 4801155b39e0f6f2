package engines

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

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
		index := int(w.next.Add(1)) - 1
		if index >= len(w.requests) {
			<-w.caller.slots
			return
		}
		err := w.settle(w.requests[index])
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
	backoff := w.caller.config.backoff()
	for todo := []request{r}; len(todo) > 0; {
		last := len(todo) - 1
		r, todo = todo[last], todo[:last]
		answered, err := w.send(r)
		if answered > 0 {
			backoff = w.caller.config.backoff()
		}
		if err == nil {
			continue
		}
		if answered == len(r.indices) || w.going.Err() != nil {
			return err
		}
		if answered > 0 {
			r = w.part(r.indices[answered:])
		}
		if fault := faultOf(err); answered > 0 && fault.Kind == Crashed && !fault.First { // it was slow, and got on
			todo = append(todo, r)
			continue
		}
		retries, err := w.after(r, err, &backoff)
		if err != nil {
			return err
		}
		todo = append(todo, retries...)
	}
	return nil
}

// send sends a request once. It returns how many of its texts were answered, the
// first ones, and why not all.
func (w *work) send(r request) (answered int, err error) {
	texts := make([]string, len(r.indices))
	for i, index := range r.indices {
		texts[i] = w.texts[index]
	}
	answers, err := w.translate(texts, r.characters)
	if len(answers) == 0 {
		return 0, err
	}
	if slices.ContainsFunc(answers, func(a Answer) bool { return !a.refused() }) {
		w.caller.pace.answered()
		w.caller.pace.prefer(w.pair, texts, answers)
	} else if unproved := w.prove(len(answers)); unproved != nil {
		return 0, unproved // the engine is to blame, or nobody knows who is
	}
	if told := w.answer(r.indices[:len(answers)], answers); told != nil {
		return len(answers), told
	}
	return len(answers), err
}

// translate has texts translated in one request, in its time and within the budget.
func (w *work) translate(texts []string, characters int) (answers []Answer, err error) {
	c := w.caller
	if err := c.pace.wait(w.going, characters); err != nil {
		return nil, err
	}
	base := w.ctx
	if c.config.Finish {
		base = context.WithoutCancel(base)
	}
	reserved := false
	err = timed(base, c.config.Timeout, func(ctx context.Context) (err error) {
		if engine, ok := c.engine.(Collector); ok {
			placed := false
			if answers, placed, err = engine.Collect(ctx, w.pair, texts); placed || err != nil {
				return err
			}
		}
		if err := c.reserve(int64(characters)); err != nil {
			return err
		}
		reserved = true
		answers, err = c.engine.Translate(ctx, w.pair, texts)
		return err
	})
	switch {
	case err == nil && len(answers) != len(texts):
		answers, err = nil, Faultf(Malformed, "%d texts have %d answers", len(texts), len(answers))
	case len(answers) > len(texts):
		answers = nil
	}
	if reserved && err != nil && faultOf(err).Unbilled {
		unbilled := 0
		for _, text := range texts[len(answers):] {
			unbilled += c.measure(text)
		}
		c.refund(int64(unbilled))
	}
	return answers, err
}

// timed calls f with the time that a request may take.
func timed(ctx context.Context, timeout time.Duration, f func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := f(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil && KindOf(err) != Crashed {
		return Faultf(Failed, "there was no answer in %v", timeout)
	}
	return err
}

// after decides what is done with a request that failed: it returns the requests
// in its place, the last of which is the next, and gives up texts. An error ends
// the work.
func (w *work) after(r request, err error, backoff *gax.Backoff) ([]request, error) {
	c, single := w.caller, len(r.indices) == 1
	if KindOf(err) == Refused {
		if !single {
			return w.halves(r), nil
		}
		refusal := err
		if err = w.prove(1); err == nil {
			return nil, w.give(r, refusal)
		}
	}
	fault := faultOf(err)
	switch fault.Kind {
	case Fatal:
		return nil, err
	case Crashed:
		return w.crashed(r, fault)
	}
	failed, ever := c.pace.fail(err)
	if failed >= c.patience || !ever && fault.Kind != Throttled && failed >= 2*c.config.Attempts {
		return nil, fmt.Errorf("%d requests in a row were not answered, the last one: %w", failed, err)
	}
	if fault.RetryAfter > c.config.MaxRetryAfter {
		return nil, fmt.Errorf("the engine wants a pause of %v: %w", fault.RetryAfter, err)
	}
	r.tries++
	switch fault.Kind {
	case Throttled:
		r.tries--
		c.pace.hold(max(fault.RetryAfter, backoff.Pause()))
		return []request{r}, nil
	case Malformed:
		if !single {
			return w.halves(r), nil
		}
		if r.misfits++; r.misfits >= c.config.Misfits {
			return nil, w.give(r, err)
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

// give gives up a text. What the engine has said of it is an answer, and so is that it
// ended over it; where it was out of order, it has said nothing.
func (w *work) give(r request, err error) error {
	answers := []Answer{{Err: err}}
	if kind := KindOf(err); kind != Refused && kind != Malformed && kind != Crashed {
		w.answers[r.indices[0]] = answers[0]
		return nil
	}
	return w.answer(r.indices, answers)
}

// answer takes the answers of texts, and tells the journal.
func (w *work) answer(indices []int, answers []Answer) error {
	b := Batch{Pair: w.pair, Indices: indices, Answers: answers, Texts: make([]string, len(indices))}
	for i, index := range indices {
		w.answers[index], b.Texts[i] = answers[i], w.texts[index]
		b.Characters += int64(Characters(b.Texts[i]))
	}
	if w.caller.journal == nil {
		return nil
	}
	return w.caller.journal(b)
}

// refused says whether the engine does not want the text.
func (a Answer) refused() bool { return a.Err != nil && KindOf(a.Err) == Refused }

// proof is a text that no engine has a reason to refuse.
const proof = "Hello."

// prove returns nil if the refusal of some texts is their own fault. An engine that refuses
// requests for what stands around their texts, as one does that wants a key or does
// not know the model, refuses the proof as well: that error is fatal. The proof is
// sent with the first refusal before any translation, and when many come in a row.
func (w *work) prove(texts int) error {
	p := w.caller.pace
	p.proving.Lock() // one proof is enough for all slots
	defer p.proving.Unlock()
	if p.refuse(texts) {
		return nil
	}
	answers, err := w.translate([]string{proof}, w.caller.measure(proof))
	if err == nil && answers[0].refused() {
		err = answers[0].Err
	}
	switch {
	case err == nil || KindOf(err) == Malformed:
		p.answered()
		return nil
	case KindOf(err) == Refused:
		return &Fault{Err: fmt.Errorf("the engine refuses every text, even %q: %w", proof, err)}
	}
	return err
}

// halves cuts a request in two; the first half is the next.
func (w *work) halves(r request) []request {
	middle := (len(r.indices) + 1) / 2
	return []request{w.part(r.indices[middle:]), w.part(r.indices[:middle])}
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
