package main

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/schemas/storage"
	"sentweave/stages/validate"
)

// validateVerb is what the programs know of the verb validate.
var validateVerb = verb.Verb{
	Name: "validate", Group: verb.GroupTranslate,
	Help: "Prove that translated benchmarks equal their source in rows, labels, splits, order and encodings. Exits with 1 if they do not.",
	Examples: []string{
		"validate --source benchmarks --translated xeval",
	},
	Makes: verb.Output{Rows: "validation", Mark: validate.RecordName, Is: "a validation", Judges: true,
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			r, err := validate.LoadRecord(ctx, folder)
			if err != nil {
				return "", err
			}
			return command.Counted(int64(r.Faults), "fault"), nil
		}},
	New: func() any { return new(validateCommand) },
}

type validateCommand struct {
	Out  string `help:"Folder in which validation.json is written; none by default." placeholder:"DIR" group:"Output"`
	JSON bool   `help:"Print JSON." name:"json" group:"Output"`
	validate.Config
}

// Run implements the verb.
func (c *validateCommand) Run(ctx context.Context, p *command.Program) error {
	if c.Out != "" {
		if err := locations.RefuseInside(ctx, c.Out); err != nil {
			return err
		}
	}
	v, _, err := validate.Run(ctx, c.Out, c.Config, validate.Options{})
	if v == nil {
		return err
	}
	if c.JSON {
		err = errors.Join(err, command.PrintJSON(p.Stdout, v))
	} else {
		c.print(p, v)
	}
	if err == nil && v.Faults > 0 {
		return command.ErrSaid
	}
	return err
}

func (c *validateCommand) print(p *command.Program, v *validate.Validation) {
	for _, kind := range []struct{ kind, title string }{{validate.KindDataset, "datasets"}, {validate.KindFolder, "folders"}} {
		if table := v.Table(kind.kind); table != "" {
			fmt.Fprintf(p.Stdout, "%s\n%s\n", kind.title, table)
		}
	}
	for _, line := range v.Lines() {
		fmt.Fprintln(p.Stdout, line)
	}
	verdict := "no faults"
	if v.Faults > 0 {
		verdict = command.Counted(int64(v.Faults), "fault")
	}
	fmt.Fprintf(p.Stdout, "%s of %s: %s\n", command.Counted(int64(len(v.Checks)), "comparison"), c.Source, verdict)
	if c.Out != "" {
		fmt.Fprintln(p.Stdout, storage.Join(c.Out, validate.RecordName))
	}
}
