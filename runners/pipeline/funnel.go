package pipeline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/pairs"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
)

// maxReasons is the number of reasons that a funnel table shows of a step: no step of ours has as many.
const maxReasons = 50

// maxLanguages is the number of languages that a funnel table shows, or fewer if a
// terminal is narrow; the rest is summed. `inspect --funnel --json` tells them.
const maxLanguages = 12

// printPlan shows what a job would do.
func printPlan(w io.Writer, job *units.Job) {
	p := job.Plan
	fmt.Fprintf(w, "pipeline  %s, version %d\nplan      %s\nschema    %s v%d\nunits     %d\n", p.Pipeline, p.PipelineVersion, p.Hash,
		p.Schema, p.SchemaVersion, p.Units)
	for _, phase := range job.Phases {
		fmt.Fprintf(w, "phase     %s: %s\n", phase.Name, command.Counted(int64(phase.Count), "unit"))
	}
	for _, input := range p.Inputs {
		fmt.Fprintf(w, "input     %s: %s, %s\n", input.Role, command.Counted(input.Files, "file"), command.Size(input.Bytes))
	}
	if len(job.Filters) > 0 {
		fmt.Fprintf(w, "filters   %s\n", strings.Join(job.Filters, ", "))
	}
	last := job.Phases[len(job.Phases)-1]
	fmt.Fprintf(w, "shards    at most %d, from %s of input each\nconfig    %s\n", last.Count, dataset.Bytes(p.ShardBytes), p.Config)
}

// PrintSummary shows where a dataset lies and how its rows came about.
func PrintSummary(p *command.Program, location string, m *dataset.Manifest) {
	if p.Quiet {
		return
	}
	w := p.Stdout
	PrintFunnel(w, m.Funnel)
	fmt.Fprintf(w, "%s: %s in %s, %s, content %s\n", location, command.Counted(m.Rows, m.Plan.Schema),
		command.Counted(int64(len(m.Shards)), "shard"), command.Size(m.Bytes), m.ContentXXH3)
	losses, idle := m.Funnel.Suspicious()
	explained := imports(p.Verbs, m)
	for _, loss := range losses {
		if slices.Contains(verbOf(p.Verbs, m).Wanted, loss.Reason) {
			continue
		}
		explained = true
		fmt.Fprintf(w, "note: the step %s dropped %s of %s %s, %s of them as %s", loss.Step, command.Count(loss.Dropped),
			command.Count(loss.In), loss.Items, commonest(loss), loss.Reason)
		if way := wayOut(p.Verbs, m, loss); way != "" {
			fmt.Fprintf(w, ": %s", p.Advice(way))
		}
		fmt.Fprintln(w)
	}
	if m.Rows == 0 && !explained {
		fmt.Fprintf(w, "note: %s is empty: %s\n", location, WhyEmpty(p.Verbs, m))
	}
	if len(idle) > 0 && p.Verbose {
		fmt.Fprintf(w, "note: these steps dropped nothing: %s\n", strings.Join(idle, ", "))
	}
}

// imports says that a dataset is an import, which pairs of documents are not.
func imports(verbs []verb.Verb, m *dataset.Manifest) bool {
	return verbOf(verbs, m).Imports && m.Plan.InputHash("documents") == ""
}

// nothingKept returns an error for an import of which nothing is left, with the commonest reason of the first chain that dropped
// anything, which holds what the others are parts of: the input or a setting is wrong. Rows of the part that was not chosen are no fault.
func nothingKept(p *command.Program, location string, m *dataset.Manifest) error {
	if m.Rows > 0 || !imports(p.Verbs, m) {
		return nil
	}
	var worst dataset.Loss
	for _, chain := range m.Funnel.Chains {
		if worst.Dropped > 0 {
			break
		}
		for _, step := range chain.Steps {
			for reason, n := range step.Total().Dropped { // ties go by name, whatever the order
				if n > worst.Dropped || n == worst.Dropped && n > 0 && reason < worst.Reason {
					worst = dataset.Loss{Items: chain.Items, Step: step.Name, Reason: reason, Dropped: n, In: chain.Steps[0].Total().In}
				}
			}
		}
	}
	switch {
	case slices.Contains(verbOf(p.Verbs, m).Wanted, worst.Reason):
		return nil
	case worst.Dropped == 0:
		return fmt.Errorf("%s is empty: the input has names of columns at most, and no rows", location)
	}
	way := wayOut(p.Verbs, m, worst)
	if way != "" {
		way = ": " + p.Advice(way)
	}
	return fmt.Errorf("%s is empty: of %s the step %s dropped %s as %s%s; `sentweave inspect %s --rejects` shows them", location,
		command.Counted(worst.In, strings.TrimSuffix(worst.Items, "s")), worst.Step, command.Count(worst.Dropped), worst.Reason, way,
		location)
}

// verbOf is the verb that made a dataset.
func verbOf(verbs []verb.Verb, m *dataset.Manifest) verb.Verb {
	v, _ := verb.Find(verbs, m.Plan.Pipeline)
	return v
}

