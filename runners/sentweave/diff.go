package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/diff"
)

type diffCommand struct {
	A    string `arg:"" help:"Folder of a complete dataset." placeholder:"DIR"`
	B    string `arg:"" help:"Folder of another one." placeholder:"DIR"`
	JSON bool   `name:"json" help:"Print the differences as JSON."`
}

// Run implements the verb. As diff does, it fails without a message where the
// rows differ.
func (c *diffCommand) Run(ctx context.Context, p *command.Program) error {
	a, err := loadWhole(ctx, c.A)
	if err != nil {
		return err
	}
	b, err := loadWhole(ctx, c.B)
	if err != nil {
		return err
	}
	report := diff.Compare(a, b)
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

// loadWhole returns the manifest of a dataset whose files have the hashes that
// it says: the comparison trusts these.
func loadWhole(ctx context.Context, location string) (*dataset.Manifest, error) {
	folder, err := storage.At(location)
	if err != nil {
		return nil, err
	}
	m, err := dataset.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	return m, m.CheckHashes(ctx, folder)
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
			fmt.Fprintf(t, "  %s\t%s\t%s\n", change.Name, orDash(change.A), orDash(change.B))
		}
	}
	if err := t.Flush(); err != nil {
		return err
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

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
