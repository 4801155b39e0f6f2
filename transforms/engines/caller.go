package engines

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/googleapis/gax-go/v2"

	"sentweave/schemas/fault"
)

// Config says how a Caller uses its engine.
type Config struct {
	// Parallel is the number of requests under way at once, over all calls of
	// Translate. Default 4.
	Parallel int
	// Limits are stricter limits than the engine's, or other rates. Zero keeps the
	// engine's.
	Limits Limits
	// Timeout is the longest time of a request. Default 1 minute.
	Timeout time.Duration
	// Attempts is how often a request is sent that fails although nothing is wrong
	// with it. Then it is cut in two or, if it is a single text, given up. Default 8.
	Attempts int
	// Misfits is how often a single text is sent whose answers do not fit it. Later
	// answers seldom fit, and each costs money. Default 2.
	Misfits int
	// Pause is the pause before the second attempt. Each later pause is twice as long,
	// up to MaxPause, and shortened at random. Defaults 0.5 s and 1 minute.
	Pause, MaxPause time.Duration
	// MaxRetryAfter is the longest pause that the engine may ask for; a longer pause
	// ends the work. Default 15 minutes.
	MaxRetryAfter time.Duration
	// Budget, if set, is asked before each request.
	Budget Budget
	// Estimate opens an engine that only describes itself and translates nothing,
	// without credentials if possible.
	Estimate bool
	// Finish waits up to Timeout for requests under way when the context ends, because
	// they are paid for. Otherwise they are dropped.
	Finish bool
	// Blank sends blank texts, too, which otherwise are their own answers.
	Blank bool
}

// DefaultConfig returns the configuration described above.
func DefaultConfig() Config {
	return Config{Parallel: 4, Timeout: time.Minute, Attempts: 8, Misfits: 2, Pause: time.Second / 2, MaxPause: time.Minute,
		MaxRetryAfter: 15 * time.Minute}
}

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.Parallel >= 1, "parallel %d: want at least 1 request at once", c.Parallel)
	faults.Check(c.Timeout > 0, "timeout is %v; it must be above 0", c.Timeout)
	faults.Check(c.Attempts >= 1, "attempts %d: want at least 1", c.Attempts)
	faults.Check(c.Misfits >= 1, "misfits %d: want at least 1", c.Misfits)
	faults.Check(c.Pause > 0 && c.MaxPause >= c.Pause, "pause %v, at most %v: want a positive one, and no smaller maximum", c.Pause,
		c.MaxPause)
	faults.Check(c.MaxRetryAfter >= 0, "max_retry_after %v: want 0 or more", c.MaxRetryAfter)
	for _, l := range []struct {
		name string
		n    int
	}{
		{"items", c.Limits.Items}, {"characters", c.Limits.Characters}, {"bytes", c.Limits.Bytes},
		{"text_characters", c.Limits.TextCharacters},
		{"requests_per_minute", c.Limits.RequestsPerMinute}, {"characters_per_minute", c.Limits.CharactersPerMinute},
	} {
		faults.Check(l.n >= 0, "%s %d: want 0, which is the engine's limit, or more", l.name, l.n)
	}
	return faults.Err()
}

// Caller sends texts to an engine. Many goroutines may use it at once. An engine
// should have only one, because all its calls share rate, pauses and slots.
type Caller struct {
	engine Engine
	config Config
	limits Limits
	pace   *pace
	slots  chan struct{}
	// patience is the number of failures in a row after which the engine is taken for
	// out of order: twice what one slot would need to give up a text. Before the first
	// answer it is twice the attempts, but for pauses that the engine asks for: what never
	// worked is not waited for. Refusals are answers.
	patience int
	journal  func(Batch) error
	measure  func(text string) int
}

// NewCaller returns a caller for the engine. The owner of the engine must close it.
func NewCaller(engine Engine, config Config) (*Caller, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	limits, measure := engine.Limits().tighten(config.Limits), Characters
	if e, ok := engine.(Measured); ok {
		measure = e.Characters
	}
	return &Caller{
		engine: engine, config: config, limits: limits, pace: newPace(limits), slots: make(chan struct{}, config.Parallel),
		patience: 2 * config.Attempts * config.Parallel, measure: measure,
	}, nil
}

// Limits returns the limits that the caller keeps: the stricter ones of the engine's
// and the configuration's.
func (c *Caller) Limits() Limits { return c.limits }