// wayOut says what is often the matter with a step that dropped nearly all, or "".
func wayOut(verbs []verb.Verb, m *dataset.Manifest, loss dataset.Loss) string {
	way := verbOf(verbs, m).WaysOut[loss.Reason]
	if way != pairs.BadLayout {
		return way
	}
	if m.Plan.InputHash("documents") == "" {
		return "" // of texts that were imported, where no layout is asked for
	}
	for _, chain := range m.Funnel.Chains {
		if chain.Items != loss.Items || len(chain.Steps[0].Languages) != 1 {
			continue
		}
		for code := range chain.Steps[0].Languages {
			if code != language.Undetermined {
				return fmt.Sprintf("all of them are in %s, and one language alone makes no pairs: give pages in two languages, and keep both when the documents are made",
					code)
			}
		}
	}
	return way
}

// PrintFunnel prints one table a chain: steps as rows, languages as columns,
// what came out, and below it what was dropped for which reason.
func PrintFunnel(w io.Writer, f *dataset.Funnel) {
	for _, chain := range f.Chains {
		printChain(w, chain, command.Width(w))
	}
}

// printChain prints the languages with the most items, as many as go into the width,
// and the sum of the others. A width of 0 has no bound.
func printChain(w io.Writer, chain dataset.Chain, width int) {
	for limit := maxLanguages; ; limit-- {
		var table strings.Builder
		writeChain(&table, chain, limit)
		line, _, _ := strings.Cut(table.String(), "\n") // all are as long
		if width == 0 || len(line) <= width || limit == 1 {
			fmt.Fprintln(w, table.String())
			return
		}
	}
}

func writeChain(w io.Writer, chain dataset.Chain, limit int) {
	languages, rest := topLanguages(chain, limit)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := append([]string{chain.Items, "all"}, languages...)
	switch {
	case slices.Contains(rest, dataset.OthersKey): // it is not known how many
		header = append(header, dataset.OthersKey)
	case len(rest) > 0:
		header = append(header, fmt.Sprintf("%d more", len(rest)))
	}
	fmt.Fprintln(t, strings.Join(header, "\t")+"\t")
	row := func(name string, value func(dataset.Count) int64, step dataset.Step, total dataset.Count) {
		cells := []string{name, command.Count(value(total))}
		for _, l := range languages {
			cells = append(cells, command.Count(value(step.Languages[l])))
		}
		if len(rest) > 0 {
			sum := int64(0)
			for _, l := range rest {
				sum += value(step.Languages[l])
			}
			cells = append(cells, command.Count(sum))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	for i, step := range chain.Steps {
		total := step.Total()
		if i == 0 {
			row("in", func(c dataset.Count) int64 { return c.In }, step, total)
		}
		reasons := slices.Sorted(maps.Keys(total.Dropped))
		for _, reason := range reasons[:min(len(reasons), maxReasons)] {
			row("- "+reason, func(c dataset.Count) int64 { return c.Dropped[reason] }, step, total)
		}
		if n := len(reasons) - maxReasons; n > 0 {
			fmt.Fprintf(t, "- %d more reasons\t\n", n)
		}
		row("after "+step.Name, func(c dataset.Count) int64 { return c.Out }, step, total)
	}
	t.Flush()
}

// topLanguages returns so many languages with the most items, and the others.
func topLanguages(chain dataset.Chain, limit int) (top, rest []string) {
	if len(chain.Steps) == 0 {
		return nil, nil
	}
	counts := chain.Steps[0].Languages
	last := func(code string) int { return map[bool]int{true: 1}[code == dataset.OthersKey] } // which is none
	top = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(counts[b].In, counts[a].In), strings.Compare(a, b))
	})
	if len(top) > limit {
		return top[:limit], top[limit:]
	}
	return top, nil
}

// commonest is how many of what a step dropped went for the commonest reason.
func commonest(loss dataset.Loss) string {
	if loss.Commonest == loss.Dropped {
		return "all"
	}
	return command.Count(loss.Commonest)
}

// WhyEmpty says what dropped the rows of an empty dataset, and the way out.
func WhyEmpty(verbs []verb.Verb, m *dataset.Manifest) string {
	rows := int64(0)
	for _, chain := range m.Funnel.Chains {
		if len(chain.Steps) > 0 {
			rows += chain.Steps[0].Total().In
		}
	}
	if rows == 0 {
		return "its input has none"
	}
	losses, _ := m.Funnel.Suspicious()
	if len(losses) == 0 {
		return "its input has nothing of what it makes"
	}
	loss := losses[0]
	text := fmt.Sprintf("%s dropped %s of %s, %s of them as %s", loss.Step, command.Count(loss.Dropped),
		command.Counted(loss.In, strings.TrimSuffix(loss.Items, "s")), commonest(loss), loss.Reason)
	if way := wayOut(verbs, m, loss); way != "" {
		text += ": " + way
	}
	return text
}
