package evaluate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/evaluate/similarity"
	"sentweave/stages/metrics"
)

// NameError is that of a name that is of no figure, or of several.
type NameError struct{ error }

// Figure is one figure of one task. It measures encoders as often as it is asked to, as a
// training does that is validated by it.
type Figure struct {
	// Better is 1 where a greater figure is better, −1 where a smaller one is.
	Better int
	task   []protocol.Loaded
	is     func(schemas.Result) bool
}

// OpenFigure returns the figure of a name: TASK/METRIC, or TASK/SUBTASK/METRIC or
// TASK/SUBTASK/LANGUAGE/METRIC where a task gives several of the metric. Without a subtask it
// is the only figure over all parts of the task if there is such a one. Locations are what the
// task reads: the folder of the test data, a dataset of texts, datasets of benchmarks, or the
// YAML file of a task of one's own. Of test sets that have several parts it takes dev: test is
// left for the end. Which figures a task gives is seen on the vectors of baseline:random, so
// that a wrong name is told before there is an encoder to measure.
func OpenFigure(ctx context.Context, name string, locations []string) (f *Figure, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("metric %q: %w", name, err)
		}
	}()
	taskName, _, _ := strings.Cut(name, "/")
	c := Config{TaskFiles: locations, Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
	if len(locations) != 1 || !slices.Contains([]string{".yaml", ".yml"}, path.Ext(locations[0])) {
		t, exists := find(taskName)
		if !exists {
			return nil, NameError{unknownTask(taskName, names(func(protocol.Task) bool { return true }))}
		}
		if c, err = configOf(ctx, t, locations); err != nil {
			return nil, err
		}
	}
	f = &Figure{}
	if f.task, _, err = load(ctx, c); err != nil {
		return nil, err
	}
	random, err := encoder.Parse(ctx, "baseline:random")
	if err != nil {
		return nil, err
	}
	var results, chosen []schemas.Result
	for r, err := range measureAll(ctx, f.task, random, func(string, protocol.Part) {}) {
		if err != nil {
			return nil, err
		}
		if results = append(results, r); slices.Contains(namesOf(r), name) {
			chosen = append(chosen, r)
		}
	}
	if aggregates := slices.DeleteFunc(slices.Clone(chosen),
		func(r schemas.Result) bool { return !metrics.IsAggregate(r.Subtask) }); len(aggregates) == 1 {
		chosen = aggregates
	}
	if len(chosen) != 1 {
		return nil, NameError{ambiguous(name, chosen, results)}
	}
	r := chosen[0]
	f.is = func(candidate schemas.Result) bool {
		return candidate.Subtask == r.Subtask && candidate.Language == r.Language && candidate.Metric == r.Metric
	}
	if f.Better = metrics.ByName(r.Metric).Better; f.Better == 0 {
		return nil, NameError{fmt.Errorf("neither a greater nor a smaller %s is better", r.Metric)}
	}
	return f, nil
}

// configOf is the configuration by which a task reads what is at some locations.
func configOf(ctx context.Context, t protocol.Task, locations []string) (c Config, err error) {
	c = Config{Tasks: []string{t.Name}, Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1}
	var faults fault.List
	for _, location := range locations {
		_, m, err := dataset.Open(ctx, location)
		switch {
		case errors.Is(err, dataset.ErrNoDataset):
			faults.Check(c.Data == "", "there are two folders of test data, %s and %s: give one", c.Data, location)
			c.Data = location
		case err != nil:
			return c, err
		case m.Schema().Name == (schemas.Benchmark{}).Schema().Name:
			c.Benchmarks = append(c.Benchmarks, location)
		default:
			faults.Check(c.Texts == "", "there are two datasets of texts, %s and %s: give one", c.Texts, location)
			c.Texts = location
		}
	}
	switch {
	case c.isGroup(t.Name):
		faults.Addf("%s is a group of tasks in a folder of test data: name one of them, such as %s", t.Name, similarity.STSBenchmark.Name)
	case !c.given(t):
		var sources []string
		for _, s := range t.From {
			what, _ := c.what(s)
			sources = append(sources, what)
		}
		faults.Addf("%s reads %s: give such a one", t.Name, strings.Join(sources, " or "))
	}
	if t.Split {
		c.Split = "dev"
	}
	return c, faults.Err()
}

// namesOf are the names of a figure, from the longest to the shortest.
func namesOf(r schemas.Result) (list []string) {
	for _, parts := range [][]string{{r.Task, r.Subtask, r.Language, r.Metric}, {r.Task, r.Subtask, r.Metric}, {r.Task, r.Metric}} {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		list = append(list, strings.Join(parts, "/"))
	}
	return list
}

// ambiguous is the error for a name that no figure has, or that several have.
func ambiguous(name string, chosen, results []schemas.Result) error {
	const limit = 8
	what, meant := "several figures have this name", ""
	if len(chosen) == 0 {
		what, chosen = "the task has no such figure", results
		var vocabulary []string
		for _, r := range results {
			vocabulary = append(vocabulary, namesOf(r)...)
		}
		if near := spelling.Nearest(name, vocabulary); near != "" {
			meant = ", did you mean " + near + "?"
		}
	}
	var list []string
	for _, r := range chosen {
		names := namesOf(r)
		unique := names[0]
		for _, name := range names { // the shortest that is of this one alone
			matches := slices.DeleteFunc(slices.Clone(results), func(o schemas.Result) bool { return !slices.Contains(namesOf(o), name) })
			if len(matches) == 1 {
				unique = name
			}
		}
		list = append(list, unique)
	}
	suffix := ""
	if len(list) > limit {
		list, suffix = list[:limit], fmt.Sprintf(" and %d more", len(list)-limit)
	}
	return fmt.Errorf("%s: give one of %s%s%s", what, strings.Join(list, ", "), suffix, meant)
}

// Input is the data behind the figure.
func (f *Figure) Input(role string) dataset.Input {
	return dataset.Input{Role: role, XXH3: f.task[0].Hash}
}

// Measure returns the figure of an encoder.
func (f *Figure) Measure(ctx context.Context, e encoder.Encoder) (float64, error) {
	for r, err := range measureAll(ctx, f.task, e, func(string, protocol.Part) {}) {
		if err != nil {
			return 0, err
		}
		if f.is(r) {
			return r.Value, nil
		}
	}
	return 0, fmt.Errorf("evaluate %s: %s has no such figure", f.task[0].Name, e.Name())
}
