package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// tasks are all tasks, in the order in which the help shows them.
var tasks = []task{
	stsOf("12"), stsOf("13"), stsOf("14"), stsOf("15"), stsOf("16"),
	stsBenchmark,
	stsMultilingual,
	stsCrossLingual,
	sts2017,
	tatoebaAll,
	tatoeba36,
	paragraphRetrieval,
	sts,
	sentEval,
}

// task is a measurement: what is read, and by which protocol an encoder is measured on it.
type task struct {
	// name is what a user calls it, and stands in the results.
	name string
	// measures says for the help what is measured, on which texts.
	measures string
	// from is where it reads.
	from source
	// split and languages say that a user may choose by the flags of these names.
	split, languages bool
	// trains says that it trains classifiers, by --probe and --seeds.
	trains bool
	// read reads the texts and what is known of them, and returns the protocol that
	// measures encoders on them. Files that are missing are an error afterwards, of all
	// at once; other faults end it.
	read func(in *input) (protocol, error)
}

// protocol measures an encoder on the texts that it holds.
type protocol interface {
	// measure returns the figures: base, which has the model, the task and the data's
	// hash, with the others filled in.
	measure(ctx context.Context, e encoder.Encoder, base schemas.Result) ([]schemas.Result, error)
}

// source is the flag that says where a task reads.
type source string

const (
	fromData       source = "data"
	fromTexts      source = "texts"
	fromBenchmarks source = "benchmarks"
)

// what says what a flag gives, and whether it is given.
func (c Config) what(s source) (what string, given bool) {
	switch s {
	case fromTexts:
		return "a dataset of texts", c.Texts != ""
	case fromBenchmarks:
		return "datasets of benchmarks", len(c.Benchmarks) > 0
	}
	return "the folder of the test data", c.Data != ""
}

// names are those of the tasks that a predicate takes, with commas.
func names(takes func(task) bool) string {
	var list []string
	for _, t := range tasks {
		if takes(t) {
			list = append(list, t.name)
		}
	}
	return strings.Join(list, ", ")
}

func find(name string) (task, bool) {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
	if i < 0 {
		return task{}, false
	}
	return tasks[i], true
}

// Help returns the table of the tasks, which the command line shows.
func (c Config) Help() string {
	var b strings.Builder
	b.WriteString("The tasks, with the flags that say what they read and what of it:\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range tasks {
		flags := "--" + string(t.from)
		if t.split {
			flags += ", --split"
		}
		if t.languages {
			flags += ", --languages"
		}
		if t.trains {
			flags += ", --probe, --seeds"
		}
		fmt.Fprintf(w, "    %s\t%s\n    \t(%s)\n", t.name, t.measures, flags)
	}
	w.Flush()
	return b.String()
}
