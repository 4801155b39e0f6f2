package evaluate

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/folders"
	"sentweave/transforms/read/texts"
)

var sts = task{
	name: "sts", measures: "similarity of the scored pairs in datasets of benchmarks, of each test set and language by itself",
	from: []source{fromBenchmarks}, group: groupXEVAL, split: true, languages: true, read: readScored,
}

// testSets is the protocol that measures similarity on each test set by itself: its
// name and a slash stand before the subtasks.
type testSets []testSet

type testSet struct {
	name string
	similarity
}

func (t testSets) pairsAlone() {}

func (t testSets) texts() iter.Seq[encoder.Text] {
	return func(yield func(encoder.Text) bool) {
		for _, set := range t {
			for text := range set.texts() {
				if !yield(text) {
					return
				}
			}
		}
	}
}

func (t testSets) measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) (list []schemas.Result, err error) {
	for _, set := range t {
		results, err := set.similarity.measure(ctx, e, base, keep.under(set.name+"/"))
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
func readScored(in *input) (protocol, error) {
	var list testSets
	var others []string // test sets without scores
	for _, set := range in.sets.All() {
		if !in.wants(set.Language) {
			continue
		}
		found, err := readTestSets(in, set)
		if err != nil {
			return nil, fmt.Errorf("read %s: %s in %s: %w", in.task, set.Task, set.Language, err)
		}
		if len(found) == 0 && !slices.Contains(others, set.Task) {
			others = append(others, set.Task)
		}
		list = append(list, found...)
	}
	for _, code := range in.Languages {
		has := func(s testSet) bool {
			p := s.subtasks[0]
			return p.a[0].Language == code || p.b[0].Language == code
		}
		if !slices.ContainsFunc(list, has) {
			return nil, absence{error: fmt.Errorf("%s: the datasets have no scored pair in %q: they are in %s", in.task, code, strings.Join(in.sets.Languages(), ", "))}
		}
	}
	if len(list) == 0 {
		return nil, absence{error: fmt.Errorf("%s: the datasets have no pair with a score, but %s", in.task, strings.Join(others, ", "))}
	}
	for _, set := range list {
		for _, p := range set.subtasks {
			fmt.Fprintf(&in.hash, "%q %q\n", set.name, p.subtask)
			for i := range p.gold {
				fmt.Fprintf(&in.hash, "%q %q %v\n", p.a[i], p.b[i], p.gold[i])
			}
		}
	}
	return list, nil
}

func (in *input) wants(code string) bool {
	return len(in.Languages) == 0 || slices.Contains(in.Languages, code)
}

// readTestSets reads the scored pairs of a task in a language: a test set for each
// language of the second texts, which is the same one as a rule.
func readTestSets(in *input, set folders.Set) (list []testSet, err error) {
	type item struct{ language, id string }
	seen := map[item]bool{}
	var sides []encoder.Text
	var without *schemas.Benchmark // a row with gold that is no scored pair
	for r, err := range in.sets.Each(in.ctx, set) {
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
			without = &r
			continue
		case !in.wants(r.LanguageB):
			continue
		}
		one := item{languagePair(r.LanguageA, r.LanguageB), r.ID}
		if seen[one] {
			return nil, fmt.Errorf("row %d of %s stands twice: give one dataset in each language", r.Row, r.File)
		}
		seen[one] = true
		at := slices.IndexFunc(list, func(s testSet) bool { return s.language == one.language })
		if at < 0 {
			at, list = len(list), append(list, testSet{set.Task, similarity{language: one.language}})
		}
		list[at].part(r.Split).add(sides[0], sides[1], *r.Target)
	}
	if without != nil && len(seen) > 0 {
		return nil, fmt.Errorf("row %d of %s is no pair with a score, as others are", without.Row, without.File)
	}
	for i := range list {
		if err := list[i].choose(in.Split); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// part returns the part of a split.
func (s *testSet) part(split string) *pairs {
	at := slices.IndexFunc(s.subtasks, func(p pairs) bool { return p.subtask == split })
	if at < 0 {
		at, s.subtasks = len(s.subtasks), append(s.subtasks, pairs{subtask: split, language: s.language})
	}
	return &s.subtasks[at]
}

// choose leaves the parts that are measured.
func (s *testSet) choose(split string) error {
	var there []string
	for _, p := range s.subtasks {
		there = append(there, p.subtask)
	}
	if slices.ContainsFunc(there, func(name string) bool { return name == "train" || name == "dev" || name == "test" }) {
		at := slices.Index(there, split)
		if at < 0 {
			return fmt.Errorf("there is no split %q: give --split as one of %s", split, strings.Join(there, ", "))
		}
		s.subtasks = s.subtasks[at : at+1]
	}
	if len(s.subtasks) == 1 {
		s.settings = map[string]any{"split": s.subtasks[0].subtask}
		s.subtasks[0].subtask = SubtaskAll
		return nil
	}
	s.concatenated, s.averaged = true, true
	return nil
}
