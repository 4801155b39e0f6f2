package datasets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/pipeline"
	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/stages/inspect"
)

// inspectVerb is what the programs know of the verb inspect.
var inspectVerb = verb.Verb{
	Name: "inspect", Group: verb.GroupLook,
	Help: "Show what a dataset is made of, or its rows.",
	Examples: []string{
		"inspect documents",
		"inspect documents --where 'language == \"eng\"' --columns id,sentences.text --sample 3",
		"inspect scores --what-if 'language_score >= .7 and fineweb_terminated > .1'",
	},
	New: func() any { return new(inspectCommand) },
}

type inspectCommand struct {
	Argument
	Head    *int     `help:"Print the first N rows; 0 prints all, and 10 are printed where another flag asks for rows." placeholder:"N" group:"Rows" xor:"rows"`
	Sample  int      `help:"Print N rows chosen by the hash of their content: the same ones every time." placeholder:"N" group:"Rows" xor:"rows"`
	Where   string   `help:"Print only rows that pass, as in 'language == \"spa\" and length(sentences) > 10'. Operators: == != < <= > >= contains, matches (a regular expression), and, or, not, parentheses; length(column); null. In lists, one value that passes is enough." placeholder:"FILTER" group:"Rows"`
	WhatIf  string   `name:"what-if" help:"Recount the rows by a filter as that of --where, in which names of scores stand for columns, too: how many rows and sentences would stay and go by language, and some of the rows. Of datasets made by corpus or pairfilter with --scores, this is against what their own filters would drop." placeholder:"FILTER" group:"Rows"`
	Columns []string `help:"Print only these columns, as in id,sentences.text." placeholder:"COLUMN" group:"Rows"`
	Rejects bool     `help:"Print the sampled rejects instead of the rows." group:"Rows"`
	Funnel  bool     `help:"Print only the funnel."`
	JSON    bool     `name:"json" help:"Print JSON: an object a row, or the manifest, or the funnel with all languages."`
}

// defaultHead is the number of rows that are printed where nobody says.
const defaultHead = 10

// Validate returns all faults of the flags.
func (c *inspectCommand) Validate() error {
	var errs fault.List
	if c.Head != nil && *c.Head < 0 {
		errs.Addf("head %d is negative; 0 prints all rows", *c.Head)
	}
	errs.Check(c.Sample >= 0, "sample %d is negative", c.Sample)
	errs.Check(!c.Funnel || !c.rows(), "funnel and the flags for rows exclude each other")
	errs.Check(c.WhatIf == "" || c.Head == nil && !c.Rejects, "what-if counts all rows of the dataset: leave head and rejects out")
	return errs.Err()
}

// rows says whether rows are asked for.
func (c *inspectCommand) rows() bool {
	return c.Head != nil || c.Sample > 0 || c.Where != "" || c.WhatIf != "" || len(c.Columns) > 0 || c.Rejects
}

// Run implements the verb.
func (c *inspectCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.Folder(ctx, p.Verbs)
	if err != nil {
		return err
	}
	d, err := inspect.Open(ctx, folder)
	if err != nil {
		return err
	}
	if c.rows() {
		return c.showRows(ctx, p, d)
	}
	if c.Funnel && d.Manifest == nil {
		return fmt.Errorf("%w: %s has no funnel before its manifest, %d of %d units are done", dataset.ErrIncomplete, c.Dataset, d.Done,
			d.Plan.Units)
	}
	switch {
	case c.Funnel && c.JSON:
		funnel, err := d.Manifest.WholeFunnel(ctx, d.Folder)
		if err != nil {
			return err
		}
		return command.PrintJSON(p.Stdout, funnel)
	case c.Funnel:
		pipeline.PrintFunnel(p.Stdout, d.Manifest.Funnel)
		return nil
	case c.JSON && d.Manifest != nil:
		return command.PrintJSON(p.Stdout, d.Manifest)
	case c.JSON:
		return command.PrintJSON(p.Stdout, map[string]any{"plan": d.Plan, "units_done": d.Done})
	}
	return c.describe(ctx, p.Stdout, d)
}

