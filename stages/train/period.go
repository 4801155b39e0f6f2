package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"sentweave/stages/train/batches"
	"sentweave/stages/train/checkpoint"
	"sentweave/transforms/random"
)

// period takes the steps of a period that are not done.
func (r *run) period(ctx context.Context, index int) (err error) {
	s := r.config.Periods[index]
	begin := r.config.steps(index)
	completed := max(0, r.record.Step-begin) // 0 also where the period before was stopped
	checkpoint := r.checkpoint
	if completed == 0 {
		checkpoint = r.chosen() // of the period before
	}
	model, err := r.options.Open(index, s, checkpoint)
	if err != nil {
		return fmt.Errorf("period %s: %w", s.Name, err)
	}
	defer model.Close()
	if completed > 0 {
		if err := model.Load(checkpoint); err != nil {
			return fmt.Errorf("load checkpoint %s: %w", r.out.work.Shown(checkpoint), err)
		}
	} else {
		r.record.Sums, r.record.Validated = Sums{}, nil
		if r.config.Validation != nil {
			r.record.Validated = &Validated{}
		}
	}
	loaders := r.loaders[index]
	for i, l := range loaders {
		if l.Stored() == nil {
			continue
		}
		r.notice(fmt.Sprintf("%s/%s: reading the vectors of tokens from %s", s.Name, s.Mixture[i].Name, l.Stored()))
		vectors, statesErr := r.states(ctx, l.Stored())
		if statesErr != nil {
			return fmt.Errorf("source %s: %w", s.Mixture[i].Name, statesErr)
		}
		defer func() { err = errors.Join(err, vectors.close()) }() // after the loader
		r.notice(fmt.Sprintf("%s/%s: those of %s", s.Name, s.Mixture[i].Name, vectors))
		l.UseStates(vectors)
	}
	if err := r.openLogs(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.closeLogs()) }()
	r.draws = r.config.Sampling.Draws(s.Mixture, loaders)
	for _, text := range r.draws.Describe() {
		r.notice(fmt.Sprintf("period %s: %s", s.Name, text))
	}
	for range completed * int64(s.Accumulate) {
		r.draws.Next()
	}
	for i, l := range loaders {
		if text := l.Sampled(); text != "" {
			r.notice(fmt.Sprintf("an epoch of %s/%s draws %s", s.Name, s.Mixture[i].Name, text))
		}
		// The loop ends by itself after a step; a batch that is being read must not
		// turn the end of ctx into an error of its own.
		l.Start(context.WithoutCancel(ctx), r.draws.Taken[i])
		defer l.Close()
	}
	r.meter = meter{now: r.options.Now}
	r.meter.start()
	for step := completed + 1; step <= s.Steps; step++ {
		if ctx.Err() != nil {
			return r.interrupted(ctx, model)
		}
		if r.paused() {
			return r.secure(ctx, model)
		}
		line, err := r.step(model, s, loaders, begin, step)
		if err != nil {
			return err
		}
		global, last := begin+step, step == s.Steps
		var figures map[string]float64
		if v := r.config.Validation; v != nil && (step%v.Every == 0 || last) {
			if figures, err = r.validate(model, s, r.held[index], global); err != nil {
				return err
			}
			last = last || r.record.Validated.Stopped
		}
		if global%int64(r.config.LogEvery) == 0 || figures != nil || last {
			if err := r.log(s, line.Rate, figures); err != nil {
				return err
			}
		}
		best := figures != nil && r.record.Validated.Best == global
		if global%int64(r.config.CheckpointEvery) == 0 || best || last {
			if err := r.save(ctx, model); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	return nil
}

// interrupted writes a checkpoint of what is not in one yet.
func (r *run) interrupted(ctx context.Context, model Trainer) error {
	if err := r.secure(ctx, model); err != nil {
		return err
	}
	return fmt.Errorf("stopped after step %d of %d, %s; the same command goes on from there: %w", r.record.Step, r.record.Steps,
		r.lastGood(), ctx.Err())
}

// step takes one step of a period, counted from 1, and returns its figures.
func (r *run) step(model Trainer, s Period, loaders []*batches.Loader, begin, step int64) (Line, error) {
	line := Line{Step: begin + step, Period: s.Name, Losses: make(map[string]float64, len(loaders)), Rate: s.at(step)}
	diverged := func(what string, value float64, ids []string) error {
		return &divergedError{line.Step, s.Name, what, value, ids, r.out.work.Shown(r.checkpoint)}
	}
	var ids []string
	turns, err := r.turns(s, loaders)
	if err != nil {
		return line, fmt.Errorf("step %d of period %s: %w; %s", line.Step, s.Name, err, r.lastGood())
	}
	for _, t := range turns {
		source := s.Mixture[t.source]
		seed := random.New(batches.Streams, r.config.Seed, "dropout", s.Name+"/"+source.Name, (step-1)*int64(s.Accumulate)+t.draw)
		loss, err := model.Accumulate(t.Batch.Batch, source.Weight, t.items.shares(t.Items()), seed.Uint64())
		if err != nil {
			return line, fmt.Errorf("step %d of period %s: %s: %w; %s", line.Step, s.Name, source.Name, err, r.lastGood())
		}
		if !finite(loss) {
			return line, diverged(source.Name, loss, t.IDs)
		}
		line.Losses[source.Name] += loss
		line.Tokens += int64(t.Tokens())
		ids = append(ids, t.IDs...)
	}
	norm, err := model.Update(line.Rate)
	if err != nil {
		return line, fmt.Errorf("step %d of period %s: %w; %s", line.Step, s.Name, err, r.lastGood())
	}
	if !finite(norm) {
		return line, diverged(normName, norm, ids)
	}
	line.GradientNorm = norm
	for _, source := range s.Mixture {
		line.Loss += source.Weight * line.Losses[source.Name]
	}
	r.advance(s, loaders, turns, line, step)
	return line, nil
}

// addCounts adds counts to others.
func addCounts[N int64 | float64](sums, counts map[string]N) map[string]N {
	if sums == nil && counts != nil {
		sums = make(map[string]N, len(counts))
	}
	for name, n := range counts {
		sums[name] += n
	}
	return sums
}

// advance counts a step that was taken, given the batches of it.
func (r *run) advance(s Period, loaders []*batches.Loader, turns []turn, line Line, step int64) {
	shares := map[string]float64{} // of each source in the items of those that take turns
	drawn := make([]map[string]int64, len(loaders))
	for _, t := range turns {
		shares[s.Mixture[t.source].Name] = t.items.share(t.source)
		drawn[t.source] = addCounts(drawn[t.source], t.Drawn)
	}
	previous := r.record.Positions
	if step == 1 {
		previous = nil
	}
	r.record.Step, r.record.Period, r.record.PeriodStep = line.Step, s.Name, step
	r.record.Positions = r.record.Positions[:0:0]
	for i, source := range s.Mixture {
		taken := r.draws.Taken[i]
		if i < len(previous) {
			drawn[i] = addCounts(drawn[i], previous[i].Drawn)
		}
		r.record.Positions = append(r.record.Positions, Position{source.Name, loaders[i].Epoch(taken), taken, drawn[i]})
	}
	r.record.Sums.add(line)
	if r.config.Sampling.Sources() {
		r.record.Sums.Shares = addCounts(r.record.Sums.Shares, shares)
		for name, share := range shares { // the mean over the source's own items
			line.Losses[name] /= share
		}
	}
	r.result.Steps++
	r.result.Tokens += line.Tokens
	r.meter.step(line.Tokens)
	r.meter.fill(&line, r.record.Steps)
	if f := r.options.Observer.Step; f != nil {
		f(Progress{line, r.record.Steps})
	}
}

func (s *Sums) add(l Line) {
	if s.Losses == nil {
		s.Losses = map[string]float64{}
	}
	s.Steps++
	for name, loss := range l.Losses {
		s.Losses[name] += loss
	}
	s.GradientNorm += l.GradientNorm
	s.Tokens += l.Tokens
}

// log writes the means since the last line, and the losses of what is held out, if it was
// validated.
func (r *run) log(s Period, rate float64, figures map[string]float64) error {
	line := r.record.Sums.line(s)
	line.Step, line.Period, line.Rate, line.Validation = r.record.Step, s.Name, rate, figures
	r.meter.fill(&line, r.record.Steps)
	if err := writeLine(r.losses, line); err != nil {
		return err
	}
	list := []scalar{{"loss", line.Loss}}
	for _, source := range s.Mixture {
		if loss, ok := line.Losses[source.Name]; ok {
			list = append(list, scalar{"loss/" + source.Name, loss})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		list = append(list, scalar{"validation/" + name, figures[name]})
	}
	for i, p := range r.record.Positions {
		if r.config.Sampling.Sources() {
			list = append(list, scalar{"drawn/" + p.Source, float64(p.Batch * int64(s.Mixture[i].BatchSize))})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Drawn)) {
			list = append(list, scalar{"drawn/" + p.Source + "/" + name, float64(p.Drawn[name])})
		}
	}
	list = append(list, scalar{normName, line.GradientNorm}, scalar{"rate", line.Rate}, scalar{"tokens_per_second", line.TokensPerSecond},
		scalar{"wait_share", line.WaitShare}, scalar{"rss_bytes", float64(line.RSSBytes)})
	r.record.Sums = Sums{}
	r.count()
	return r.events.scalars(line.Step, list)
}

// count moves the time since the last line to the result.
func (r *run) count() {
	seconds, wait := r.meter.reset()
	r.result.Seconds += seconds
	r.result.Wait += wait
}

// save writes a checkpoint, after the lines of losses that it vouches for.
func (r *run) save(ctx context.Context, model Trainer) error {
	begin := r.options.Now()
	if err := errors.Join(r.losses.Settle(true), r.events.out.Settle(false)); err != nil {
		return fmt.Errorf("write %s: %w", LossesName, wayOut(err))
	}
	record := *r.record
	folder := r.out.checkpoints.Path(record.Step)
	err := r.out.checkpoints.Save(ctx, record.state(), model.Save, func(files []checkpoint.File) ([]byte, error) {
		record.Files = files
		return record.encode()
	})
	if err != nil {
		return fmt.Errorf("write checkpoint %s: %w; %s", r.out.work.Shown(folder), wayOut(err), r.lastGood())
	}
	r.checkpoint, r.saved = folder, record.Step
	r.meter.skip(r.options.Now().Sub(begin))
	if f := r.options.Observer.Checkpoint; f != nil {
		f(record.Step, r.out.work.Shown(folder))
	}
	return nil
}

func (r *run) lastGood() string { return lastGood(r.out.work.Shown(r.checkpoint)) }

func (r *run) openLogs() (err error) {
	if r.losses, err = r.out.work.Append(r.out.path(LossesName)); err != nil {
		return err
	}
	r.events, err = openEvents(r.out.work, r.out.runPath(eventsFolder), r.record.Step+1, r.options.Now)
	if err != nil {
		return errors.Join(err, r.losses.Close())
	}
	return nil
}

func (r *run) closeLogs() error {
	r.count()
	return errors.Join(r.losses.Close(), r.events.out.Close())
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// meter measures the speed since the last line, and of all steps of the period in
// this run.
type meter struct {
	now         func() time.Time
	began, line time.Time
	wait        time.Duration
	tokens      int64
	steps       int64
}

func (m *meter) start() { m.began = m.now(); m.line = m.began }

// skip leaves out a time.
func (m *meter) skip(d time.Duration) { m.began = m.began.Add(d); m.line = m.line.Add(d) }

func (m *meter) step(tokens int64) { m.tokens += tokens; m.steps++ }

// fill sets the figures of speed and memory.
func (m *meter) fill(l *Line, steps int64) {
	l.RSSBytes = residentBytes()
	now := m.now()
	l.Seconds = now.Sub(m.line).Seconds()
	if l.Seconds > 0 {
		l.TokensPerSecond = float64(m.tokens) / l.Seconds
		l.WaitShare = m.wait.Seconds() / l.Seconds
	}
	if m.steps > 0 {
		l.RemainingSeconds = now.Sub(m.began).Seconds() / float64(m.steps) * float64(steps-l.Step)
	}
}

// reset begins a new line and returns the seconds of the last.
func (m *meter) reset() (seconds, wait float64) {
	now := m.now()
	seconds, wait = now.Sub(m.line).Seconds(), m.wait.Seconds()
	m.line, m.wait, m.tokens = now, 0, 0
	return seconds, wait
}
