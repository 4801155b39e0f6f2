package main

import (
	"context"
	"errors"
	"io/fs"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
)

// contents says what lies in the folder of a step: its rows, or how much there is of what is no dataset, and
// its bytes; "" where nothing is counted. The error tells why the folder cannot be used, as far as records,
// small files and the sizes of large ones tell; it is errNothing where the folder holds nothing of what
// steps make, and matches dataset.ErrIncomplete where a step has begun.
func contents(ctx context.Context, location string) (rows, bytes string, err error) {
	if t, err := readTraining(ctx, location); err != nil {
		return "", "", err
	} else if t != nil && !t.whole {
		return "", "", told{"the training is not complete: " + t.progress(), dataset.ErrIncomplete}
	} else if t != nil && t.damage != nil {
		return "", "", t.damage
	}
	folder, m, err := dataset.Open(ctx, location)
	if err == nil {
		return command.Counted(m.Rows, m.Plan.Schema), command.Size(m.Bytes), m.CheckSizes(ctx, folder)
	}
	if folder == nil || !errors.Is(err, dataset.ErrNoDataset) {
		return "", "", err
	}
	for _, m := range marked() {
		if _, err := folder.Stat(ctx, m.Mark); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return "", "", err
		}
		if m.Count != nil {
			rows, err = m.Count(ctx, folder)
			return rows, "", err
		}
		return "", "", nil
	}
	return "", "", errNothing
}

// errNothing is the error of contents for a folder that holds nothing of what steps make.
var errNothing = errors.New("nothing that a step makes is there")

// isUsable says whether the output of a step is there, and can be used as far as contents tells.
func isUsable(ctx context.Context, location string) bool {
	_, _, err := contents(ctx, location)
	return err == nil
}

// output is what lies in the folder of a step of a recipe.
type output struct {
	// made says how much there is, for a table.
	made string
	err  error // of contents
}

// outputOf looks at the folder of a step.
func outputOf(ctx context.Context, location string) output {
	rows, bytes, err := contents(ctx, location)
	switch {
	case errors.Is(err, dataset.ErrIncomplete):
		rows = "not complete"
	case bytes != "":
		rows += ", " + bytes
	}
	return output{rows, err}
}

// damage says in a line what is wrong with what a step made whole once, "" for nothing.
func (o output) damage() string {
	switch {
	case o.err == nil:
		return ""
	case errors.Is(o.err, errNothing):
		return "gone"
	}
	return "damaged: " + oneLine(o.err.Error())
}
