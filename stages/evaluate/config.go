// Package evaluate is the stage that measures an encoder: semantic similarity,
// translations found among sentences, and parallel paragraphs of one's own.
//
// # Results
//
// Every figure is a row of schemas.Result in its natural unit: a correlation in
// [-1, 1], a share in [0, 1]; tables of papers print a hundred times as much. An
// aggregate is a row whose subtask is "all", "mean" or "wmean", and is only given
// over all its parts: a missing file is an error, not a smaller average.
//
// # Determinism
//
// Nothing is trained here: the same encoder and data give the same rows.
package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
)

// Config says what is measured. The tags are read by the command line.
type Config struct {
	Data      string   `help:"Folder of the test data: sts, stsb, stsb_multi_mt, sts2017, tatoeba." placeholder:"DIR" group:"Input"`
	Texts     string   `help:"Dataset of documents or pairs in several languages, for the task retrieval." placeholder:"DIR" group:"Input"`
	Tasks     []string `help:"Tasks, in the order of the results." placeholder:"TASK,..." group:"Tasks"`
	Languages []string `help:"Languages of tatoeba, stsb_multi_mt and retrieval; all that are there by default." placeholder:"CODE,..." group:"Tasks"`
	Split     string   `help:"Part of stsb and stsb_multi_mt (${enum})." default:"test" enum:"train,dev,test" group:"Tasks"`
}

// RetrievalTask is the task that needs Texts; the others need Data.
const RetrievalTask = "retrieval"

// Tasks lists the tasks.
func Tasks() []string {
	var names []string
	for _, y := range stsYears() {
		names = append(names, y.task.Name)
	}
	return append(names, "stsb", "stsb_multi_mt", "stsb_multi_mt_cross", "sts2017", "tatoeba", "tatoeba36", RetrievalTask)
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(c.Tasks) == 0 {
		fault("no task: give some of %v", Tasks())
	}
	seen := map[string]bool{}
	for _, t := range c.Tasks {
		switch {
		case !slices.Contains(Tasks(), t):
			fault("task %q is not one of %v", t, Tasks())
		case seen[t]:
			fault("task %s stands twice", t)
		case t == RetrievalTask && c.Texts == "":
			fault("task %s needs a dataset of texts: give --texts", t)
		case t != RetrievalTask && c.Data == "":
			fault("task %s needs the folder of the test data: give --data", t)
		}
		seen[t] = true
	}
	if c.Split != "test" && c.Split != "dev" && c.Split != "train" {
		fault("split %q: want train, dev or test", c.Split)
	}
	codes := map[string]bool{}
	for _, l := range c.Languages {
		if l == "" || codes[l] {
			fault("language %q is empty or stands twice", l)
		}
		codes[l] = true
	}
	return errors.Join(errs...)
}

// task is one that is loaded.
type task interface {
	// data is the hash of what is evaluated.
	data() string
	run(ctx context.Context, e encoder.Encoder) ([]schemas.Result, error)
}

// Run yields the results of each task when it is done. The data of all tasks are
// read first: what is missing of them is told before anything is encoded. After an
// error nothing follows.
func Run(ctx context.Context, c Config, e encoder.Encoder) iter.Seq2[schemas.Result, error] {
	return func(yield func(schemas.Result, error) bool) {
		tasks, err := load(ctx, c)
		if err != nil {
			yield(schemas.Result{}, err)
			return
		}
		measureAll(ctx, tasks, e)(yield)
	}
}

func measureAll(ctx context.Context, tasks []task, e encoder.Encoder) iter.Seq2[schemas.Result, error] {
	return func(yield func(schemas.Result, error) bool) {
		for _, t := range tasks {
			results, err := t.run(ctx, e)
			if err != nil {
				yield(schemas.Result{}, fmt.Errorf("evaluate %w", err))
				return
			}
			for _, r := range results {
				if err := r.Validate(); err != nil {
					yield(schemas.Result{}, fmt.Errorf("evaluate %s: %w", r.Task, err))
					return
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// load reads the data of all tasks and returns all that is wrong with them.
func load(ctx context.Context, c Config) ([]task, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var tasks []task
	var errs []error
	for _, name := range c.Tasks {
		t, err := c.load(ctx, name)
		tasks, errs = append(tasks, t), append(errs, err)
	}
	return tasks, errors.Join(errs...)
}

func (c Config) load(ctx context.Context, name string) (task, error) {
	if name == RetrievalTask {
		return loadRetrieval(ctx, c.Texts, c.Languages)
	}
	folder, err := storage.At(c.Data)
	if err != nil {
		return nil, err
	}
	f := &files{ctx: ctx, task: name, folder: folder}
	switch name {
	case "stsb":
		return loadSTSB(f, c.Split)
	case "stsb_multi_mt":
		return loadSTSBMulti(f, c.Split, c.Languages, false)
	case "stsb_multi_mt_cross":
		return loadSTSBMulti(f, c.Split, c.Languages, true)
	case "sts2017":
		return loadSTS2017(f)
	case "tatoeba":
		return loadTatoeba(f, c.Languages)
	case "tatoeba36":
		return loadTatoeba(f, Tatoeba36())
	}
	for _, y := range stsYears() {
		if y.task.Name == name {
			return loadSTS(f, y)
		}
	}
	return nil, fmt.Errorf("task %q is not one of %v", name, Tasks())
}

// with returns the settings with one more.
func with(settings map[string]any, name string, value any) map[string]any {
	copied := maps.Clone(settings)
	if copied == nil {
		copied = map[string]any{}
	}
	copied[name] = value
	return copied
}

// encode writes settings as JSON, sorted by name. They hold numbers, texts and
// truth values only, which cannot fail.
func encode(settings map[string]any) string {
	data, err := json.Marshal(settings)
	if err != nil {
		return "{}"
	}
	return string(data)
}
