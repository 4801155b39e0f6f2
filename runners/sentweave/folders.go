package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/folders"
)

// foldersVerb is what the programs know of the verb folders.
var foldersVerb = verb.Verb{
	Name: "folders", Group: verb.GroupTranslate,
	Help: "Write benchmarks as folders, one for each language: for SentEval, or for Hugging Face's datasets.",
	Examples: []string{
		"folders --benchmarks xeval --out senteval",
	},
	Makes: verb.Output{Rows: "folder", Mark: folders.RecordName, Is: "folders of benchmarks",
		Count: func(ctx context.Context, folder storage.Folder) (string, error) {
			r, err := folders.LoadRecord(ctx, folder)
			if err != nil {
				return "", err
			}
			return command.Counted(int64(len(r.Languages)), "language"), nil
		}},
	New: func() any { return new(foldersCommand) },
}

type foldersCommand struct {
	Out       string `help:"Folder in which each language gets its own." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete what an export of another kind has written to --out." group:"Output"`
	folders.Config
}

// Validate returns all faults at once.
func (c *foldersCommand) Validate() error { return errors.Join(outFault(c.Out), c.Config.Validate()) }

// Standing implements engine.Stander.
func (c *foldersCommand) Standing(ctx context.Context) (dataset.Fate, error) {
	return folders.Standing(ctx, c.Out, c.Config)
}

// Run implements the verb.
func (c *foldersCommand) Run(ctx context.Context, p *command.Program) error {
	if err := locations.RefuseInside(ctx, c.Out); err != nil {
		return err
	}
	record, complete, err := folders.Run(ctx, c.Out, c.Config, folders.Options{Overwrite: c.Overwrite, Observe: func(code string) {
		fmt.Fprintf(p.Stderr, "folders: %s\n", code)
	}})
	if err != nil {
		return err
	}
	if complete && !p.Done("folders", c.Out) || p.Quiet {
		return nil
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "language\ttasks\trows\tfolder")
	for _, l := range record.Languages {
		rows := 0
		for _, task := range l.Tasks {
			rows += task.Rows
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", l.Language, len(l.Tasks), command.Count(int64(rows)), storage.Join(c.Out, l.Language))
	}
	return t.Flush()
}
