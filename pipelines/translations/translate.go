package translations

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/benchmark"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/langid"
)

// translateTask translates the segments of a bucket.
type translateTask struct {
	Quality  Quality
	Engines  Engines
	Pairs    []pairEngine
	Langid   units.File // without a location where languages are not looked at
	Segments exchange.Exchange
	Output   string

	accepted map[checks.Verdict]bool
	checkers sync.Pool // of *checks.Checker; each has its own identifier
}

// Setup implements units.Task.
func (t *translateTask) Setup(ctx context.Context) error {
	t.accepted = map[checks.Verdict]bool{checks.OK: true}
	for _, verdict := range t.Quality.Accept {
		t.accepted[checks.Verdict(verdict)] = true
	}
	var languages langid.Identifier
	if t.Langid.Location != "" {
		if err := t.Langid.Verify(ctx); err != nil {
			return fmt.Errorf("language identifier: %w", err)
		}
		var err error
		if languages, err = identifier.Open(ctx, t.Langid.Location); err != nil {
			return err
		}
	}
	if _, err := checks.NewChecker(t.Quality.checks(), nil); err != nil {
		return err
	}
	t.checkers.New = func() any {
		var own checks.Identifier
		if languages != nil {
			own = languages.Clone()
		}
		c, _ := checks.NewChecker(t.Quality.checks(), own) // its configuration is checked above
		return c
	}
	return nil
}

// A window is what is translated at once: enough for all slots, little enough for the
// memory of several of them.
const (
	windowSegments = 4096
	windowBytes    = 2 << 20
	// Batches of files are the better the larger they are.
	batchSegments = 1 << 18
	batchBytes    = 16 << 20
	// windowsAhead are those under way beside the one that is written, so that the
	// slots are never idle at the end of one.
	windowsAhead = 2
)

// window is a run of segments in the order of the output.
type window struct {
	segments []todo
	bytes    int
	done     chan struct{}
	err      error
}

// todo is a segment on its way.
type todo struct {
	segment
	pair int
	key  string
	said answer
}

