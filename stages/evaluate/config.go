// Package evaluate is the stage that measures an encoder: by semantic similarity, by
// finding translations among sentences, and by retrieval on your own parallel
// paragraphs.
//
// # Results
//
// Every figure is a row of schemas.Result in its natural unit: a correlation in [-1,
// 1], a share in [0, 1]. Tables of papers print a hundred times as much. An aggregate
// is a row whose subtask is "all", "mean" or "wmean", and is only given over all its
// parts: a missing file is an error, not a smaller average.
//
// # Determinism
//
// No encoder is trained here. Classifiers are trained from seeds that do not change: the
// same encoder and data give the same rows.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/folders"
)

// Config says what is measured. The command line reads the tags.
type Config struct {
	Data          string   `help:"Folder of the test data: sts, stsb, stsb_multi_mt, sts2017, tatoeba, senteval and others, as the documentation lists them." placeholder:"DIR" group:"Input"`
	Texts         string   `help:"Dataset of documents or pairs in several languages." placeholder:"DIR" takes:"document,pair" kinds:"document,bitext" group:"Input"`
	Benchmarks    []string `help:"Datasets of benchmarks, translated or not." placeholder:"DIR,..." takes:"benchmark" group:"Input"`
	Tasks         []string `help:"Tasks, in the order of the results; the table above lists them. all takes the tasks whose data are there; xeval takes senteval and sts from datasets of benchmarks." placeholder:"TASK,..." group:"Tasks"`
	TaskFiles     []string `help:"Files of tasks of your own, in YAML, measured after the others; the documentation shows one." placeholder:"FILE,..." group:"Tasks"`
	Languages     []string `help:"Languages of the tasks that are in several; all that are there by default." placeholder:"CODE,..." group:"Tasks"`
	Groups        string   `help:"File of groups of languages over which tatoeba gives means, too: lines of a name, a tab, and codes between spaces." placeholder:"FILE" group:"Tasks"`
	Split         string   `help:"Part of the test sets that have several (${enum})." default:"test" enum:"train,dev,test" group:"Tasks"`
	Probe         string   `help:"How classifiers are trained (${enum}): literature is by ten folds and Adam, as published figures are; prototyping by five folds and RMSprop; lbfgs is logistic regression to its optimum, as scikit-learn has it." default:"literature" enum:"literature,prototyping,lbfgs" group:"Tasks"`
	Splitlines    bool     `help:"Cut MR, CR, MPQA, SUBJ and SNLI of SentEval's folder into lines as its own code does, which sees 10,685 rows of MR and 10,021 of SUBJ." group:"Tasks"`
	Contamination []string `help:"Folders with the datasets behind the training of models that sentweave trained, up to two levels below: each figure of such a model is given once more, without the items of which a text is there, as decontaminate finds it." placeholder:"DIR,..." group:"Tasks"`
	Seeds         int      `help:"Number of trainings of each classifier, of which a figure is the mean; 1 if not given." default:"1" placeholder:"N" group:"Tasks"`
}

// maxSeeds bounds the trainings of a classifier.
const maxSeeds = 1000

// flagsOfTasks are the flags that have an effect on some tasks alone, with these.
var flagsOfTasks = map[string]func(protocol.Task) bool{
	"groups":    func(t protocol.Task) bool { return t.Groups },
	"split":     func(t protocol.Task) bool { return t.Split },
	"probe":     trains,
	"seeds":     trains,
	"languages": func(t protocol.Task) bool { return t.Languages },
}

func trains(t protocol.Task) bool { return t.Trains }

// OfTasks says whether a flag has an effect on some tasks alone.
func OfTasks(flag string) bool { return flagsOfTasks[flag] != nil }