// Characters returns how many characters a text counts for budgets, prices and rates.
func (c *Caller) Characters(text string) int { return c.measure(text) }

// Trouble describes the failures since the last answer by their number and the last
// one. It returns "" if there is none.
func (c *Caller) Trouble() string { return c.pace.trouble() }

// Journalled returns a caller with the same slots, rate and budget. It calls answered
// with each answered request before it sends the next one of that slot, so no answer
// is paid for twice. Several goroutines may call answered at once, also after the
// context has ended. They also call it for texts that the engine answered with an
// error of their own, and for texts that were given up as Refused, Malformed or
// Crashed. An error from answered ends the work.
func (c *Caller) Journalled(answered func(Batch) error) *Caller {
	journalled := *c
	journalled.journal = answered
	return &journalled
}

// Requests estimates how many requests, characters and dollars the texts need, before
// anything is sent.
func (c *Caller) Requests(texts []string) (requests int, characters int64, money float64) {
	cuts := cut(texts, c.worthwhile(texts, make([]Answer, len(texts))), c.limits, c.measure)
	for _, r := range cuts {
		characters += int64(r.characters)
	}
	return len(cuts), characters, Cost(characters, c.engine.Price())
}

// worthwhile returns the indices of the texts to send, and answers the others:
// blank ones by themselves.
func (c *Caller) worthwhile(texts []string, answers []Answer) []int {
	indices := make([]int, 0, len(texts))
	for i, text := range texts {
		switch {
		case !c.config.Blank && strings.TrimSpace(text) == "":
			answers[i] = Answer{Text: text}
		case c.limits.TextCharacters > 0 && Characters(text) > c.limits.TextCharacters:
			answers[i] = Answer{Err: fmt.Errorf("%w: %d of %d characters", ErrTooLong, Characters(text), c.limits.TextCharacters)}
		default:
			answers[i] = Answer{Err: ErrNotSent}
			indices = append(indices, i)
		}
	}
	return indices
}

// Translate returns an answer for each text, in their order. An error says why the
// work ended early: the context, the budget, a fatal fault, a broken engine, the
// journal, or a pair that the engine does not translate. The answers received until
// then are returned; the other texts have ErrNotSent. When ctx ends, requests under
// way are dropped at once, unless Finish is set. When something else ends the work,
// Translate waits for them.
func (c *Caller) Translate(ctx context.Context, pair Pair, texts []string) ([]Answer, error) {
	answers := make([]Answer, len(texts))
	indices := c.worthwhile(texts, answers)
	if err := c.engine.Supports(pair); err != nil {
		return answers, c.failed(pair, err)
	}
	if len(indices) == 0 {
		return answers, ctx.Err()
	}
	w := &work{caller: c, pair: pair, texts: texts, answers: answers, requests: cut(texts, indices, c.limits, c.measure), ctx: ctx}
	w.going, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	var group sync.WaitGroup
	for range min(c.config.Parallel, len(w.requests)) {
		group.Go(w.run)
	}
	group.Wait()
	err := ctx.Err()
	if err == nil {
		err = context.Cause(w.going)
	}
	if err != nil {
		return answers, c.failed(pair, err)
	}
	return answers, nil
}

// failed says what the engine was asked for. An engine that does not translate has no pair.
func (c *Caller) failed(pair Pair, err error) error {
	if pair == (Pair{}) {
		return fmt.Errorf("%s: %w", c.engine.Name(), err)
	}
	return fmt.Errorf("translate %s by %s: %w", pair, c.engine.Name(), err)
}

// backoff returns the pauses between attempts.
func (c Config) backoff() gax.Backoff {
	return gax.Backoff{Initial: c.Pause, Max: c.MaxPause, Multiplier: 2}
}

// Retry calls f as a Caller sends a request: with Timeout, and up to Attempts times
// with growing pauses while the fault is temporary.
func Retry(ctx context.Context, c Config, f func(context.Context) error) error {
	backoff := c.backoff()
	for try := 1; ; try++ {
		err := timed(ctx, c.Timeout, f)
		fault := faultOf(err)
		if err == nil || fault.Kind == Fatal || fault.Kind == Refused || fault.RetryAfter > c.MaxRetryAfter {
			return err
		}
		if try >= c.Attempts {
			return fmt.Errorf("after %d attempts: %w", try, err)
		}
		if err := pause(ctx, max(fault.RetryAfter, backoff.Pause()), nil); err != nil {
			return err
		}
	}
}
