package status

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sentweave/runners/command"
	"sentweave/runners/datasets"
	"sentweave/runners/recipe/record"
	"sentweave/runners/training"
	"sentweave/schemas/dataset"
)

// statusLine is what status --json prints.
type statusLine struct {
	Folder string `json:"folder"`
	// Kind is recipe, training or dataset.
	Kind string `json:"kind"`
	// State is running, stopped, failed, whole, or damaged, which was whole once. Whether somebody is at work on a dataset is
	// not known: one that is not whole has stopped.
	State string `json:"state"`
	// Damage is what is gone or damaged, by the steps of a recipe.
	Damage record.Losses `json:"damage,omitempty"`
	// Recipe and Run are those of a recipe.
	Recipe string      `json:"recipe,omitempty"`
	Run    *record.Run `json:"run,omitempty"`
	// Steps of a training are planned, Step is the last one that is known, and Loss is its loss.
	Steps int64   `json:"steps,omitempty"`
	Step  int64   `json:"step,omitempty"`
	Loss  float64 `json:"loss,omitempty"`
	// Pipeline made the dataset, by so many units. Rows are those so far, absent where they are too many to count.
	Pipeline string `json:"pipeline,omitempty"`
	Units    int    `json:"units,omitempty"`
	Done     int    `json:"units_done,omitempty"`
	Rows     *int64 `json:"rows,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
}

// line is how far what is in the folder is, and whether it has come to an end. The error for what is damaged comes with the line.
func (c *statusCommand) line(ctx context.Context, p *command.Program) (text string, ended bool, err error) {
	l, err := c.look(ctx, p)
	if err != nil {
		return "", false, err
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = failed(l.State == record.Damaged)
	}
	return string(data) + "\n", l.State != record.Running && (l.Kind != "dataset" || l.State != record.Stopped), err
}

func (c *statusCommand) look(ctx context.Context, p *command.Program) (*statusLine, error) {
	l := &statusLine{Folder: c.Folder}
	latest, err := record.Read(ctx, c.Folder)
	if err != nil {
		return nil, err
	}
	if latest.Run != nil {
		l.Kind, l.Recipe, l.Run = "recipe", latest.Recipe, latest.Run
		l.State, l.Damage = latest.Run.Standing(ctx, p.Verbs, c.Folder, time.Now())
		return l, nil
	}
	if t, err := training.Read(ctx, c.Folder); err != nil {
		return nil, err
	} else if t != nil {
		l.Kind, l.State, l.Steps, l.Step, l.Loss = "training", record.Stopped, t.Steps, max(t.Last.Step, t.Kept), t.Last.Loss
		switch {
		case t.Damage != nil:
			l.State, l.Step, l.Damage = record.Damaged, t.Taken, record.Losses{{Fault: command.OneLine(t.Damage.Error())}}
		case t.Whole:
			l.State, l.Step = record.Complete, max(l.Step, t.Taken)
		case t.Owner != "":
			l.State = record.Running
		}
		return l, nil
	}
	folder, err := c.dataset(ctx, p)
	if err != nil {
		return nil, err
	}
	l.Kind, l.State = "dataset", record.Stopped
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		l.State, l.Pipeline, l.Units, l.Done, l.Rows, l.Bytes = record.Complete, m.Plan.Pipeline, m.Plan.Units, m.Plan.Units, &m.Rows,
			m.Bytes
		if err := m.CheckSizes(ctx, folder); err != nil {
			l.State, l.Damage = record.Damaged, record.Losses{{Fault: command.OneLine(err.Error())}}
		}
		return l, nil
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return nil, err
	}
	plan, progress, err := datasets.ReadProgress(ctx, folder)
	if err != nil {
		return nil, err
	}
	if l.Pipeline, l.Units, l.Done = plan.Pipeline, plan.Units, progress.Done; progress.Counted {
		l.Rows = &progress.Rows
	}
	return l, nil
}