// Takes says whether a flag has an effect on a task that is chosen, or no task that is known is
// chosen.
func (c Config) Takes(flag string) bool {
	takes, chosen := flagsOfTasks[flag], c.choices()
	if unknown := len(chosen) == 0 && (len(c.Tasks) > 0 || len(c.TaskFiles) == 0); takes == nil || unknown {
		return true
	}
	return slices.ContainsFunc(chosen, func(t protocol.Choice) bool { return takes(t.Task) }) || len(c.TaskFiles) > 0 &&
		(flag == "probe" || flag == "seeds")
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var faults fault.List
	choices := protocol.GroupAll + ", " + protocol.GroupXEVAL + ", " + names(func(protocol.Task) bool { return true })
	faults.Check(len(c.Tasks) > 0 || len(c.TaskFiles) > 0, "tasks is empty: give some of %s", choices)
	listed := map[string]bool{}
	for _, name := range c.Tasks {
		t, exists := find(name)
		switch {
		case listed[name]:
			faults.Addf("task %s occurs twice", name)
		case name == protocol.GroupXEVAL:
			faults.Check(len(c.Benchmarks) > 0, "tasks %s: give --benchmarks", name)
		case c.isGroup(name):
			faults.Check(c.Data != "" || c.Texts != "" || len(c.Benchmarks) > 0, "tasks %s: give --data, --texts or --benchmarks", name)
		case !exists:
			err := unknownTask(name, choices)
			if len(c.TaskFiles) > 0 {
				err = fmt.Errorf("%w; the tasks of --task-files are measured without their names here", err)
			}
			faults.Addf("tasks: %w", err)
		case !c.given(t):
			var ways []string
			for _, s := range t.From {
				what, _ := c.what(s)
				ways = append(ways, fmt.Sprintf("%s: give --%s", what, s))
			}
			faults.Addf("task %s needs %s", name, strings.Join(ways, ", or "))
		}
		listed[name] = true
	}
	faults.Check(slices.Contains([]string{"train", "dev", "test"}, c.Split), "split %q: want train, dev or test", c.Split)
	useless := func(set bool, flag string) {
		faults.Check(!set || c.Takes(flag), "%s has no effect on %s: it is for %s", flag,
			strings.Join(append(slices.Clip(c.Tasks), c.TaskFiles...), ", "), names(flagsOfTasks[flag]))
	}
	useless(c.Groups != "", "groups")
	useless(c.Split != "test", "split")
	readsSentEval := func(t protocol.Choice) bool { return t.Name == classifiers.SentEval.Name }
	faults.Check(!c.Splitlines || c.Data != "" && len(c.Benchmarks) == 0 && slices.ContainsFunc(c.choices(), readsSentEval),
		"--splitlines applies only to senteval read from --data")
	for i, file := range c.TaskFiles {
		faults.Check(file != "" && !slices.Contains(c.TaskFiles[:i], file), "task-files: %q is empty or occurs twice", file)
	}
	if c.Takes("probe") && len(c.choices())+len(c.TaskFiles) > 0 {
		faults.Check(slices.Contains([]string{classifiers.ProbeLiterature, classifiers.ProbePrototyping, classifiers.ProbeLBFGS}, c.Probe),
			"probe %q: want %s, %s or %s", c.Probe, classifiers.ProbeLiterature, classifiers.ProbePrototyping, classifiers.ProbeLBFGS)
		faults.Check(c.Seeds >= 1 && c.Seeds <= maxSeeds, "seeds %d: want 1 to %d", c.Seeds, maxSeeds)
	} else {
		useless(c.Probe != "" && c.Probe != classifiers.ProbeLiterature, "probe")
		useless(c.Seeds > 1, "seeds")
	}
	useless(len(c.Languages) > 0, "languages")
	for i, l := range c.Languages {
		faults.Check(l != "" && !slices.Contains(c.Languages[:i], l), "language %q is empty or occurs twice", l)
		// Codes of three letters are those of the data, whatever they are.
		if code, err := language.Parse(l); err == nil && code != l && len(l) != 3 {
			faults.Addf("languages: give %s for %q: codes are those of ISO 639-3", code, l)
		}
	}
	for i, location := range c.Contamination {
		faults.Check(location != "" && !slices.Contains(c.Contamination[:i], location), "contamination: %q is empty or occurs twice",
			location)
	}
	for i, location := range c.Benchmarks {
		faults.Check(location != "" && !slices.Contains(c.Benchmarks[:i], location), "benchmarks: %q is empty or occurs twice", location)
	}
	return faults.Err()
}

