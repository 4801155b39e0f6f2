package evaluate

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/evaluate/retrieval"
	"sentweave/stages/evaluate/similarity"
)

// tasks are all tasks, in the order in which the help shows them.
var tasks = []protocol.Task{
	similarity.SemEval("12"), similarity.SemEval("13"), similarity.SemEval("14"), similarity.SemEval("15"), similarity.SemEval("16"),
	similarity.STSBenchmark,
	similarity.STSMultilingual,
	similarity.STSCrossLingual,
	similarity.STSPairs,
	similarity.STS2017,
	similarity.STS2017Extended,
	similarity.SICK,
	similarity.QualityEstimation,
	similarity.ArgumentFacets,
	retrieval.Tatoeba,
	retrieval.Tatoeba36,
	retrieval.Newstest,
	retrieval.BUCC,
	retrieval.Neutrality,
	retrieval.TatoebaLanguages,
	retrieval.Paragraphs,
	similarity.STS,
	classifiers.SentEval,
	classifiers.Transfer,
}

// choices returns the tasks that were chosen, in the order of the results. A task that is
// chosen by its name and by a group is not optional.
func (c Config) choices() []protocol.Choice {
	var list []protocol.Choice
	add := func(t protocol.Task, optional bool) {
		if i := slices.IndexFunc(list, func(l protocol.Choice) bool { return l.Name == t.Name }); i >= 0 {
			list[i].Optional = list[i].Optional && optional
			return
		}
		list = append(list, protocol.Choice{Task: t, Optional: optional})
	}
	for _, name := range c.Tasks {
		if !c.isGroup(name) {
			if t, ok := find(name); ok {
				add(t, false)
			}
			continue
		}
		for _, t := range tasks {
			if c.given(t) && (name == protocol.GroupAll || t.Group == name) {
				add(t, true)
			}
		}
	}
	return list
}

// isGroup says whether a name stands for several tasks.
func (c Config) isGroup(name string) bool {
	return name == protocol.GroupAll || name == protocol.GroupXEVAL || name == protocol.GroupSTS && len(c.Benchmarks) == 0 && c.Data != ""
}

// given says whether a source of a task is given.
func (c Config) given(t protocol.Task) bool {
	return slices.ContainsFunc(t.From, func(s protocol.Source) bool { _, ok := c.what(s); return ok })
}

// what says what a flag gives, and whether it is given.
func (c Config) what(s protocol.Source) (what string, ok bool) {
	switch s {
	case protocol.FromTexts:
		return "a dataset of texts", c.Texts != ""
	case protocol.FromBenchmarks:
		return "datasets of benchmarks", len(c.Benchmarks) > 0
	}
	return "the folder of the test data", c.Data != ""
}

// names are those of the tasks that a predicate takes, with commas.
func names(takes func(protocol.Task) bool) string {
	var list []string
	for _, t := range tasks {
		if takes(t) {
			list = append(list, t.Name)
		}
	}
	return strings.Join(list, ", ")
}

func find(name string) (protocol.Task, bool) {
	i := slices.IndexFunc(tasks, func(t protocol.Task) bool { return t.Name == name })
	if i < 0 {
		return protocol.Task{}, false
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
		for _, s := range t.From {
			sources = append(sources, "--"+string(s))
		}
		flags := strings.Join(sources, " or ")
		if t.Split {
			flags += ", --split"
		}
		if t.Languages {
			flags += ", --languages"
		}
		if t.Groups {
			flags += ", --groups"
		}
		if t.Trains {
			flags += ", --probe, --seeds"
		}
		fmt.Fprintf(w, "    %s\t%s\n    \t(%s)\n", t.Name, t.Measures, flags)
	}
	w.Flush()
	return b.String()
}
