package lookup

import (
	"context"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
)

// pivotTask spills both memories of a way there and back by what they share: the
// text in the pivot language.
type pivotTask struct {
	Pairs       []engines.Pair
	There, Back []memoryFrom
	Pivot       exchange.Exchange
}

// Setup implements units.Task.
func (t *pivotTask) Setup(ctx context.Context) error { return reopen(ctx, t.There, t.Back) }

// Do implements units.Task.
func (t *pivotTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	out, err := t.Pivot.Begin(ctx, env, unit.Ordinal, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	var key, value []byte
	back, isBack := memoryOf(t.Back, unit.Ordinal)
	from := back
	if !isBack {
		from, _ = memoryOf(t.There, unit.Ordinal)
	}
	err = units.DatasetRows(ctx, from.Dataset, unit, func(row schemas.Translation) error {
		pair := engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}
		if isBack {
			pair.Source, pair.Target = pair.Target, pair.Source
		}
		number := slices.Index(t.Pairs, pair)
		if number < 0 {
			return nil
		}
		if isBack {
			key, value = appendKey(key[:0], number, row.Text), toldOf(row, from.Rank).append(value[:0])
		} else if row.Status != schemas.TranslationOK {
			return nil // it was not translated back
		} else {
			// Who asks is the text that was translated there.
			key, value = appendKey(key[:0], number, row.Translation), appendKey([]byte{kindAsked}, number, row.Text)
		}
		return out.Add(key, value)
	})
	if err != nil {
		return err
	}
	return out.Commit(ctx)
}

// Routes implements units.Router.
func (t *pivotTask) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.Pivot.Routes(ctx, env, unit)
}

// askTask spills where texts are wanted and what memories have. Through a pivot, a
// memory is what its first units compose.
type askTask struct {
	Texts     *texts.Source
	Splits    []string
	Pairs     []engines.Pair
	Apart     bool
	Reading   int // number of reading units
	First     int // ordinal of the first of them
	Memories  []memoryFrom
	Pivot     exchange.Exchange
	Composing int // number of units that compose
	Asked     exchange.Exchange
}

// Setup implements units.Task.
func (t *askTask) Setup(ctx context.Context) error {
	if err := t.Texts.Reopen(ctx); err != nil {
		return err
	}
	return reopen(ctx, t.Memories)
}

// Do implements units.Task.
func (t *askTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	out, err := t.Asked.Begin(ctx, env, unit.Ordinal, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	from, isMemory := memoryOf(t.Memories, unit.Ordinal)
	switch {
	case unit.Ordinal >= t.First:
		err = t.ask(ctx, unit, out)
	case isMemory:
		err = t.tell(ctx, from, unit, out)
	default:
		err = t.compose(ctx, env, unit, refs, out)
	}
	if err != nil {
		return err
	}
	return out.Commit(ctx)
}

func (t *askTask) ask(ctx context.Context, unit dataset.Unit, out *exchange.Output) error {
	var key, value []byte
	number := uint32(0)
	return t.Texts.Each(ctx, unit, func(x texts.Text) error {
		for p, pair := range t.Pairs {
			if pair.Source != x.Language || !x.Of(t.Splits) {
				continue
			}
			to := unit.Ordinal - t.First
			if t.Apart {
				to += p * t.Reading
			}
			key, value = appendKey(key[:0], p, x.Text), asked{unit: uint32(to), text: number}.append(value[:0])
			if err := out.Add(key, value); err != nil {
				return err
			}
		}
		number++
		return nil
	})
}

func (t *askTask) tell(ctx context.Context, from memoryFrom, unit dataset.Unit, out *exchange.Output) error {
	var key, value []byte
	return units.DatasetRows(ctx, from.Dataset, unit, func(row schemas.Translation) error {
		number := slices.Index(t.Pairs, engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage})
		if number < 0 {
			return nil
		}
		key, value = appendKey(key[:0], number, row.Text), toldOf(row, from.Rank).append(value[:0])
		return out.Add(key, value)
	})
}

// compose makes a memory there and back: what is told of a text in the pivot language
// goes to each text that was translated into it.
func (t *askTask) compose(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref, out *exchange.Output) error {
	return join(t.Pivot.Merge(ctx, env, unit.Ordinal, refs, nil), func(record spill.Record, best []byte) error {
		if best == nil {
			return nil // not translated back
		}
		return out.Add(record.Value[1:], best)
	})
}

// Routes implements units.Router.
func (t *askTask) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.Asked.Routes(ctx, env, unit)
}
