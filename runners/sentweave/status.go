package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// followPause is the time between two looks at a dataset.
const followPause = time.Second

// maxReceipts is the number of receipts up to which the rows so far are counted:
// each is a file to read.
const maxReceipts = 2_000

type statusCommand struct {
	datasetArgument
	Follow bool `help:"Print again when units are done, until the dataset is complete."`
}

// Run implements the verb.
func (c *statusCommand) Run(ctx context.Context, p *command.Program) error {
	folder, err := c.folder(ctx)
	if err != nil {
		return err
	}
	for last := -1; ; {
		done, err := c.print(ctx, p, folder, &last)
		if err != nil || done || !c.Follow {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(followPause):
		}
	}
}

// print says how far the dataset is, if that has changed, and whether it is done.
func (c *statusCommand) print(ctx context.Context, p *command.Program, folder storage.Folder, last *int) (bool, error) {
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		_, err := fmt.Fprintf(p.Stdout, "%s is complete: %s, %s rows of %s in %s, %s%s\n",
			c.Dataset, m.Plan.Pipeline, command.Count(m.Rows), m.Schema(), command.Counted(int64(len(m.Shards)), "shard"), command.Size(m.Bytes), runOf(ctx, folder))
		return true, err
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return false, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return false, err
	}
	done, err := plan.CountReceipts(ctx, folder)
	if err != nil || done == *last {
		return false, err
	}
	*last = done
	progress, err := progressOf(ctx, plan, folder, done)
	if err != nil {
		return false, err
	}
	way := plan.WayOn(folder, progress.Progress)
	if progress.Done < plan.Units {
		way += ", if no run is under way"
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is not complete: %s, %s; %s\n", c.Dataset, plan.Pipeline, progress, way)
	return false, err
}

// progress is how far a dataset is; counted says that its receipts were read.
type progress struct {
	dataset.Progress
	units   int
	counted bool
}

// progressOf reads the receipts, if they are not too many.
func progressOf(ctx context.Context, plan *dataset.Plan, folder storage.Folder, done int) (progress, error) {
	p := progress{dataset.Progress{Done: done}, plan.Units, done <= maxReceipts}
	if !p.counted {
		return p, nil
	}
	var err error
	p.Progress, err = plan.Progress(ctx, folder)
	return p, err
}

// String describes the units that are done.
func (p progress) String() string {
	if p.Done == 0 {
		return fmt.Sprintf("planned, none of %s units done", command.Count(int64(p.units)))
	}
	text := fmt.Sprintf("%s of %s units done (%d %%)", command.Count(int64(p.Done)), command.Count(int64(p.units)), 100*p.Done/max(1, p.units))
	if p.counted {
		text += fmt.Sprintf(", %s rows so far", command.Count(p.Rows))
	}
	return text
}

// runOf tells about the run that completed the dataset, if its record is there.
func runOf(ctx context.Context, folder storage.Folder) string {
	data, err := storage.ReadFile(ctx, folder, "_run/run.json", 1<<20)
	if err != nil {
		return ""
	}
	var r dataset.RunRecord
	if json.Unmarshal(data, &r) != nil || r.Finished.IsZero() {
		return ""
	}
	text := fmt.Sprintf("; done %s in %s", r.Finished.Format("2006-01-02 15:04 MST"), command.Round(r.Finished.Sub(r.Started)))
	if r.UnitsDoneBefore > 0 {
		text += fmt.Sprintf(" after %d units of an earlier run", r.UnitsDoneBefore)
	}
	return text
}
