package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

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
	Damage losses `json:"damage,omitempty"`
	// Recipe and Run are those of a recipe.
	Recipe string    `json:"recipe,omitempty"`
	Run    *runState `json:"run,omitempty"`
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

// line is how far what stands in the folder is, and whether it has come to an end.
func (c *statusCommand) line(ctx context.Context) (text string, ended bool, err error) {
	l, err := c.look(ctx)
	if err != nil {
		return "", false, err
	}
	data, err := json.Marshal(l)
	return string(data) + "\n", l.State != running && (l.Kind != "dataset" || l.State != stopped), err
}

func (c *statusCommand) look(ctx context.Context) (*statusLine, error) {
	l := &statusLine{Folder: c.Folder}
	record, err := readRunRecord(ctx, c.Folder)
	if err != nil {
		return nil, err
	}
	if record.Run != nil {
		l.Kind, l.Recipe, l.Run = "recipe", record.Recipe, record.Run
		l.State, l.Damage = record.Run.standing(record.Run.outputs(ctx, c.Folder), time.Now(), beat(c.Folder))
		return l, nil
	}
	if t, err := readTraining(ctx, c.Folder); err != nil {
		return nil, err
	} else if t != nil {
		l.Kind, l.State, l.Steps, l.Step, l.Loss = "training", stopped, t.steps, max(t.last.Step, t.kept), t.last.Loss
		switch {
		case t.damage != nil:
			l.State, l.Step, l.Damage = damaged, t.taken, losses{{Fault: oneLine(t.damage.Error())}}
		case t.whole:
			l.State, l.Step = completed, max(l.Step, t.taken)
		case t.owner != "":
			l.State = running
		}
		return l, nil
	}
	folder, err := c.dataset(ctx)
	if err != nil {
		return nil, err
	}
	l.Kind, l.State = "dataset", stopped
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		l.State, l.Pipeline, l.Units, l.Done, l.Rows, l.Bytes = completed, m.Plan.Pipeline, m.Plan.Units, m.Plan.Units, &m.Rows, m.Bytes
		if err := m.CheckSizes(ctx, folder); err != nil {
			l.State, l.Damage = damaged, losses{{Fault: oneLine(err.Error())}}
		}
		return l, nil
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return nil, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return nil, err
	}
	count, err := plan.CountReceipts(ctx, folder)
	if err != nil {
		return nil, err
	}
	p, err := progressOf(ctx, plan, folder, count)
	if err != nil {
		return nil, err
	}
	if l.Pipeline, l.Units, l.Done = plan.Pipeline, plan.Units, p.Done; p.counted {
		l.Rows = &p.Rows
	}
	return l, nil
}
