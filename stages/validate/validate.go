package validate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/stages/folders"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// Options are what a validation does not depend on: nothing yet.
type Options struct{}

// Run compares, and writes the result into the folder at output unless that is empty. What stood there before is
// replaced, so that it is never there before. A result that could not be written is returned with the error.
func Run(ctx context.Context, output string, c Config, _ Options) (v *Validation, existed bool, err error) {
	if v, err = compare(ctx, c); err == nil && output != "" {
		err = v.write(ctx, output)
	}
	return v, false, err
}

// compare returns the result. Errors are those of inputs that cannot be read, and of rows of the
// source that are none; what is wrong with translations is in the result.
func compare(ctx context.Context, c Config) (*Validation, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	source, err := folders.Open(ctx, c.Source)
	if err != nil {
		return nil, err
	}
	code, _ := language.Parse(c.SourceLanguage) // it has been validated
	tasks := source.Tasks(code)
	if len(tasks) == 0 {
		return nil, fmt.Errorf("the source %s has no row in %s: --source-language names one of %s", c.Source, code,
			strings.Join(source.Languages(), ", "))
	}
	for _, name := range c.Tasks {
		if !slices.Contains(tasks, name) {
			return nil, fmt.Errorf("the source %s has no task %s; it has %s", c.Source, name, strings.Join(tasks, ", "))
		}
	}
	if len(c.Tasks) > 0 {
		tasks = slices.DeleteFunc(tasks, func(name string) bool { return !slices.Contains(c.Tasks, name) })
	}
	r := run{config: c, tasks: tasks}
	r.result = &Validation{Record: dataset.Record[Config]{Stage: "validate", Version: Version, Config: c}, Inputs: source.Inputs("source"),
		Checks: []Check{}}
	if len(c.Translated) > 0 {
		if r.translated, err = folders.Open(ctx, c.Translated...); err != nil {
			return nil, err
		}
		r.result.Inputs = append(r.result.Inputs, r.translated.Inputs("translated")...)
	}
	if r.folders, err = c.openFolders(ctx); err != nil {
		return nil, err
	}
	for _, task := range tasks {
		rows, err := source.Rows(ctx, folders.Set{Language: code, Task: task})
		if err != nil {
			return nil, err
		}
		if err := r.task(ctx, task, rows); err != nil {
			return nil, err
		}
	}
	if err := r.unknown(ctx); err != nil {
		return nil, err
	}
	if err := r.others(ctx); err != nil {
		return nil, err
	}
	if len(r.result.Checks) == 0 {
		return nil, errors.New("there is nothing to compare: no language of the source's translation is among those that are there or asked for")
	}
	return r.sorted(), nil
}

// unknown tells of rows whose task the source does not have.
func (r *run) unknown(ctx context.Context) error {
	if r.translated == nil || len(r.config.Tasks) > 0 {
		return nil
	}
	nothing, err := benchmark.NewChecker(r.config.check(), nil)
	if err != nil {
		return err
	}
	for _, set := range r.translated.All() {
		if slices.Contains(r.tasks, set.Task) || !slices.Contains(r.demanded(r.translated.Languages()), set.Language) {
			continue
		}
		if err := r.dataset(ctx, nothing, set); err != nil {
			return err
		}
	}
	return nil
}

// others looks at the files of folders that are not those of the compared tasks: the shim
// and, if all tasks are compared, files of tasks that the source does not have, or of none.
func (r *run) others(ctx context.Context) error {
	var tasks []senteval.Task
	for _, name := range r.tasks {
		t, _ := senteval.TaskByName(name) // task has found it
		tasks = append(tasks, t)
	}
	for _, f := range r.folders {
		if !r.wants(f.code) {
			continue
		}
		faults, err := f.others(ctx, tasks, len(r.config.Tasks) == 0)
		if err != nil {
			return err
		}
		byTask := map[string]int{}
		for _, fault := range faults {
			byTask[fault.Task]++
		}
		report := benchmark.Report{}
		report.Faults, _ = benchmark.SortFaults(faults, r.config.Most)
		for _, task := range slices.Sorted(maps.Keys(byTask)) {
			report.Summaries = append(report.Summaries, benchmark.Summary{Task: task, Faults: byTask[task]})
		}
		r.add(KindFolder, f.code, report)
	}
	return nil
}

// run is a comparison.
type run struct {
	config     Config
	tasks      []string
	translated *folders.Sets
	folders    []languageFolder
	result     *Validation
}

// task compares all versions of a task.
func (r *run) task(ctx context.Context, task string, source []schemas.Benchmark) error {
	if r.translated != nil {
		checker, err := benchmark.NewChecker(r.config.check(), source)
		if err != nil {
			return err
		}
		for _, code := range r.demanded(r.translated.Languages()) {
			if err := r.dataset(ctx, checker, folders.Set{Language: code, Task: task}); err != nil {
				return err
			}
		}
	}
	if len(r.folders) == 0 {
		return nil
	}
	t, ok := senteval.TaskByName(task)
	if !ok {
		return fmt.Errorf("the source has the task %s, which is not from SentEval, as folders are: name the tasks to compare by --tasks", task)
	}
	for i := range source {
		source[i] = t.InFolder(source[i])
	}
	checker, err := benchmark.NewChecker(r.config.check(), source)
	if err != nil {
		return err
	}
	var present []string
	for _, f := range r.folders {
		present = append(present, f.code)
		if !r.wants(f.code) {
			continue
		}
		report, err := f.check(ctx, checker, t, r.translated)
		if err != nil {
			return err
		}
		r.add(KindFolder, f.code, report)
	}
	for _, code := range r.config.languages() {
		if !slices.Contains(present, code) {
			r.add(KindFolder, code, checker.Check(code, nil, task))
		}
	}
	return nil
}

// dataset compares the rows of a task and language, one at a time.
func (r *run) dataset(ctx context.Context, checker *benchmark.Checker, set folders.Set) error {
	comparison := checker.Compare(set.Language, set.Task)
	for row, err := range r.translated.Each(ctx, set) {
		if err != nil {
			return err
		}
		comparison.Row(row)
	}
	r.add(KindDataset, set.Language, comparison.Report())
	return nil
}

// wants says whether a language that is there is compared.
func (r *run) wants(code string) bool {
	return len(r.config.Languages) == 0 || slices.Contains(r.config.languages(), code)
}

// demanded are the languages to compare: those that are named, or that are there.
func (r *run) demanded(present []string) []string {
	if len(r.config.Languages) > 0 {
		return r.config.languages()
	}
	return present
}

func (r *run) add(kind, code string, report benchmark.Report) {
	for _, s := range report.Summaries {
		check := Check{
			Kind: kind, Task: s.Task, Language: code, Source: s.Source, Rows: s.Rows, Same: s.Same, NoGold: s.Skipped,
			Untranslated: s.Untranslated, Faults: s.Faults,
		}
		for _, f := range report.Faults {
			if f.Task == s.Task {
				check.Found = append(check.Found, Fault{f.File, f.Row, f.Kind, f.Detail})
			}
		}
		r.result.Faults += s.Faults
		r.result.Checks = append(r.result.Checks, check)
	}
}

// sorted orders the checks: datasets, then folders, each by language.
func (r *run) sorted() *Validation {
	slices.SortStableFunc(r.result.Checks, func(a, b Check) int {
		if a.Kind != b.Kind {
			return strings.Compare(a.Kind, b.Kind)
		}
		return strings.Compare(a.Language, b.Language)
	})
	return r.result
}