func (c *inspectCommand) showRows(ctx context.Context, p *command.Program, d *inspect.Dataset) error {
	if d.Manifest == nil {
		if c.Rejects {
			return fmt.Errorf("%w: %s has no rejects before its manifest, %d of %d units are done", dataset.ErrIncomplete, c.Dataset,
				d.Done, d.Plan.Units)
		}
		fmt.Fprintf(p.Stderr, "inspect: %s is not complete; these are rows of %d of %d units\n", c.Dataset, d.Done, d.Plan.Units)
	}
	if c.WhatIf != "" {
		return c.whatIf(ctx, p, d)
	}
	view := inspect.View{Rejects: c.Rejects, Where: c.Where, Columns: c.Columns, Head: defaultHead, Sample: c.Sample, JSON: c.JSON}
	if c.Head != nil {
		view.Head = *c.Head
	}
	result, err := d.Show(ctx, p.Stdout, view)
	switch {
	case err != nil:
		return usage(err)
	case result.More && c.Head == nil:
		fmt.Fprintf(p.Stderr, "inspect: there are more than these %d rows; --head 0 prints all\n", result.Rows)
	case result.Rows == 0 && c.Where != "":
		fmt.Fprintln(p.Stderr, "inspect: no row passes the filter")
	}
	return nil
}

// usage makes an error of usage of a fault in a filter or the name of a column.
func usage(err error) error {
	var fault *inspect.Fault
	if errors.As(err, &fault) {
		return command.Usage(err)
	}
	return err
}

// describe prints what a dataset is made of.
func (c *inspectCommand) describe(ctx context.Context, w io.Writer, d *inspect.Dataset) error {
	plan := d.Plan
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("dataset", "%s", c.Dataset)
	line("schema", "%s v%d", plan.Schema, plan.SchemaVersion)
	if m := d.Manifest; m != nil {
		line("rows", "%s", command.Count(m.Rows))
		line("content", "%s", m.ContentXXH3)
		line("shards", "%s", shardSizes(m))
		if m.Rejects != nil {
			line("rejects", "%s sampled (--rejects prints them)", command.Count(m.Rejects.Rows))
		}
	} else {
		progress, err := ProgressOf(ctx, plan, d.Folder, d.Done)
		if err != nil {
			return err
		}
		line("state", "not complete: %s", progress)
	}
	line("pipeline", "%s, version %d", plan.Pipeline, plan.PipelineVersion)
	line("plan", "%s", plan.Hash)
	line("seed", "%d", plan.Seed)
	line("units", "%s, from %s of input each", command.Count(int64(plan.Units)), dataset.Bytes(plan.ShardBytes))
	for _, input := range plan.Inputs {
		line("input", "%s: %s, %s, %s", input.Role, command.Counted(input.Files, "file"), command.Size(input.Bytes), input.XXH3)
	}
	for _, s := range settingsOf(plan.Config) {
		line("config", "%s", excerpt.Characters(s, longestSetting))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := c.printColumns(ctx, w, d); err != nil {
		return err
	}
	if d.Manifest != nil {
		fmt.Fprintln(w)
		pipeline.PrintFunnel(w, d.Manifest.Funnel)
	}
	return nil
}

func (c *inspectCommand) printColumns(ctx context.Context, w io.Writer, d *inspect.Dataset) error {
	table, err := d.Table(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\ncolumns")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var list func(columns []*inspect.Column, indent string)
	list = func(columns []*inspect.Column, indent string) {
		for _, column := range columns {
			fmt.Fprintf(t, "  %s%s\t%s\n", indent, column.Name, column.Type())
			list(column.Fields, indent+"  ")
		}
	}
	list(table.Columns, "")
	return t.Flush()
}

// shardSizes describes the files of a dataset.
func shardSizes(m *dataset.Manifest) string {
	if len(m.Shards) == 0 {
		return "none"
	}
	var sizes []int64
	for _, s := range m.Shards {
		sizes = append(sizes, s.Bytes)
	}
	slices.Sort(sizes)
	if len(sizes) == 1 {
		return "1 of " + command.Size(sizes[0])
	}
	return fmt.Sprintf("%s of %s to %s, %s in all", command.Count(int64(len(sizes))), command.Size(sizes[0]),
		command.Size(sizes[len(sizes)-1]), command.Size(m.Bytes))
}

// longestSetting is how many characters of a setting are printed; --json has all.
const longestSetting = 300

// settingsOf lists a configuration as "key = value", by key.
func settingsOf(config json.RawMessage) []string {
	var settings map[string]json.RawMessage
	if jsonfile.Unmarshal(config, &settings) != nil {
		return []string{string(config)}
	}
	var list []string
	for key, value := range settings {
		list = append(list, key+" = "+string(value))
	}
	slices.Sort(list)
	return list
}
