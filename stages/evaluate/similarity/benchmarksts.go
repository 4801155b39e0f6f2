package similarity

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/folders"
	"sentweave/stages/metrics"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/senteval"
)

// STS is the task sts.
var STS = protocol.Task{
	Name: "sts", Measures: "similarity of the scored pairs in datasets of benchmarks, of each test set and language by itself",
	From: []protocol.Source{protocol.FromBenchmarks}, Group: protocol.GroupXEVAL, Split: true, Languages: true, Read: readScored,
}

// testSets is the protocol that measures similarity on each test set by itself: its
// name and a slash come before the subtasks.
type testSets []testSet

type testSet struct {
	name string
	similarity
}

// PairsAlone implements protocol.Pairwise.
func (t testSets) PairsAlone() {}

// Texts implements protocol.Protocol.
func (t testSets) Texts() iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, set := range t {
			for text := range set.Texts() {
				if !yield(text) {
					return
				}
			}
		}
	}
}

// Measure implements protocol.Protocol.
func (t testSets) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	list []schemas.Result, err error) {
	for _, set := range t {
		results, err := set.similarity.Measure(ctx, e, base, keep.Under(set.name+"/"))
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", set.name, set.language, err)
		}
		for _, r := range results {
			r.Subtask = set.name + "/" + r.Subtask
			list = append(list, r)
		}
	}
	return list, nil
}

// readScored reads the test sets that have scored pairs. One with parts train, dev and
// test is measured on that of --split, any other, as SemEval's years, on all its parts.
func readScored(reader *protocol.Input) (protocol.Protocol, error) {
	var list testSets
	var unscored []string // test sets without scores
	for _, set := range reader.Sets.All() {
		if !reader.Wants(set.Language) {
			continue
		}
		scored, err := readTestSets(reader, set)
		if err != nil {
			return nil, fmt.Errorf("read %s: %s in %s: %w", reader.Task, set.Task, set.Language, err)
		}
		if len(scored) == 0 && !slices.Contains(unscored, set.Task) {
			unscored = append(unscored, set.Task)
		}
		list = append(list, scored...)
	}
	for _, code := range reader.Languages {
		covers := func(s testSet) bool {
			p := s.subtasks[0]
			return p.a[0].Language == code || p.b[0].Language == code
		}
		if !slices.ContainsFunc(list, covers) {
			return nil, protocol.Absent("%s: the datasets have no scored pair in %q: they are in %s", reader.Task, code,
				strings.Join(reader.Sets.Languages(), ", "))
		}
	}
	if len(list) == 0 {
		return nil, protocol.Absent("%s: the datasets have no pair with a score, but %s", reader.Task,
			strings.Join(unscored, ", "))
	}
	for _, set := range list {
		for _, p := range set.subtasks {
			fmt.Fprintf(&reader.Hash, "%q %q\n", set.name, p.subtask)
			for i := range p.gold {
				fmt.Fprintf(&reader.Hash, "%q %q %v\n", p.a[i], p.b[i], p.gold[i])
			}
		}
	}
	return list, nil
}

// readTestSets reads the scored pairs of a task in a language: a test set for each
// language of the second texts, which is the same one as a rule.
func readTestSets(reader *protocol.Input, set folders.Set) (list []testSet, err error) {
	type item struct{ language, id string }
	ids := map[item]bool{}
	var sides []encoder.Text
	t, published := senteval.TaskByName(set.Task)
	var unscored *schemas.Benchmark // a row with gold that is not a scored pair
	for r, err := range reader.Sets.Each(reader.Context, set) {
		if err != nil {
			return nil, err
		}
		sides = sides[:0]
		for x := range texts.OfBenchmark(r) {
			sides = append(sides, encoder.TextOf(x))
		}
		switch {
		case r.Skip:
			continue
		case r.Target == nil || len(sides) < 2:
			unscored = &r
			continue
		case !reader.Wants(r.LanguageB):
			continue
		case published && t.High > 0 && (*r.Target < t.Low || *r.Target > t.High):
			return nil, fmt.Errorf("row %d of %s: score %v is outside %v to %v", r.Row, r.File, *r.Target, t.Low, t.High)
		}
		key := item{languagePair(r.LanguageA, r.LanguageB), r.ID}
		if ids[key] {
			return nil, fmt.Errorf("row %d of %s occurs twice: give one dataset in each language", r.Row, r.File)
		}
		ids[key] = true
		index := slices.IndexFunc(list, func(s testSet) bool { return s.language == key.language })
		if index < 0 {
			index, list = len(list), append(list, testSet{set.Task, similarity{language: key.language}})
		}
		list[index].part(r.Split).Add(sides[0], sides[1], *r.Target)
	}
	if unscored != nil && len(ids) > 0 {
		return nil, fmt.Errorf("row %d of %s is not a scored pair, though other rows are", unscored.Row, unscored.File)
	}
	for i := range list {
		if err := list[i].choose(reader.Split); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// part returns the part of a split.
func (s *testSet) part(split string) *Pairs {
	index := slices.IndexFunc(s.subtasks, func(p Pairs) bool { return p.subtask == split })
	if index < 0 {
		index, s.subtasks = len(s.subtasks), append(s.subtasks, Pairs{subtask: split, language: s.language})
	}
	return &s.subtasks[index]
}

// choose leaves the parts that are measured.
func (s *testSet) choose(split string) error {
	var splits []string
	for _, p := range s.subtasks {
		splits = append(splits, p.subtask)
	}
	if slices.ContainsFunc(splits, func(name string) bool { return name == "train" || name == "dev" || name == "test" }) {
		index := slices.Index(splits, split)
		if index < 0 {
			return fmt.Errorf("there is no split %q: give --split as one of %s", split, strings.Join(splits, ", "))
		}
		s.subtasks = s.subtasks[index : index+1]
	}
	if len(s.subtasks) == 1 {
		s.settings = map[string]any{"split": s.subtasks[0].subtask}
		s.subtasks[0].subtask = metrics.SubtaskAll
		return nil
	}
	s.concatenated, s.averaged = true, true
	return nil
}
