package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"sentweave/runners/command"
	"sentweave/stages/doctor"
)

type doctorCommand struct {
	Dir    string `help:"Folder in which datasets are to be made: says whether it can be written, and how much room it has." placeholder:"DIR"`
	Python string `help:"Python interpreter to ask; python3 if not given." placeholder:"FILE" env:"SENTWEAVE_PYTHON"`
	JSON   bool   `name:"json" help:"Print the findings as JSON."`
}

// Run implements the verb.
func (c *doctorCommand) Run(ctx context.Context, p *command.Program) error {
	torch, err := torchProgram()
	if err != nil {
		torch = "" // the finding says so
	}
	findings := doctor.Check(ctx, doctor.Config{Folder: c.Dir, Python: c.Python, Torch: torch})
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.print(p, findings); err != nil {
		return err
	}
	if !doctor.Healthy(findings) {
		return command.ErrSaid
	}
	return nil
}

func (c *doctorCommand) print(p *command.Program, findings []doctor.Finding) error {
	if c.JSON {
		return command.PrintJSON(p.Stdout, findings)
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Status, f.Name, oneLine(f.Found))
		if f.Help != "" {
			fmt.Fprintf(t, "\t\t  %s\n", oneLine(f.Help))
		}
	}
	return t.Flush()
}