// unknownTask is the error for a name that is not one of the choices, which have commas between them.
func unknownTask(name, choices string) error {
	near := ""
	if n := spelling.Nearest(name, strings.Split(choices, ", ")); n != "" {
		near = ", did you mean " + n + "?"
	}
	return fmt.Errorf("%q is not one of %s%s", name, choices, near)
}

// Measure yields the results of each task when it is done. It reads the data of all tasks
// first and reports all that is missing before anything is encoded. It ends after an
// error.
func Measure(ctx context.Context, c Config, e encoder.Encoder) iter.Seq2[schemas.Result, error] {
	return func(yield func(schemas.Result, error) bool) {
		tasks, _, err := load(ctx, c)
		if err != nil {
			yield(schemas.Result{}, err)
			return
		}
		measureAll(ctx, tasks, e, func(string, protocol.Part) {})(yield)
	}
}

// Check returns all that is missing of the data of the tasks. It reads them.
func Check(ctx context.Context, c Config) error {
	_, _, err := load(ctx, c)
	return err
}

func measureAll(ctx context.Context, tasks []protocol.Loaded, e encoder.Encoder,
	keep func(task string, p protocol.Part)) iter.Seq2[schemas.Result, error] {
	return func(yield func(schemas.Result, error) bool) {
		for _, t := range tasks {
			results, err := t.Measure(ctx, e, schemas.Result{Model: e.Name(), Task: t.Name, DataXXH3: t.Hash},
				func(p protocol.Part) { keep(t.Name, p) })
			if err != nil {
				yield(schemas.Result{}, fmt.Errorf("evaluate %s: %w", t.Name, err))
				return
			}
			for _, r := range results {
				if err := r.Validate(); err != nil {
					yield(schemas.Result{}, fmt.Errorf("evaluate %s: %w", t.Name, err))
					return
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// load reads the data of all tasks and returns all that is wrong with them. Notes say what
// was left out: optional tasks, and parts of tasks that give figures without them.
func load(ctx context.Context, c Config) (list []protocol.Loaded, notes []string, err error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	var folder storage.Folder
	var sets *folders.Sets
	if c.Data != "" {
		if folder, err = storage.Locate(c.Data); err != nil {
			return nil, nil, err
		}
	}
	if len(c.Benchmarks) > 0 {
		if sets, err = folders.Open(ctx, c.Benchmarks...); err != nil {
			return nil, nil, fmt.Errorf("benchmarks: %w", err)
		}
	}
	var faults fault.List
	var absent []string // tasks whose data are not there
	custom, roots, err := c.own(ctx)
	faults.Add(err)
	for _, chosen := range append(c.choices(), custom...) {
		folder := folder
		if root, ok := roots[chosen.Name]; ok {
			folder = root
		}
		reader := &protocol.Input{
			Context: ctx, Task: chosen.Name, Texts: c.Texts, Groups: c.Groups, Languages: c.Languages, Split: c.Split, Probe: c.Probe,
			Seeds:      c.Seeds,
			Splitlines: c.Splitlines, Grouped: chosen.Groups, Folder: folder, Sets: sets,
		}
		p, err := chosen.Read(reader)
		if err == nil {
			err = reader.Fault()
		}
		if a := new(protocol.Absence); chosen.Optional && errors.As(err, a) {
			absent = append(absent, a.Note(chosen.Name))
			continue
		}
		list, notes = append(list, protocol.Loaded{Choice: chosen, Hash: reader.Sum(), Protocol: p}), append(notes, reader.Notes...)
		faults.Add(err)
	}
	if len(list) == 0 && len(faults) == 0 {
		return nil, nil, fmt.Errorf("there are data for none of the tasks; what is missing: %s", strings.Join(absent, "; "))
	}
	if len(absent) > 0 {
		notes = append([]string{"left out, for want of data: " + strings.Join(absent, "; ")}, notes...)
	}
	return list, notes, faults.Err()
}