// Do implements units.Task.
func (t *translateTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	journal := env.Plan.Journal(env.Folder, unit.Ordinal)
	unlock, err := journal.Lock(ctx) // another launcher may pay for the same texts now
	if err != nil {
		return err
	}
	defer unlock()
	if committed, err := env.Plan.Committed(ctx, env.Folder, unit.Ordinal); err != nil || committed {
		return err
	}
	attempt, err := dataset.Begin[schemas.Translation](env.Folder, env.Plan, unit.Ordinal, chains(false)...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	known, err := readJournal(ctx, journal)
	if err != nil {
		return err
	}
	service, release, err := t.acquire(ctx, env)
	if err != nil {
		return err
	}
	defer release()

	group, groupCtx := errgroup.WithContext(ctx)
	windows := make(chan *window, windowsAhead)
	group.Go(func() error { // in order: rows have one. The shard lives longer than the group
		for w := range windows {
			<-w.done
			if w.err != nil {
				return w.err
			}
			for i := range w.segments {
				if err := t.write(ctx, attempt, &w.segments[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	group.Go(func() error {
		defer close(windows)
		start := func(w *window) error {
			select {
			case windows <- w:
			case <-groupCtx.Done():
				return context.Cause(groupCtx)
			}
			group.Go(func() error {
				defer close(w.done)
				// Not the group's context: what was sent is waited for, since it was paid for.
				w.err = t.translate(ctx, service, journal, known, w)
				return w.err
			})
			return nil
		}
		return t.windows(groupCtx, env, unit, refs, start)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if err := attempt.Commit(ctx); err != nil {
		return err
	}
	return journal.Remove(ctx)
}

// windows cuts the segments of the unit that are asked for into windows.
func (t *translateTask) windows(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref, start func(*window) error) error {
	segments, bytes := windowSegments, windowBytes
	if t.Engines.Google.Batch != "" {
		segments, bytes = batchSegments, batchBytes
	}
	w := &window{done: make(chan struct{})}
	for record, err := range t.Segments.Merge(ctx, env, unit.Ordinal, refs, combineSegments) {
		if err != nil {
			return err
		}
		s, err := t.parse(record.Key, record.Value)
		if err != nil {
			return err
		}
		if s.count == 0 {
			continue
		}
		w.segments, w.bytes = append(w.segments, s), w.bytes+len(record.Value)
		if len(w.segments) == segments || w.bytes >= bytes {
			if err := start(w); err != nil {
				return err
			}
			w = &window{done: make(chan struct{})}
		}
	}
	return start(w)
}

func (t *translateTask) parse(key, value []byte) (todo, error) {
	s, err := parseSegment(value)
	if err != nil {
		return todo{}, err
	}
	pair, err := layout{len(t.Pairs), t.Segments.Buckets}.pairOf(key)
	return todo{segment: s, pair: pair, key: string(key)}, err
}

// translate finds an answer for each segment of a window that no memory has: in the
// journal, or by asking the engine, twice if the first answer cannot be used.
func (t *translateTask) translate(ctx context.Context, s *service, journal *dataset.Journal, known *past, w *window) error {
	checker := t.checkers.Get().(*checks.Checker)
	defer t.checkers.Put(checker)
	open := make([]*todo, 0, len(w.segments))
	for i := range w.segments {
		if w.segments[i].rank == 0 {
			open = append(open, &w.segments[i])
		}
	}
	for try := 1; try <= 2; try++ {
		if err := t.ask(ctx, s, journal, known, open, try); err != nil {
			return err
		}
		again := open[:0]
		for _, x := range open {
			if x.said.reason == "" {
				x.said.text = benchmark.Clean(x.said.text)
				if verdict := checker.Check(t.Pairs[x.pair].Pair, x.text, x.said.text); !t.accepted[verdict] || x.said.text == "" {
					x.said.reason = string(verdict)
				}
			}
			if x.said.reason != "" && !final(x.said.reason) {
				again = append(again, x)
			}
		}
		open = again
	}
	return nil
}

// final says whether it is of no use to ask for a text again.
func final(reason string) bool { return reason == reasonTooLong || reason == engines.Refused.String() }

// ask gives each segment its answer of a try.
func (t *translateTask) ask(ctx context.Context, s *service, journal *dataset.Journal, known *past, segments []*todo, try int) error {
	byPair := map[int][]*todo{}
	for _, x := range segments {
		if said, ok := known.tries[try-1][x.key]; ok {
			x.said = said
			continue
		}
		byPair[x.pair] = append(byPair[x.pair], x)
	}
	var group errgroup.Group // as above
	for pair, list := range byPair {
		group.Go(func() error {
			keys, texts := make([]string, len(list)), make([]string, len(list))
			for i, x := range list {
				keys[i], texts[i] = x.key, x.text
			}
			caller := s.callers[pair].Journalled(journalled(ctx, journal, s.answered, pair, try, keys))
			answers, err := s.translate(ctx, caller, t.Pairs[pair].Pair, texts)
			if err != nil {
				return err
			}
			for i, x := range list {
				if x.said = answerOf(answers[i]); try == 2 && engines.KindOf(answers[i].Err) == engines.Unavailable {
					return fmt.Errorf("translate %s: %w; run again, what was answered is kept", t.Pairs[pair].Pair, answers[i].Err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// write counts a segment and writes its row.
func (t *translateTask) write(ctx context.Context, attempt *dataset.Attempt[schemas.Translation], x *todo) error {
	p := t.Pairs[x.pair]
	row, characters := x.known, int64(engines.Characters(x.text))
	if x.rank == 0 {
		row = schemas.Translation{
			Key: p.Identity.Key(p.Pair, x.text), Engine: p.Identity.Engine, Model: p.Identity.Model, OptionsXXH3: p.Identity.OptionsXXH3(),
			Translation: x.said.text, Status: schemas.TranslationOK, Reason: x.said.reason,
		}
		if row.Reason != "" {
			row.Status = schemas.TranslationRejected
		}
	}
	row.SourceLanguage, row.TargetLanguage, row.Text, row.Characters = p.Pair.Source, p.Pair.Target, x.text, int32(characters)
	if err := count(attempt, p.Pair.String(), x, row, characters); err != nil {
		return err
	}
	return attempt.Write(ctx, row)
}

func count(attempt *dataset.Attempt[schemas.Translation], pair string, x *todo, row schemas.Translation, characters int64) error {
	f := attempt.Funnel()
	err := f.Keep(chainTexts, pair, 1)
	if err == nil && x.count > 1 {
		err = f.Drop(chainTexts, pair, stepUnique, reasonRepeated, int64(x.count-1))
	}
	if err == nil && x.rank == 0 {
		err = f.Keep(chainCharacters, pair, characters)
	} else if err == nil {
		err = f.Drop(chainCharacters, pair, stepMemory, reasonKnown, characters)
	}
	if err != nil || row.Status == schemas.TranslationOK {
		if err == nil {
			err = f.Keep(chainAnswers, pair, 1)
		}
		return err
	}
	step := stepQuality
	if row.Translation == "" && row.Reason != string(checks.Empty) {
		step = stepEngine
	}
	if r := attempt.Rejects(); r.Wants(step, row.Reason, pair, row.Key) {
		r.Add(schemas.Reject{ID: row.Key, Step: step, Reason: row.Reason, Language: pair, Detail: dataset.Sample(row.Translation), Sample: row.Text})
	}
	return f.Drop(chainAnswers, pair, step, row.Reason, 1)
}
