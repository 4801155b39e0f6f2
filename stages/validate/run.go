package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/stages/folders"
	"sentweave/transforms/benchmark"
	"sentweave/transforms/senteval"
)

// Run compares. Errors are those of inputs that cannot be read, and of rows of the
// source that are none; what is wrong with translations stands in the result.
func Run(ctx context.Context, c Config) (*Validation, error) {
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
		return nil, fmt.Errorf("the source %s has no row in %s: --source-language names one of %s", c.Source, code, strings.Join(source.Languages(), ", "))
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
	r.result = &Validation{Stage: "validate", Version: Version, Config: c, Inputs: source.Inputs("source"), Checks: []Check{}}
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
		rows, err := r.translated.Rows(ctx, set)
		if err != nil {
			return err
		}
		r.add(KindDataset, set.Language, nothing.Check(set.Language, rows))
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
			var rows []schemas.Benchmark
			if set := (folders.Set{Language: code, Task: task}); r.translated.Has(set) {
				if rows, err = r.translated.Rows(ctx, set); err != nil {
					return err
				}
			}
			r.add(KindDataset, code, checker.Check(code, rows, task))
		}
	}
	if len(r.folders) == 0 {
		return nil
	}
	t, ok := senteval.TaskByName(task)
	if !ok {
		return fmt.Errorf("the task %s of the source is none of SentEval's, of which folders are: --tasks names those to compare", task)
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
		if len(r.config.Languages) > 0 && !slices.Contains(r.config.languages(), f.code) {
			continue
		}
		var rows []schemas.Benchmark // that the folder should be made of
		if set := (folders.Set{Language: f.code, Task: task}); r.translated != nil && r.translated.Has(set) {
			if rows, err = r.translated.Rows(ctx, set); err != nil {
				return err
			}
		}
		report, err := f.check(ctx, checker, t, rows)
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
