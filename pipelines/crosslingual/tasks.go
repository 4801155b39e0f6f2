package crosslingual

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/nli"
)

// reopen opens the datasets in a worker.
func reopen(ctx context.Context, sources []source) error {
	for _, s := range sources {
		if err := units.Reopen[schemas.Benchmark](ctx, s.Dataset); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf returns the dataset of the n-th unit of a phase.
func sourceOf(sources []source, n int) *units.Dataset {
	from := sources[0]
	for _, s := range sources[1:] {
		if n >= s.First {
			from = s
		}
	}
	return from.Dataset
}

// versionsTask tells the unit that deals which versions there are.
type versionsTask struct {
	Languages []string
	// Splits are those that are taken, all if there are none.
	Splits  []string
	Sources []source
	// First is the ordinal of the first unit of the phase.
	First    int
	Versions exchange.Exchange
}

// Setup implements units.Task.
func (t *versionsTask) Setup(ctx context.Context) error { return reopen(ctx, t.Sources) }

// Do implements units.Task.
func (t *versionsTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	out, err := t.Versions.Begin(ctx, env, unit.Ordinal, nil, chains()...)
	if err != nil {
		return err
	}
	defer out.Abort()
	n := unit.Ordinal - t.First
	row := uint32(0)
	var key, value []byte
	err = units.DatasetRows(ctx, sourceOf(t.Sources, n), unit, func(b schemas.Benchmark) error {
		defer func() { row++ }()
		if !slices.Contains(t.Languages, b.LanguageA) {
			return drop(out, b, stepLanguage, reasonLanguage)
		}
		if len(t.Splits) > 0 && !slices.Contains(t.Splits, b.Split) {
			return drop(out, b, stepSplit, ReasonSplit)
		}
		key = append(key[:0], b.ID...)
		value = version{
			language: b.LanguageA, label: b.Label, skip: b.Skip || b.Label == "",
			premise: b.TextA != "", hypothesis: b.TextB != "" && b.LanguageB == b.LanguageA,
			unit: uint32(n), row: row,
		}.append(value[:0])
		if err := out.Add(key, value); err != nil {
			return err
		}
		return out.Funnel().Keep(chainVersions, b.LanguageA, 1)
	})
	if err != nil {
		return err
	}
	return out.Commit(ctx)
}

// drop counts a version that is not dealt, and offers it to the sample.
func drop(out *exchange.Output, b schemas.Benchmark, step, reason string) error {
	if out.Rejects().Wants(step, reason, b.LanguageA, b.ID) {
		out.Rejects().Add(schemas.Reject{
			ID: b.ID, Source: b.File, Offset: int64(b.Row), Step: step, Reason: reason, Language: b.LanguageA,
			Detail: "split " + strconv.Quote(b.Split), Sample: b.TextA + "\n" + b.TextB,
		})
	}
	return out.Funnel().Drop(chainVersions, b.LanguageA, step, reason, 1)
}

// Routes implements units.Router.
func (t *versionsTask) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.Versions.Routes(ctx, env, unit)
}

// textsTask gives the texts that are wanted of its rows.
type textsTask struct {
	Sources       []source
	First         int
	Wanted, Texts exchange.Exchange
}

// Setup implements units.Task.
func (t *textsTask) Setup(ctx context.Context) error { return reopen(ctx, t.Sources) }

// Do implements units.Task.
func (t *textsTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	out, err := t.Texts.Begin(ctx, env, unit.Ordinal, nil, chains()...)
	if err != nil {
		return err
	}
	defer out.Abort()
	next, stop := iter.Pull2(t.Wanted.Merge(ctx, env, unit.Ordinal, refs, nil))
	defer stop()
	wanted := cursor{next: next}
	if err := wanted.advance(); err != nil {
		return err
	}
	row := uint32(0)
	var key, value []byte
	err = units.DatasetRows(ctx, sourceOf(t.Sources, unit.Ordinal-t.First), unit, func(b schemas.Benchmark) error {
		defer func() { row++ }()
		for !wanted.done && wanted.row == row {
			s := side{role: wanted.flags, language: b.LanguageA, label: b.Label, task: b.Task, split: b.Split, text: b.TextA}
			if wanted.flags == flagHypothesis {
				s.text = b.TextB
			}
			key, value = append(key[:0], b.ID...), s.append(value[:0])
			if err := out.Add(key, value); err != nil {
				return err
			}
			if err := wanted.advance(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !wanted.done {
		return fmt.Errorf("the exchange asks for row %d, the unit has %d", wanted.row, row)
	}
	return out.Commit(ctx)
}

// Routes implements units.Router.
func (t *textsTask) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.Texts.Routes(ctx, env, unit)
}

// cursor walks the wanted texts of a unit beside its rows.
type cursor struct {
	next  func() (spill.Record, error, bool)
	row   uint32
	flags byte
	done  bool
}

func (c *cursor) advance() error {
	record, err, ok := c.next()
	if err != nil {
		return err
	}
	if c.done = !ok; c.done {
		return nil
	}
	c.row, c.flags, err = parseWanted(record.Key, record.Value)
	return err
}

// joinTask writes the pairs of a bucket.
type joinTask struct {
	Texts exchange.Exchange
}

// Setup implements units.Task.
func (t *joinTask) Setup(context.Context) error { return nil }

// Do implements units.Task.
func (t *joinTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Pair](env.Folder, env.Plan, unit.Ordinal, chains()...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	var premise side
	var id string
	for record, err := range t.Texts.Merge(ctx, env, unit.Ordinal, refs, nil) {
		if err != nil {
			return err
		}
		s, err := parseSide(record.Value)
		if err != nil {
			return err
		}
		if s.role == flagPremise {
			if id != "" {
				return fmt.Errorf("item %s has no hypothesis", id)
			}
			premise, id = s, string(record.Key)
			continue
		}
		if id != string(record.Key) {
			return fmt.Errorf("item %s has no premise", record.Key)
		}
		row, err := nli.Join(
			schemas.Benchmark{ID: id, Task: premise.task, Label: premise.label, LanguageA: premise.language, TextA: premise.text},
			schemas.Benchmark{ID: id, Task: s.task, Label: s.label, LanguageB: s.language, TextB: s.text},
		)
		if err != nil {
			return err
		}
		if premise.split != s.split {
			return fmt.Errorf("item %s is of the split %q in %s, of %q in %s: give the versions of one corpus only", id, premise.split, premise.language, s.split, s.language)
		}
		row.Origin = schemas.Origin(s.task, s.split)
		if err := attempt.Funnel().Keep(chainItems, languagePair(row.LanguageA, row.LanguageB), 1); err != nil {
			return err
		}
		if err := attempt.Write(ctx, row); err != nil {
			return err
		}
		id = ""
	}
	if id != "" {
		return fmt.Errorf("item %s has no hypothesis", id)
	}
	return attempt.Commit(ctx)
}
