package fill

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/testsets/benchmark"
)

// translateTask translates the segments of a bucket.
type translateTask struct {
	Judge   *judge
	Engines Engines
	Pairs   []pairEngine
	// Back translate what the pairs gave, to compare it with the text; nil where that is
	// not looked at. In the service they are behind the pairs.
	Back []pairEngine
	// Trial ends the work if nearly none of an engine's answers can be used.
	Trial    bool
	Segments exchange.Exchange
	Output   string
}

// Setup implements units.Task.
func (t *translateTask) Setup(ctx context.Context) error { return t.Judge.setup(ctx) }

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

// window returns the segments and bytes of one.
func (e Engines) window() (segments, bytes int) {
	if slices.ContainsFunc(e.Settings.All(), func(s engines.Settings) bool { return s.Describe().Batch > 0 }) {
		return batchSegments, batchBytes
	}
	return windowSegments, windowBytes
}

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
	said answer
	// first is what was said at the first try, where there is a second.
	first answer
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
	answers, err := readJournal(ctx, journal)
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
				w.err = t.translate(ctx, asker{service, journal, answers, t.judge}, w)
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
	segments, bytes := t.Engines.window()
	gauge := units.GaugeOf(ctx)
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
		gauge.Ask(1)
		if s.rank > 0 {
			gauge.Answer(1)
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
	pair, err := layout{Pairs: len(t.Pairs)}.pairOf(key)
	return todo{segment: s, pair: pair}, err
}

// translate finds an answer for each segment of a window that no memory has: in the
// journal, or by asking the engine, twice if the first answer cannot be used.
func (t *translateTask) translate(ctx context.Context, a asker, w *window) error {
	checker, release := t.Judge.checker()
	defer release()
	open := make([]*todo, 0, len(w.segments))
	for i := range w.segments {
		if x := &w.segments[i]; x.rank == 0 {
			open = append(open, x)
		}
	}
	backs := map[request]*answer{}
	for try := 1; try <= 2; try++ {
		questions := make([]question, len(open))
		for i, x := range open {
			questions[i] = question{x.pair, x.text, &x.said}
		}
		if err := a.ask(ctx, questions, try, try == 2); err != nil {
			return err
		}
		for _, x := range open {
			if try == 2 && x.said.text == "" {
				x.said = x.first // none is no better
			}
			if x.said.reason == "" {
				x.said = t.Judge.check(checker, t.Pairs[x.pair].Pair, x.text, x.said)
			}
		}
		if len(t.Back) > 0 {
			if err := t.roundTrip(ctx, a, checker, open, backs); err != nil {
				return err
			}
		}
		retries := open[:0]
		for _, x := range open {
			if x.said.reason != "" && !final(x.said.reason) {
				x.first = x.said
				retries = append(retries, x)
			}
		}
		open = retries
	}
	return nil
}

// judge returns what is wrong with an answer, for any goroutine.
func (t *translateTask) judge(pair int, text string, said answer) string {
	checker, release := t.Judge.checker()
	defer release()
	return t.Judge.check(checker, t.Pairs[pair].Pair, text, said).reason
}

// roundTrip asks for the translations that have passed to be translated back, and
// rejects those of which something too unlike the text comes. Backs are those of the
// window so far. What the engine does not translate back is not judged.
func (t *translateTask) roundTrip(ctx context.Context, a asker, checker *checks.Checker, list []*todo, backs map[request]*answer) error {
	var questions []question
	reverse := func(x *todo) request { return askedOf(t.Back[x.pair].Pair, x.said.text) }
	for _, x := range list {
		if key := reverse(x); x.said.reason == "" && backs[key] == nil {
			backs[key] = &answer{}
			questions = append(questions, question{len(t.Pairs) + x.pair, x.said.text, backs[key]})
		}
	}
	units.GaugeOf(ctx).Ask(len(questions))
	if err := a.ask(ctx, questions, 1, true); err != nil {
		return err
	}
	for _, x := range list {
		if x.said.reason != "" || backs[reverse(x)].reason != "" {
			continue
		}
		came := benchmark.Clean(backs[reverse(x)].text)
		if _, ok := checker.CheckRoundTrip(x.text, came); !ok {
			x.said.reason, x.said.detail = string(checks.RoundTrip), came
		}
	}
	return nil
}

// final says whether it is of no use to ask for a text again.
func final(reason string) bool {
	return reason == reasonTooLong || reason == engines.Refused.String() || reason == engines.Malformed.String() ||
		reason == engines.Crashed.String()
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
		detail := cmp.Or(row.Translation, x.said.detail)
		if row.Translation != "" && x.said.detail != "" {
			detail += " → " + x.said.detail
		}
		r.Add(schemas.Reject{ID: row.Key, Step: step, Reason: row.Reason, Language: pair, Detail: dataset.Sample(detail), Sample: row.Text})
	}
	return f.Drop(chainAnswers, pair, step, row.Reason, 1)
}
