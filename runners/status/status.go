// Package status holds the verb that says how far a recipe, a training or a dataset is.
package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/datasets"
	"sentweave/runners/recipe/record"
	"sentweave/runners/training"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// followPause is the time between two looks at a dataset.
const followPause = time.Second

// Verb is what the programs know of the verb status.
var Verb = verb.Verb{
	Name: "status", Group: verb.GroupLook,
	Help: "Say how far a recipe, a training or a dataset is: running, stopped, failed, whole, or damaged since, as far as the sizes of files tell: then it ends with 1.",
	Examples: []string{
		"status data",
		"status data/documents --follow",
		"status data --json",
	},
	New: func() any { return new(statusCommand) },
}

type statusCommand struct {
	Folder string `arg:"" help:"Folder of a recipe, a training or a dataset." placeholder:"DIR"`
	Follow bool   `help:"Print again when it has come further, until it ends."`
	JSON   bool   `name:"json" help:"Print a line of JSON."`
}

// Run implements the verb.
func (c *statusCommand) Run(ctx context.Context, p *command.Program) error {
	print, err := c.printer(ctx, p)
	if err != nil {
		return err
	}
	for {
		finished, err := print()
		if err != nil || finished || !c.Follow {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(followPause):
		}
	}
}

// printer returns a function that says how far what is in the folder is, if that has
// changed, and whether it has come to an end.
func (c *statusCommand) printer(ctx context.Context, p *command.Program) (print func() (bool, error), err error) {
	latest, err := record.Read(ctx, c.Folder)
	if err != nil {
		return nil, err
	}
	previous := ""
	changed := func(text string) error {
		if text == previous {
			return nil
		}
		previous = text
		_, err := io.WriteString(p.Stdout, text)
		return err
	}
	if c.JSON {
		return func() (bool, error) {
			text, ended, err := c.line(ctx, p)
			return ended, cmp.Or(changed(text), err)
		}, nil
	}
	if latest.Run != nil {
		return func() (bool, error) {
			if latest, err = record.Read(ctx, c.Folder); err != nil {
				return false, err
			}
			var text strings.Builder
			state, err := latest.Print(ctx, &text, p.Verbs, c.Folder, time.Now())
			if err != nil {
				return false, err
			}
			return state != record.Running, cmp.Or(changed(text.String()), failed(state == record.Damaged))
		}, nil
	}
	if t, err := training.Read(ctx, c.Folder); err != nil || t != nil {
		return func() (bool, error) {
			if t, err = training.Read(ctx, c.Folder); err != nil || t == nil {
				return true, err
			}
			return t.Whole || t.Owner == "", cmp.Or(changed(fmt.Sprintf("%s: %s\n", c.Folder, t)), failed(t.Damage != nil))
		}, err
	}
	folder, err := c.dataset(ctx, p)
	if err != nil {
		return nil, err
	}
	last := -1
	return func() (bool, error) { return c.print(ctx, p, folder, &last) }, nil
}

// failed is the error for what is damaged, which has been said.
func failed(damaged bool) error {
	if damaged {
		return command.ErrSaid
	}
	return nil
}

// dataset is the folder, if it is not one of a recipe or a training.
func (c *statusCommand) dataset(ctx context.Context, p *command.Program) (storage.Folder, error) {
	if !storage.IsRemote(c.Folder) {
		if _, err := os.Stat(c.Folder); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s does not exist", c.Folder)
		}
	}
	return datasets.Argument{Dataset: c.Folder}.Folder(ctx, p.Verbs)
}

// print says how far the dataset is, if that has changed, and whether it is done.
func (c *statusCommand) print(ctx context.Context, p *command.Program, folder storage.Folder, last *int) (bool, error) {
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		if err := m.CheckSizes(ctx, folder); err != nil {
			_, err := fmt.Fprintf(p.Stdout, "%s is damaged: %s; the same `sentweave %s` makes it again, or names the way\n", c.Folder,
				command.OneLine(err.Error()), m.Plan.Pipeline)
			return true, cmp.Or(err, failed(true))
		}
		_, err := fmt.Fprintf(p.Stdout, "%s is complete: %s, %s of %s in %s, %s%s\n",
			c.Folder, m.Plan.Pipeline, command.Counted(m.Rows, "row"), m.Schema(), command.Counted(int64(len(m.Shards)), "shard"),
			command.Size(m.Bytes), runOf(ctx, folder))
		return true, err
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return false, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return false, err
	}
	count, err := plan.CountReceipts(ctx, folder)
	if err != nil || count == *last {
		return false, err
	}
	*last = count
	progress, err := datasets.ProgressOf(ctx, plan, folder, count)
	if err != nil {
		return false, err
	}
	way := plan.WayOn(folder, progress.Progress)
	if progress.Done < plan.Units {
		way += ", if no run is under way"
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is not complete: %s, %s; %s\n", c.Folder, plan.Pipeline, progress, way)
	return false, err
}

// runOf tells about the run that completed the dataset, if its record is there.
func runOf(ctx context.Context, folder storage.Folder) string {
	data, err := storage.ReadFile(ctx, folder, "_run/run.json", 1<<20)
	if err != nil {
		return ""
	}
	var r dataset.RunRecord
	if jsonfile.Unmarshal(data, &r) != nil || r.Finished.IsZero() {
		return ""
	}
	text := fmt.Sprintf("; done %s in %s", r.Finished.Format("2006-01-02 15:04 MST"), command.Round(r.Finished.Sub(r.Started)))
	if r.UnitsDoneBefore > 0 {
		text += fmt.Sprintf(" after %s of an earlier run", command.Counted(int64(r.UnitsDoneBefore), "unit"))
	}
	return text
}
