package folders

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/senteval"
)

// Set is the rows of one task in one language.
type Set struct{ Language, Task string }

// Sets are the rows of complete datasets of benchmarks, to be read task by task: it is
// known of each which row groups hold it.
type Sets struct {
	datasets []opened
	spans    map[Set][]part
	counts   map[Set]int // rows
	order    []Set
}

type opened struct {
	folder   storage.Folder
	manifest *dataset.Manifest
}

// part is the row groups of a shard that hold rows of a set.
type part struct {
	dataset int
	span    dataset.Span
}

// Open reads datasets once, to see what they hold. Errors are those of datasets that
// are not complete, or not of benchmarks.
func Open(ctx context.Context, locations ...string) (*Sets, error) {
	s := &Sets{spans: map[Set][]part{}, counts: map[Set]int{}}
	for i, location := range locations {
		folder, m, err := dataset.OpenAs[schemas.Benchmark](ctx, location)
		if err != nil {
			return nil, err
		}
		if m.Rows == 0 {
			return nil, fmt.Errorf("%s has no row: `sentweave inspect %s` says what was dropped", folder, location)
		}
		s.datasets = append(s.datasets, opened{folder, m})
		for _, piece := range m.WholeShards() {
			if err := s.see(ctx, i, piece.Span); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// see notes which row groups of a shard hold which sets.
func (s *Sets) see(ctx context.Context, dataset int, shard dataset.Span) error {
	size, row := int64(schemas.Benchmark{}.Schema().RowGroup), int64(0)
	for r, err := range s.rows(ctx, part{dataset, shard}) {
		if err != nil {
			return err
		}
		group := row / size
		row++
		set := Set{r.LanguageA, r.Task}
		s.counts[set]++
		parts := s.spans[set]
		if parts == nil {
			s.order = append(s.order, set)
		}
		if n := len(parts); n > 0 && parts[n-1].dataset == dataset && parts[n-1].span.Name == shard.Name {
			parts[n-1].span.To = group + 1
			continue
		}
		span := shard
		span.From, span.To = group, group+1
		s.spans[set] = append(parts, part{dataset, span})
	}
	return nil
}

func (s *Sets) rows(ctx context.Context, p part) func(func(schemas.Benchmark, error) bool) {
	d := s.datasets[p.dataset]
	return dataset.SpanRows[schemas.Benchmark](ctx, d.folder, d.manifest, p.span)
}

// Inputs are the datasets as inputs of what is made of them.
func (s *Sets) Inputs(role string) (inputs []dataset.Input) {
	for _, d := range s.datasets {
		inputs = append(inputs, d.manifest.Input(role))
	}
	return inputs
}

// All lists the sets, by language, and of one language in the order of SentEval's
// tasks, then of the rows.
func (s *Sets) All() []Set {
	list := slices.Clone(s.order)
	slices.SortStableFunc(list, func(a, b Set) int {
		return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(taskOrder(a.Task), taskOrder(b.Task)))
	})
	return list
}

// Count is the number of rows of a set.
func (s *Sets) Count(set Set) int { return s.counts[set] }

// Languages lists the languages.
func (s *Sets) Languages() (codes []string) {
	for _, set := range s.order {
		codes = append(codes, set.Language)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// Tasks lists the tasks in a language, as All does.
func (s *Sets) Tasks(languageCode string) (names []string) {
	for _, set := range s.All() {
		if set.Language == languageCode {
			names = append(names, set.Task)
		}
	}
	return names
}

// Rows returns all rows of a set, in the order of the datasets and their rows.
func (s *Sets) Rows(ctx context.Context, set Set) ([]schemas.Benchmark, error) {
	rows := make([]schemas.Benchmark, 0, s.counts[set])
	for r, err := range s.Each(ctx, set) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("there are no rows of %s in %s", set.Task, set.Language)
	}
	return rows, nil
}

// Each yields the rows of a set, as Rows does, one at a time: none for a set that is not
// there. It ends at the first error.
func (s *Sets) Each(ctx context.Context, set Set) iter.Seq2[schemas.Benchmark, error] {
	return func(yield func(schemas.Benchmark, error) bool) {
		for _, p := range s.spans[set] {
			for r, err := range s.rows(ctx, p) {
				if err == nil && (r.LanguageA != set.Language || r.Task != set.Task) {
					continue
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// taskOrder is a task's place among SentEval's; others come after them.
func taskOrder(name string) int {
	tasks := senteval.Tasks()
	for i, t := range tasks {
		if t.Name == name {
			return i
		}
	}
	return len(tasks)
}

// sortRows brings rows into the order of the task's files and of their lines.
func sortRows(rows []schemas.Benchmark) {
	place := map[string]int{}
	if len(rows) == 0 {
		return
	}
	if t, ok := senteval.TaskByName(rows[0].Task); ok {
		for i, f := range t.Files {
			place[f.Name] = i + 1
		}
	}
	slices.SortStableFunc(rows, func(a, b schemas.Benchmark) int {
		return cmp.Or(cmp.Compare(place[a.File], place[b.File]), cmp.Compare(a.File, b.File), cmp.Compare(a.Row, b.Row))
	})
}
