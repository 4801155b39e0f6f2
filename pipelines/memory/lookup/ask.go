package lookup

import (
	"context"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/engines"
)

// pivotTask spills both memories of a way there and back by what they share: the
// text in the pivot language.
type pivotTask struct {
	Pairs       []engines.Pair
	There, Back graph.Datasets
	graph.Nothing
}

// Setup implements graph.Task.
func (t *pivotTask) Setup(ctx context.Context) error {
	return graph.Reopen[schemas.Translation](ctx, t.There, t.Back)
}

// Spill implements graph.Spiller.
func (t *pivotTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key, value []byte
	memory, rank := t.Back.Of(unit.Ordinal)
	isBack := rank >= 0
	if !isBack {
		memory, _ = t.There.Of(unit.Ordinal)
	}
	return units.DatasetRows(ctx, memory, unit.Unit, func(row schemas.Translation) error {
		pair := engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}
		if isBack {
			pair.Source, pair.Target = pair.Target, pair.Source
		}
		number := slices.Index(t.Pairs, pair)
		if number < 0 {
			return nil
		}
		if isBack {
			key, value = appendKey(key[:0], number, row.Text), toldOf(row, rank).append(value[:0])
		} else if row.Status != schemas.TranslationOK {
			return nil // it was not translated back
		} else {
			// Who asks is the text that was translated there.
			key, value = appendKey(key[:0], number, row.Translation), appendKey([]byte{kindAsked}, number, row.Text)
		}
		return output.Add(key, value)
	})
}

// askTask spills where texts are wanted and what memories have. Through a pivot, a
// memory is what its first units compose.
type askTask struct {
	Texts    *texts.Source
	Splits   []string
	Pairs    []engines.Pair
	Apart    bool
	Reading  units.Range // of the texts
	Memories graph.Datasets
	graph.Nothing
}

// Setup implements graph.Task.
func (t *askTask) Setup(ctx context.Context) error {
	if err := t.Texts.Reopen(ctx); err != nil {
		return err
	}
	return graph.Reopen[schemas.Translation](ctx, t.Memories)
}

// Spill implements graph.Spiller.
func (t *askTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if t.Reading.Has(unit.Ordinal) {
		return t.ask(ctx, unit, output)
	}
	if memory, rank := t.Memories.Of(unit.Ordinal); rank >= 0 {
		return t.tell(ctx, memory, rank, unit, output)
	}
	return t.compose(ctx, unit, output)
}

func (t *askTask) ask(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key, value []byte
	number := uint32(0)
	return t.Texts.Each(ctx, unit.Unit, func(x texts.Text) error {
		for p, pair := range t.Pairs {
			if pair.Source != x.Language || !x.Of(t.Splits) {
				continue
			}
			target := unit.Ordinal - t.Reading.First
			if t.Apart {
				target += p * t.Reading.Count
			}
			key, value = appendKey(key[:0], p, x.Text), request{unit: uint32(target), text: number}.append(value[:0])
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		number++
		return nil
	})
}

func (t *askTask) tell(ctx context.Context, memory *units.Dataset, rank int, unit graph.Unit, output *exchange.Output) error {
	var key, value []byte
	return units.DatasetRows(ctx, memory, unit.Unit, func(row schemas.Translation) error {
		number := slices.Index(t.Pairs, engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage})
		if number < 0 {
			return nil
		}
		key, value = appendKey(key[:0], number, row.Text), toldOf(row, rank).append(value[:0])
		return output.Add(key, value)
	})
}

// compose makes a memory there and back: what is told of a text in the pivot language
// goes to each text that was translated into it.
func (t *askTask) compose(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	return join(unit.Merge(ctx, nil), func(record spill.Record, best []byte) error {
		if best == nil {
			return nil // not translated back
		}
		return output.Add(record.Value[1:], best)
	})
}
