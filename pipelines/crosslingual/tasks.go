package crosslingual

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/testsets/nli"
)

// versionsTask tells the unit that deals which versions there are.
type versionsTask struct {
	Languages []string
	// Splits are those that are taken, all if there are none.
	Splits  []string
	Sources graph.Datasets
	// First is the ordinal of the first unit of the phase.
	First int
	graph.Nothing
}

// Setup implements graph.Task.
func (t *versionsTask) Setup(ctx context.Context) error {
	return graph.Reopen[schemas.Benchmark](ctx, t.Sources)
}

// Chains implements graph.Task.
func (t *versionsTask) Chains() []dataset.Chain { return chains() }

// Spill implements graph.Spiller.
func (t *versionsTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	input, _ := t.Sources.Of(unit.Ordinal)
	row := uint32(0)
	var key, value []byte
	return units.DatasetRows(ctx, input, unit.Unit, func(b schemas.Benchmark) error {
		defer func() { row++ }()
		if !slices.Contains(t.Languages, b.LanguageA) {
			return drop(output, b, stepLanguage, reasonLanguage)
		}
		if len(t.Splits) > 0 && !slices.Contains(t.Splits, b.Split) {
			return drop(output, b, stepSplit, ReasonSplit)
		}
		key = append(key[:0], b.ID...)
		value = version{
			language: b.LanguageA, label: b.Label, skip: b.Skip || b.Label == "",
			premise: b.TextA != "", hypothesis: b.TextB != "" && b.LanguageB == b.LanguageA,
			unit: uint32(unit.Ordinal - t.First), row: row,
		}.append(value[:0])
		if err := output.Add(key, value); err != nil {
			return err
		}
		return output.Funnel().Keep(chainVersions, b.LanguageA, 1)
	})
}

// drop counts a version that is not dealt, and offers it to the sample.
func drop(output *exchange.Output, b schemas.Benchmark, step, reason string) error {
	if output.Rejects().Wants(step, reason, b.LanguageA, b.ID) {
		output.Rejects().Add(schemas.Reject{
			ID: b.ID, Source: b.File, Offset: int64(b.Row), Step: step, Reason: reason, Language: b.LanguageA,
			Detail: "split " + strconv.Quote(b.Split), Sample: b.TextA + "\n" + b.TextB,
		})
	}
	return output.Funnel().Drop(chainVersions, b.LanguageA, step, reason, 1)
}

// textsTask gives the texts that are wanted of its rows.
type textsTask struct {
	Sources graph.Datasets
	graph.Nothing
}

// Setup implements graph.Task.
func (t *textsTask) Setup(ctx context.Context) error {
	return graph.Reopen[schemas.Benchmark](ctx, t.Sources)
}

// Chains implements graph.Task.
func (t *textsTask) Chains() []dataset.Chain { return chains() }

// Spill implements graph.Spiller.
func (t *textsTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	defer stop()
	requests := cursor{next: next}
	if err := requests.advance(); err != nil {
		return err
	}
	row := uint32(0)
	var key, value []byte
	input, _ := t.Sources.Of(unit.Ordinal)
	err := units.DatasetRows(ctx, input, unit.Unit, func(b schemas.Benchmark) error {
		defer func() { row++ }()
		for !requests.done && requests.row == row {
			s := side{role: requests.flags, language: b.LanguageA, label: b.Label, task: b.Task, split: b.Split, text: b.TextA}
			if requests.flags == flagHypothesis {
				s.text = b.TextB
			}
			key, value = append(key[:0], b.ID...), s.append(value[:0])
			if err := output.Add(key, value); err != nil {
				return err
			}
			if err := requests.advance(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !requests.done {
		return fmt.Errorf("the exchange asks for row %d, the unit has %d", requests.row, row)
	}
	return nil
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
type joinTask struct{ graph.Nothing }

// Chains implements graph.Task.
func (t *joinTask) Chains() []dataset.Chain { return chains() }

// Write implements graph.Writer.
func (t *joinTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Pair]) error {
	var premise side
	var id string
	for record, err := range unit.Merge(ctx, nil) {
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
			return fmt.Errorf("item %s is of the split %q in %s, of %q in %s: give the versions of one corpus only", id, premise.split,
				premise.language, s.split, s.language)
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
	return nil
}
