// Package lookup is the join of texts with a translation memory: phases of a job
// that bring the translations of the texts of each unit to the unit that writes
// them. Translations may be looked up through a pivot: there and back.
//
// # Phases
//
//	ask    units spill where each text is wanted, memories what they have, by pair
//	       of languages and text
//	match  buckets join both, and spill the answers to the units that write
//
// and before them, through a pivot,
//
//	pivot  both memories spill, by the pair back and the text in the pivot language
//
// whose join, by the units of ask, is a memory there and back. Rows are read twice
// and never shuffled; the memory of a process does not depend on their number.
package lookup

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/texts"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/engines"
)

// Register makes the tasks of the package known to Beam. It is called from the init
// of the pipelines that use it.
func Register() {
	units.Register[*pivotTask]()
	units.Register[*askTask]()
	units.Register[*matchTask]()
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

// maxBuckets bounds the units that join: each sees every spill file.
const maxBuckets = 64

// Plan adds the units of the lookup after those that write, which come first in
// list, and returns them with the phases before the writing one, and what brings the
// answers to it.
func (l Lookup) Plan(list []dataset.Unit, shardBytes int64) ([]dataset.Unit, []units.Phase, Answers, error) {
	if l.Apart && len(list) != len(l.Pairs)*len(l.Reading) || !l.Apart && len(list) != len(l.Reading) {
		return nil, nil, Answers{}, errors.New("the units that write are not those that the lookup answers to")
	}
	writing := len(list)
	add := func(packed []dataset.Unit) (first int) {
		first = len(list)
		for _, u := range packed {
			list = append(list, dataset.Unit{Ordinal: len(list), Spans: u.Spans})
		}
		return first
	}
	memories := func(m Memories) (from []memoryFrom) {
		for i, d := range m {
			first := add(dataset.Pack(d.Manifest().Pieces(shardBytes), shardBytes))
			from = append(from, memoryFrom{Dataset: d, First: first, End: len(list), Rank: i})
		}
		return from
	}
	buckets := func(spilling int) int { return max(1, min(maxBuckets, (spilling+7)/8)) }
	var phases []units.Phase
	ask := &askTask{Texts: l.Texts, Splits: l.Splits, Pairs: l.Pairs, Apart: l.Apart, Reading: len(l.Reading)}
	first := len(list)
	if len(l.Back) > 0 {
		pivot := &pivotTask{Pairs: l.Pairs}
		pivot.There, pivot.Back = memories(l.There), memories(l.Back)
		phases = append(phases, units.NewPhase("pivot", first, len(list)-first, pivot))
		n := buckets(len(list) - first)
		first = add(make([]dataset.Unit, n))
		pivot.Pivot = exchange.Exchange{Purpose: "pivot", First: first, Buckets: n}
		ask.Pivot, ask.Composing = pivot.Pivot, n
	} else {
		ask.Memories = memories(l.There)
	}
	ask.First = add(l.Reading)
	asking := len(list) - first
	match := &matchTask{}
	n := buckets(asking)
	matching := add(make([]dataset.Unit, n))
	match.Asked = exchange.Exchange{Purpose: "asked", First: matching, Buckets: n}
	match.Answers = exchange.Exchange{Purpose: "answers", First: 0, Buckets: max(1, writing), ByUnit: true}
	ask.Asked = match.Asked
	phases = append(phases, units.NewPhase("ask", first, asking, ask), units.NewPhase("match", matching, n, match))
	return list, phases, Answers{Exchange: match.Answers}, nil
}

// memoryFrom is a dataset that is spilled by the units from First to End.
type memoryFrom struct {
	Dataset          *units.Dataset
	First, End, Rank int
}

// memoryOf returns the memory whose part a unit spills.
func memoryOf(list []memoryFrom, unit int) (memoryFrom, bool) {
	for _, m := range list {
		if unit >= m.First && unit < m.End {
			return m, true
		}
	}
	return memoryFrom{}, false
}

func reopen(ctx context.Context, lists ...[]memoryFrom) error {
	for _, list := range lists {
		for _, m := range list {
			if err := units.Reopen[schemas.Translation](ctx, m.Dataset); err != nil {
				return err
			}
		}
	}
	return nil
}
