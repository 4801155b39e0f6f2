package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sentweave/stages/train/batches"
	"sentweave/stages/train/checkpoint"
	"sentweave/transforms/random"
)

// period takes the steps of a period that are not done, up to a spike, if spikes are looked for.
func (r *run) period(ctx context.Context, index int) (spike *divergedError, err error) {
	s := r.config.Periods[index]
	begin := r.config.steps(index)
	completed := max(0, r.record.Step-begin) // 0 also where the period before was stopped
	checkpoint := r.checkpoint
	if completed == 0 {
		checkpoint = r.chosen() // of the period before
	}
	model, err := r.options.Open(index, s, checkpoint)
	if err != nil {
		return nil, fmt.Errorf("period %s: %w", s.Name, err)
	}
	defer model.Close()
	r.noteMachine()
	if completed > 0 {
		if err := model.Load(checkpoint); err != nil {
			return nil, fmt.Errorf("load checkpoint %s: %w", r.out.work.Shown(checkpoint), err)
		}
	} else {
		r.record.Sums, r.record.Validated, r.record.Moments = Sums{}, nil, nil
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
			return nil, fmt.Errorf("source %s: %w", s.Mixture[i].Name, statesErr)
		}
		defer func() { err = errors.Join(err, vectors.close()) }() // after the loader
		r.notice(fmt.Sprintf("%s/%s: those of %s", s.Name, s.Mixture[i].Name, vectors))
		l.UseStates(vectors)
	}
	if err := r.openLogs(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.closeLogs()) }()
	r.draws = r.config.Sampling.Draws(s.Mixture, loaders)
	for _, text := range r.draws.Describe() {
		r.notice(fmt.Sprintf("period %s: %s", s.Name, text))
	}
	r.leftOut, r.places = r.record.leftOut(s.Name), r.record.placesOf(s, completed)
	for range (completed + r.leftOut) * int64(s.Accumulate) {
		r.draws.Next()
	}
	for i, l := range loaders {
		if text := l.Sampled(); text != "" {
			r.notice(fmt.Sprintf("an epoch of %s/%s draws %s", s.Name, s.Mixture[i].Name, text))
		}
		// The loop ends by itself after a step; a batch that is being read must not
		// turn the end of ctx into an error of its own.
		if s.Mixture[i].BatchTokens > 0 {
			l.StartAt(context.WithoutCancel(ctx), r.places[i])
		} else {
			l.Start(context.WithoutCancel(ctx), r.draws.Taken[i])
		}
		defer l.Close()
	}
	r.meter = meter{now: r.options.Now}
	r.meter.start()
	if r.began.IsZero() {
		r.began = r.meter.began
	}
	for step := completed + 1; step <= s.Steps; step++ {
		if r.paused() {
			return nil, r.secure(ctx, model)
		}
		last, err := r.next(ctx, model, index, step)
		if d := (*divergedError)(nil); r.config.MaxSpike > 0 && errors.As(err, &d) {
			return d, nil
		}
		if err != nil || last {
			return nil, err
		}
	}
	return nil, nil
}

// next takes a step of a period, counted from 1, and writes what is due after it. Last says that it ends the period.
func (r *run) next(ctx context.Context, model Trainer, index int, step int64) (last bool, err error) {
	if ctx.Err() != nil {
		return false, r.stopped(ctx, model, ctx.Err())
	}
	s, begin := r.config.Periods[index], r.config.steps(index)
	line, err := r.step(model, s, r.loaders[index], begin, step)
	if err != nil {
		return false, err
	}
	global, last := begin+step, step == s.Steps
	var figures map[string]float64
	if v := r.config.Validation; v != nil && (step%v.Every == 0 || last) {
		if figures, err = r.validate(model, s, r.held[index], global); err != nil {
			return false, err
		}
		last = last || r.record.Validated.Stopped
	}
	if global%int64(r.config.LogEvery) == 0 || figures != nil || last {
		if err := r.log(s, line.Rate, figures); err != nil {
			return false, err
		}
	}
	over := r.options.MaxTime > 0 && !last && r.options.Now().Sub(r.began) >= r.options.MaxTime
	if over {
		r.record.MaxTime = r.options.MaxTime.String()
	}
	best := figures != nil && r.record.Validated.Best == global
	if global%int64(r.config.CheckpointEvery) == 0 || best || last {
		if err := r.save(ctx, model, true); err != nil {
			return false, err
		}
	}
	if over {
		return false, r.stopped(ctx, model, fmt.Errorf("%w: %v", ErrTime, r.options.MaxTime))
	}
	return last, nil
}

