// Package lookup joins texts with a translation memory. Its phases in a job bring the
// translations of the texts of each unit to the unit that writes them. Translations
// may be looked up through a pivot language, there and back.
//
// # Phases
//
//	ask    units spill where each text is needed, and memories spill their translations,
//	       both by pair of languages and text
//	match  buckets join both, and spill the answers to the units that write
//
// With a pivot, another phase runs before these:
//
//	pivot  both memories spill by the pair back and the text in the pivot language
//
// The units of ask join the records of pivot, which gives a memory there and back.
// Rows are read twice and never shuffled. The memory of a process does not depend on
// their number.
package lookup

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
)

// Register makes the tasks of the package known to Beam. It is called from the init
// of the pipelines that use it.
func Register() {
	graph.RegisterSpiller[*pivotTask]()
	graph.RegisterSpiller[*askTask]()
	graph.RegisterSpiller[*matchTask]()
}

// Memories are datasets of translations that are looked up as one: a translation that
// can be used goes before one that was rejected, and an earlier dataset before a
// later one.
type Memories []*units.Dataset

// Open opens datasets of translations for a plan, and returns them as inputs too.
func Open(ctx context.Context, role string, locations []string) (Memories, []dataset.Input, error) {
	var list Memories
	var inputs []dataset.Input
	for i, location := range locations {
		d, err := units.OpenDataset[schemas.Translation](ctx, location)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", role, err)
		}
		list, inputs = append(list, d), append(inputs, d.Manifest().Input(fmt.Sprint(role, " ", i)))
	}
	return list, inputs, nil
}

// Lookup says what is looked up where.
type Lookup struct {
	// Texts are the texts, of the units Reading. Their languages are sources of Pairs.
	Texts   *texts.Source
	Reading []dataset.Unit
	// Splits, if there are any, are those of benchmarks whose texts are looked up.
	Splits []string
	// Pairs are looked up for each text in their source language. With several of them,
	// Apart has each answered to a unit of its own: pair p of the unit Reading[u] to the
	// writing unit p·len(Reading)+u. Otherwise all are answered to unit u.
	Pairs []engines.Pair
	Apart bool
	// There has the translations. If Back is not empty, they are translated back by it:
	// the answer is in the source language.
	There, Back Memories
}

// Add adds the units of the lookup to a job whose writing units are in it already, and
// the phases before the one that writes: Answers has the answers for its units.
func (l Lookup) Add(b *graph.Builder, writing units.Range) error {
	if l.Apart && writing.Count != len(l.Pairs)*len(l.Reading) || !l.Apart && writing.Count != len(l.Reading) {
		return errors.New("the units that write are not those that the lookup answers to")
	}
	memories := func(m Memories) (parts graph.Datasets) {
		for _, d := range m {
			parts = append(parts, graph.Part[*units.Dataset]{Range: b.Units(b.Pack(d.Manifest())), From: d})
		}
		return parts
	}
	buckets := func(spilling units.Range) units.Range {
		return b.Buckets(max(1, graph.Bucketing(spilling.Count, 8)))
	}
	ask := &askTask{Texts: l.Texts, Splits: l.Splits, Pairs: l.Pairs, Apart: l.Apart}
	asking := units.Range{First: writing.First + writing.Count}
	if len(l.Back) > 0 {
		pivot := &pivotTask{Pairs: l.Pairs, There: memories(l.There), Back: memories(l.Back)}
		spilling := asking.To(pivot.Back[len(pivot.Back)-1].Range)
		asking = buckets(spilling)
		graph.Spill(b, "pivot", spilling, pivot, exchange.ByHash("pivot", asking))
	} else {
		ask.Memories = memories(l.There)
	}
	ask.Reading = b.Units(l.Reading)
	asking = asking.To(ask.Reading)
	matching := buckets(asking)
	graph.Spill(b, "ask", asking, ask, exchange.ByHash("asked", matching))
	graph.Spill(b, "match", matching, &matchTask{}, exchange.ToUnits("answers", writing))
	return nil
}
