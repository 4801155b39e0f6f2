package datasets

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/stages/diff"
)

// diffVerb is what the programs know of the verb diff.
var diffVerb = verb.Verb{
	Name: "diff", Group: verb.GroupLook,
	Help: "Compare two datasets: plan, funnel, content. Exits with 1 if their rows differ.",
	Examples: []string{
		"diff documents documents-before",
		"diff results results-before --limit 20",
	},
	New: func() any { return new(diffCommand) },
}

type diffCommand struct {
	A    string `arg:"" help:"Folder of a complete dataset." placeholder:"DIR"`
	B    string `arg:"" help:"Folder of another one." placeholder:"DIR"`
	JSON bool   `name:"json" help:"Print the differences as JSON."`
	// The flags below are for results.
	Models []string `help:"Of two datasets of results: models whose items to compare, the name in A, and that in B if it is another; by default those of equal names, or the only ones." placeholder:"A[=B],..."`
	Limit  int      `help:"Of two datasets of results: most items to list of each task that became worse, and as many that became better; 0 lists none." default:"5" placeholder:"N"`
}

// Validate returns all faults at once.
func (c *diffCommand) Validate() error {
	var faults fault.List
	faults.Check(c.Limit >= 0, "limit is %d, it must not be negative", c.Limit)
	for _, m := range c.models() {
		faults.Check(m.A != "" && m.B != "", "models: want A=B, of two names, or one name")
	}
	return faults.Err()
}

func (c *diffCommand) models() (list []diff.Models) {
	for _, text := range c.Models {
		a, b, two := strings.Cut(text, "=")
		if !two {
			b = a
		}
		list = append(list, diff.Models{A: a, B: b})
	}
	return list
}

// Run implements the verb. As diff does, it fails without a message where the
// rows differ.
func (c *diffCommand) Run(ctx context.Context, p *command.Program) error {
	a, err := c.load(ctx, p, c.A)
	if err != nil {
		return err
	}
	b, err := c.load(ctx, p, c.B)
	if err != nil {
		return err
	}
	report := diff.Compare(a, b)
	if report.Items, err = c.items(ctx, p, a, b, report); err != nil {
		return err
	}
	if c.JSON {
		err = command.PrintJSON(p.Stdout, report)
	} else {
		err = c.print(p, report)
	}
	if err == nil && !report.EqualContent {
		return command.ErrSaid
	}
	return err
}

// items compares the items of results that differ, or of models that are named.
func (c *diffCommand) items(ctx context.Context, p *command.Program, a, b *dataset.Manifest, r diff.Report) ([]diff.Task, error) {
	results := schemas.Result{}.Schema().Name
	if a.Plan.Schema != results || b.Plan.Schema != results {
		if len(c.Models) > 0 {
			return nil, fmt.Errorf("models: %s and %s are not both datasets of results", c.A, c.B)
		}
		return nil, nil
	}
	if r.EqualContent && len(c.Models) == 0 {
		return nil, nil
	}
	tasks, err := diff.Items(ctx, c.A, c.B, c.models(), c.Limit)
	if err != nil && len(c.Models) == 0 && ctx.Err() == nil { // the rest can be told
		fmt.Fprintf(p.Stderr, "note: items are not compared: %v\n", err)
		return nil, nil
	}
	return tasks, err
}

// loadWhole returns the manifest of a dataset whose files have the hashes that
// it says: the comparison trusts these.
func loadWhole(ctx context.Context, location string) (*dataset.Manifest, error) {
	folder, m, err := dataset.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	return m, m.CheckHashes(ctx, folder)
}

// load opens a dataset. Of what is none, the error says what to compare instead.
func (c *diffCommand) load(ctx context.Context, p *command.Program, location string) (*dataset.Manifest, error) {
	if _, err := (Argument{location}).Folder(ctx, p.Verbs); err != nil {
		way := "diff compares two complete datasets"
		switch locations.KindAt(ctx, p.Verbs, location) {
		case "encoder":
			way += fmt.Sprintf("; encoders are compared by their results: `sentweave evaluate --model a=%s,b=%s` puts them side by side, and `sentweave report --training` their losses",
				c.A, c.B)
		case "recipe":
			way += fmt.Sprintf("; name the folder of a step, as in %s/results", strings.TrimSuffix(location, "/"))
		}
		return nil, fmt.Errorf("%w: %s", err, way)
	}
	return loadWhole(ctx, location)
}

func (c *diffCommand) print(p *command.Program, r diff.Report) error {
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, part := range []struct {
		name    string
		changes []diff.Change
	}{{"plan", r.Plan}, {"funnel", r.Funnel}, {"data", r.Data}} {
		if len(part.changes) == 0 {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", part.name, c.A, c.B)
		for _, change := range part.changes {
			fmt.Fprintf(t, "  %s\t%s\t%s\n", change.Name, command.OrDash(change.A), command.OrDash(change.B))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, task := range r.Items {
		printItems(p.Stdout, task)
	}
	verdict := "the rows differ"
	switch {
	case r.Equal():
		verdict = "the datasets are equal"
	case r.EqualContent:
		verdict = "the rows are equal"
	}
	_, err := fmt.Fprintln(p.Stdout, verdict)
	return err
}

// printItems prints how the items of a task changed, and those that changed most.
func printItems(w io.Writer, t diff.Task) {
	models := t.A
	if t.B != t.A {
		models += " to " + t.B
	}
	fmt.Fprintf(w, "items of %s, %s: %s, %s worse, %s better", t.Task, models, command.Counted(int64(t.Items), "item"),
		command.Count(int64(t.Worse)), command.Count(int64(t.Better)))
	if t.Other > 0 {
		fmt.Fprintf(w, "; %s with other items", command.Counted(int64(t.Other), "part"))
	}
	fmt.Fprintln(w)
	for _, c := range t.Changes {
		direction := "worse"
		if c.Change > 0 {
			direction = "better"
		}
		what := fmt.Sprintf("%.3g to %.3g", c.ScoreA, c.ScoreB)
		switch {
		case c.Gold != nil:
			what = fmt.Sprintf("similarity %.3f to %.3f, gold %g", c.ScoreA, c.ScoreB, *c.Gold)
		case c.Label != "":
			what = fmt.Sprintf("%s to %s, right is %s", c.ClassA, c.ClassB, c.Label)
		case c.ScoreA == 0 && c.ScoreB == 1:
			what = "wrong to right"
		case c.ScoreA == 1 && c.ScoreB == 0:
			what = "right to wrong"
		}
		fmt.Fprintf(w, "  %s  %s %d: %s\n", direction, strings.TrimSpace(c.Subtask+" "+c.Language), c.Position, what)
		for _, text := range []struct{ name, text string }{{"a", c.TextA}, {"b", c.TextB}, {"found before", c.FoundA},
			{"found after", c.FoundB}} {
			if text.text != "" { // texts of others may hold what steers a terminal
				fmt.Fprintf(w, "    %s: %q\n", text.name, excerpt.Characters(text.text, 200))
			}
		}
	}
}