// ErrTime is matched by the error of a run that has ended since its MaxTime was over.
var ErrTime = errors.New("the time of --max-time is over")

// stopped writes a checkpoint of what is not in one yet, and returns the reason as an error.
func (r *run) stopped(ctx context.Context, model Trainer, reason error) error {
	if err := r.secure(ctx, model); err != nil {
		return err
	}
	return fmt.Errorf("stopped after step %d of %d, %s; the same command goes on from there: %w", r.record.Step, r.record.Steps,
		r.lastGood(), reason)
}

// noteMachine records where the model that was just opened computes, if the last step was taken elsewhere.
func (r *run) noteMachine() {
	if r.options.Machine == nil {
		return
	}
	m := r.options.Machine()
	if n := len(r.record.Machines); n > 0 {
		if m.Step = r.record.Machines[n-1].Step; m == r.record.Machines[n-1] {
			return
		}
	}
	m.Step = r.record.Step
	r.record.Machines = append(slices.Clip(r.record.Machines), m)
}

// step takes one step of a period, counted from 1, and returns its figures.
func (r *run) step(model Trainer, s Period, loaders []*batches.Loader, begin, step int64) (Line, error) {
	line := Line{Step: begin + step, Period: s.Name, Losses: make(map[string]float64, len(loaders)), Rate: s.at(step)}
	var ids []string
	turns, err := r.turns(s, loaders)
	if err != nil {
		return line, fmt.Errorf("step %d of period %s: %w; %s", line.Step, s.Name, err, r.lastGood())
	}
	for _, t := range turns {
		source := s.Mixture[t.source]
		seed := random.New(batches.Streams, r.config.Seed, "dropout", s.Name+"/"+source.Name, (step-1+r.leftOut)*int64(s.Accumulate)+t.draw)
		loss, err := model.Accumulate(t.Batch.Batch, source.Weight, t.items.shares(t.Items()), seed.Uint64())
		if err != nil {
			return line, fmt.Errorf("step %d of period %s: %s: %w; %s", line.Step, s.Name, source.Name, err, r.lastGood())
		}
		if !finite(loss) {
			return line, r.diverged(line.Step, s.Name, source.Name, loss, t.IDs)
		}
		line.Losses[source.Name] += loss
		line.Tokens += int64(t.Tokens())
		ids = append(ids, t.IDs...)
	}
	shares := sharesOf(s, turns)
	if err := r.judge(s, line, shares, ids); err != nil {
		return line, err
	}
	norm, err := model.Update(line.Rate)
	if err != nil {
		return line, fmt.Errorf("step %d of period %s: %w; %s", line.Step, s.Name, err, r.lastGood())
	}
	if !finite(norm) {
		return line, r.diverged(line.Step, s.Name, normName, norm, ids)
	}
	line.GradientNorm = norm
	for _, source := range s.Mixture {
		line.Loss += source.Weight * line.Losses[source.Name]
	}
	r.learn(s, line, shares)
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
	shares, drawn := sharesOf(s, turns), make([]map[string]int64, len(loaders))
	for _, t := range turns {
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
		p := Position{Source: source.Name, Epoch: loaders[i].Epoch(taken, r.places[i]), Batch: taken, Drawn: drawn[i]}
		if source.BatchTokens > 0 {
			place := r.places[i]
			p.Place = &place
		}
		r.record.Positions = append(r.record.Positions, p)
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
			examples := p.Batch * int64(s.Mixture[i].BatchSize)
			if p.Place != nil { // those of whole pools
				examples = p.Place.Row
			}
			list = append(list, scalar{"drawn/" + p.Source, float64(examples)})
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

// save writes a checkpoint, after the lines of losses that it vouches for. Spikes go back to one that is due, not to one
// of an interruption.
func (r *run) save(ctx context.Context, model Trainer, due bool) error {
	begin := r.options.Now()
	if err := errors.Join(r.losses.Settle(true), r.events.out.Settle(false)); err != nil {
		return fmt.Errorf("write %s: %w", LossesName, wayOut(err))
	}
	record := *r.record
	if due {
		record.anchorHere()
	}
	folder := r.out.checkpoints.Path(record.Step)
	err := r.out.checkpoints.Save(ctx, record.state(), model.Save, func(files []checkpoint.File) ([]byte, error) {
		record.Files = files
		return record.encode()
	})
	if d := r.divergedModel(err); d != nil {
		return d
	}
	if err != nil {
		return fmt.Errorf("write checkpoint %s: %w; %s", r.out.work.Shown(folder), wayOut(err), r.lastGood())
	}
	r.checkpoint, r.saved, r.record.Anchors = folder, record.Step, record.Anchors
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
