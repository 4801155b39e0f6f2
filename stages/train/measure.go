package train

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"sentweave/schemas/storage/workspace"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

// Measured is what the steps of a period take.
type Measured struct {
	Period string
	// Steps is how many the period has.
	Steps int64
	// StepSeconds and StepTokens are means of those that were taken.
	StepSeconds, StepTokens float64
}

// Measure takes steps of each period with models that are thrown away, and says what one
// takes. It writes nothing. The first step of a period is not counted; the others go on for
// the time that is given, and are two at least. Waiting for data counts. The calling
// goroutine is kept on its thread.
func Measure(ctx context.Context, c Config, o Options, duration time.Duration) (list []Measured, err error) {
	c = c.WithDefaults()
	if err := errors.Join(c.Validate(), o.validate()); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Observer = Observer{}
	c.MaxSpike = 0 // no checkpoint is there to go back to
	r := &run{config: c, options: o, vocabulary: c.Vocabulary, out: &output{work: &workspace.Workspace{}}, record: &Record{}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i, s := range c.Periods {
		m, err := r.measure(ctx, i, s, duration)
		if err != nil {
			return nil, fmt.Errorf("period %s: %w", s.Name, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// measure takes steps of a period.
func (r *run) measure(ctx context.Context, index int, s Period, duration time.Duration) (m Measured, err error) {
	loaders, _, err := r.open(ctx, s)
	if err != nil {
		return m, err
	}
	model, err := r.options.Open(index, s, "")
	if err != nil {
		return m, err
	}
	defer model.Close()
	r.draws = r.config.Sampling.Draws(s.Mixture, loaders)
	for _, l := range loaders {
		if stored := l.Stored(); stored != nil {
			blank, err := stored.Blank(ctx)
			if err != nil {
				return m, err
			}
			l.UseStates(blank)
		}
		l.Start(ctx, 0)
		defer l.Close()
	}
	r.meter, r.places = meter{now: r.options.Now}, make([]batches.Place, len(loaders))
	m = Measured{Period: s.Name, Steps: s.Steps}
	steps, tokens := 0, int64(0)
	var began time.Time
	for step := int64(1); step <= max(s.Steps, 3); step++ {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		line, err := r.step(model, s, loaders, 0, step)
		if err != nil {
			return m, err
		}
		now := r.options.Now()
		if step == 1 {
			began = now
			continue
		}
		steps, tokens = steps+1, tokens+line.Tokens
		m.StepSeconds, m.StepTokens = now.Sub(began).Seconds()/float64(steps), float64(tokens)/float64(steps)
		if steps >= 2 && now.Sub(began) >= duration {
			break
		}
	}
	return m, nil
}

// CountTokens says what Measure says, but without a model and by a clock that counts tokens: StepTokens are a function of
// the configuration and the datasets, over the steps after the first one that have so many tokens, or over all steps.
// StepSeconds mean nothing.
func CountTokens(ctx context.Context, c Config, o Options, tokens int64) ([]Measured, error) {
	count := new(counter)
	o.Open = func(int, Period, string) (Trainer, error) { return count, nil }
	o.Now = func() time.Time { return time.Unix(0, count.tokens) }
	return Measure(ctx, c, o, time.Duration(tokens))
}

// counter is a model that learns nothing.
type counter struct{ tokens int64 }

func (c *counter) Accumulate(b objective.Batch, _ float64, _ []float64, _ uint64) (float64, error) {
	c.tokens += int64(b.Tokens())
	return 0, nil
}

func (*counter) Loss(objective.Batch, []float64) (float64, error) { return 0, nil }
func (*counter) Update(float64) (float64, error)                  { return 0, nil }
func (*counter) Save(string) error                                { return nil }
func (*counter) Load(string) error                                { return nil }
func (*counter) Close()                                           {}
