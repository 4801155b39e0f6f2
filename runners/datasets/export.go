package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/export"
	"sentweave/stages/inspect"
	"sentweave/transforms/measure/codes"
)

// exportVerb is what the programs know of the verb export.
var exportVerb = verb.Verb{
	Name: "export", Group: verb.GroupLook,
	Help: "Write the rows as JSON lines, one column as text, vectors as NumPy has them, or translations as TMX.",
	Examples: []string{
		"export pairs",
		"export pairs --out pairs.jsonl",
		"export documents --format text --column sentences.text",
		"export embeddings --format npy --out vectors.npy",
	},
	New: func() any { return new(exportCommand) },
}

type exportCommand struct {
	Argument
	export.Config
	Out       string `help:"File to write; standard output if not given." placeholder:"FILE"`
	Overwrite bool   `help:"Replace the file of --out if there is one."`
}

// Run implements the verb.
func (c *exportCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.Folder(ctx, p.Verbs)
	if err != nil {
		return err
	}
	d, err := inspect.Open(ctx, folder)
	if err != nil {
		return err
	}
	if d.Manifest == nil { // half a dataset in a file would not tell that it is half
		_, err := dataset.Load(ctx, folder)
		return err
	}
	if c.Out == "" {
		result, err := export.Write(ctx, command.Exact(p.Stdout), d, c.Config)
		if err == nil {
			note(p, result)
		}
		return usage(err)
	}
	if _, _, err := storage.LocateFile(c.Out); err != nil {
		return command.Usage(err)
	}
	target, name, condition, err := storage.NewFile(ctx, c.Out, c.Overwrite)
	if err != nil {
		return err
	}
	w, err := target.Create(ctx, name, condition)
	if err != nil {
		return writeFault(c.Out, err)
	}
	defer w.Abort()
	result, err := export.Write(ctx, w, d, c.Config)
	if err != nil {
		return usage(storage.WayOut(err, " and run the same command again"))
	}
	if err := w.Commit(); errors.Is(err, fs.ErrExist) { // another process was faster
		return storage.ExistingFile(c.Out)
	} else if err != nil {
		return writeFault(c.Out, err)
	}
	fmt.Fprintf(p.Stderr, "export: %s in %s\n", command.Counted(result.Rows, "row"), c.Out)
	note(p, result)
	return nil
}

// note says what the format cannot hold: some characters, and of codes the neighbours that they lose.
func note(p *command.Program, result export.Counts) {
	if result.Replaced > 0 {
		fmt.Fprintf(p.Stderr, "export: %s control characters, which XML forbids, are spaces in the file\n", command.Count(result.Replaced))
	}
	c := result.Codes
	if c == nil {
		return
	}
	if c.Outside > 0 {
		fmt.Fprintf(p.Stderr, "export: %s lie outside of the ranges, and have the codes of their ends\n", command.Counted(c.Outside, "number"))
	}
	if c.Queries == 0 {
		fmt.Fprintf(p.Stderr, "export: the share of nearest neighbours that the codes keep is told of more than %d vectors\n", codes.Among)
		return
	}
	fmt.Fprintf(p.Stderr, "export: codes keep %.1f %% of the %d nearest neighbours of %s among %s, and %.1f %% among their %d nearest\n", 100*c.Kept,
		codes.Nearest, command.Counted(int64(c.Queries), "vector"), command.Count(int64(c.Candidates)), 100*c.Among, codes.Among)
}

// writeFault names the file that could not be written in the place of the temporary one.
func writeFault(name string, err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = fault.Err
	}
	return fmt.Errorf("write %s: %w", name, storage.WayOut(err, " and run the same command again"))
}
