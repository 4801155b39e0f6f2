package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// tasks are all tasks, in the order in which the help shows them.
var tasks = []task{
	stsOf("12"), stsOf("13"), stsOf("14"), stsOf("15"), stsOf("16"),
	stsBenchmark,
	stsMultilingual,
	stsCrossLingual,
	stsPairs,
	sts2017,
	sts2017Extended,
	sickCosine,
	qualityEstimation,
	argumentFacets,
	tatoebaAll,
	tatoeba36,
	newstest,
	buccMining,
	neutrality,
	tatoebaLanguages,
	paragraphRetrieval,
	sts,
	sentEval,
	transfer,
}

// choices returns the tasks that were chosen, in the order of the results. A task that is
// chosen by its name and by a group is not optional.
func (c Config) choices() []choice {
	var list []choice
	add := func(t task, optional bool) {
		if i := slices.IndexFunc(list, func(l choice) bool { return l.name == t.name }); i >= 0 {
			list[i].optional = list[i].optional && optional
			return
		}
		list = append(list, choice{t, optional})
	}
	for _, name := range c.Tasks {
		if !c.isGroup(name) {
			if t, ok := find(name); ok {
				add(t, false)
			}
			continue
		}
		for _, t := range tasks {
			if c.given(t) && (name == groupAll || t.group == name) {
				add(t, true)
			}
		}
	}
	return list
}

// isGroup says whether a name stands for several tasks.
func (c Config) isGroup(name string) bool {
	return name == groupAll || name == groupXEVAL || name == groupSTS && len(c.Benchmarks) == 0 && c.Data != ""
}

// given says whether a source of a task is given.
func (c Config) given(t task) bool {
	return slices.ContainsFunc(t.from, func(s source) bool { _, ok := c.what(s); return ok })
}

// what says what a flag gives, and whether it is given.
func (c Config) what(s source) (what string, ok bool) {
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
	b.WriteString("The tasks, with the flags that say what they read and what of it. --tasks=all takes every task whose data are there, --tasks=sts with --data those of similarity, and --tasks=xeval senteval and sts in datasets of benchmarks:\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range tasks {
		var sources []string
		for _, s := range t.from {
			sources = append(sources, "--"+string(s))
		}
		flags := strings.Join(sources, " or ")
		if t.split {
			flags += ", --split"
		}
		if t.languages {
			flags += ", --languages"
		}
		if t.groups {
			flags += ", --groups"
		}
		if t.trains {
			flags += ", --probe, --seeds"
		}
		fmt.Fprintf(w, "    %s\t%s\n    \t(%s)\n", t.name, t.measures, flags)
	}
	w.Flush()
	return b.String()
}
