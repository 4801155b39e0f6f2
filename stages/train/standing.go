package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sentweave/schemas/dataset"
	"sentweave/stages/train/checkpoint"
)

// Standing returns what Run would find in the folder at location, on this machine, or the error with which it would
// refuse that without Overwrite; those that match dataset.ErrOtherPlan are of what Overwrite would train anew.
// It changes nothing, needs no Open, and reads what Run reads of the datasets before its first step. A
// training that was planned with fewer steps than the configuration is dataset.Extended, also where some of the steps have
// been taken. One without a checkpoint from which Run could go on is dataset.Fresh.
func Standing(ctx context.Context, location string, c Config, o Options) (dataset.Fate, error) {
	o.Overwrite = false
	r, plan, err := prepare(ctx, c, o)
	if err != nil {
		return dataset.Fresh, err
	}
	output, err := openOutput(ctx, location, r.config.Keep, r.options)
	if err != nil {
		return dataset.Fresh, err
	}
	defer func() { _ = output.work.Close(false) }() // nothing was written
	previous, equal, err := output.examine(ctx, plan, r.options)
	if err != nil || previous == nil || !equal {
		return dataset.Fresh, err
	}
	record, damage := output.readWhole(ctx, output.root)
	if record != nil && record.finished() && record.Steps == plan.Steps && damage == nil {
		return dataset.Complete, nil
	}
	usable, err := output.checkpoints.Usable()
	switch published := record != nil && record.finished(); {
	case err != nil:
		return dataset.Fresh, err
	case published && !usable:
		return dataset.Fresh, output.stuck(record, damage)
	case published && record.Steps < plan.Steps, previous.Steps < plan.Steps:
		return dataset.Extended, nil
	case !usable: // all steps are taken again
		return dataset.Fresh, nil
	}
	return dataset.Resumed, nil
}

// prepare opens the datasets, and returns the run with its plan, a record before any step.
func prepare(ctx context.Context, c Config, o Options) (r *run, plan *Record, err error) {
	c = c.WithDefaults()
	if err := errors.Join(c.Validate(), o.Encoding.Validate()); err != nil {
		return nil, nil, err
	}
	if _, err := json.Marshal(c); err != nil {
		return nil, nil, fmt.Errorf("encode the configuration: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r = &run{config: c, options: o, vocabulary: c.Vocabulary}
	plan = &Record{Version: Version, Steps: c.steps(len(c.Periods)), Config: c, Positions: []Position{}, Files: []checkpoint.File{}}
	for _, s := range c.Periods {
		loaders, holdouts, err := r.open(ctx, s)
		if err != nil {
			return nil, nil, fmt.Errorf("period %s: %w", s.Name, err)
		}
		r.loaders, r.held = append(r.loaders, loaders), append(r.held, holdouts)
		for i, l := range loaders {
			role := s.Name + "/" + s.Mixture[i].Name
			plan.Inputs = append(plan.Inputs, l.Inputs(role)...)
			if c.Validation != nil && len(c.Validation.Datasets) > 0 && !c.Validation.OfTask() {
				plan.Inputs = append(plan.Inputs, holdouts[i].examples.Input(role+"/validation"))
			}
		}
	}
	if c.Validation.OfTask() {
		if o.Task == nil {
			return nil, nil, fmt.Errorf("options: Task is nil, and the metric is %s", c.Validation.Metric)
		}
		plan.Inputs = append(plan.Inputs, o.Task.Input)
	}
	return r, plan, nil
}

// stuck is the error for a whole training that cannot go on, where damage is what is wrong with its encoder, nil for nothing.
func (o *output) stuck(record *Record, damage error) error {
	if damage == nil {
		return dataset.Mismatch{
			What: fmt.Sprintf("the training in %s is whole after %d steps, and the state of its optimizer is gone", o.location,
				record.Steps),
			Way: "to train further, begin a new training with --from and this folder, and another --out, or give --overwrite to train all steps anew",
		}
	}
	return dataset.Mismatch{
		What: fmt.Sprintf("the encoder in %s has changed since it was trained: %v", o.location, damage),
		Way:  "put back what has changed, or give --overwrite to train it again", Cause: damage,
	}
}
