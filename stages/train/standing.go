package train

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/dataset"
)

// Standing returns what Run would find in the folder at out, on this machine, or the error with which it would
// refuse that without Overwrite; those that match dataset.ErrOtherPlan are of what Overwrite would train anew.
// It changes nothing, needs no Open, and reads what Run reads of the datasets before its first step. A whole
// training that has fewer steps than the configuration is dataset.Extended, also where some of the steps have been
// taken. Whether a checkpoint is damaged, from which Run would go on, it does not look at.
func Standing(ctx context.Context, out string, c Config, o Options) (dataset.State, error) {
	o.Overwrite = false
	r, plan, err := prepare(ctx, c, o)
	if err != nil {
		return dataset.Fresh, err
	}
	output, err := openOutput(ctx, out, r.config.Keep, r.options)
	if err != nil {
		return dataset.Fresh, err
	}
	defer func() { _ = output.close(false) }() // nothing was written
	there, same, err := output.examine(plan, r.options)
	if err != nil || there == nil || !same {
		return dataset.Fresh, err
	}
	whole, err := output.disk.readWhole(ctx, output.root)
	if whole == nil || !whole.finished() {
		return dataset.Resumed, nil
	}
	if whole.Steps == plan.Steps && err == nil {
		return dataset.Complete, nil
	}
	if steps, listErr := output.checkpoints.list(); listErr != nil || len(steps) == 0 {
		return dataset.Fresh, errors.Join(listErr, output.stuck(whole, err))
	}
	if whole.Steps < plan.Steps {
		return dataset.Extended, nil
	}
	return dataset.Resumed, nil
}

// stuck is the error for a whole training that cannot go on, where damage is what is wrong with its encoder, nil for nothing.
func (o *output) stuck(whole *Record, damage error) error {
	if damage == nil {
		return dataset.Other{
			What: fmt.Sprintf("the training in %s is whole after %d steps, and the state of its optimizer is gone", o.location, whole.Steps),
			Way:  "to train further, begin a new training with --from and this folder, and another --out, or give --overwrite to train all steps anew",
		}
	}
	return dataset.Other{
		What: fmt.Sprintf("the encoder in %s has changed since it was trained: %v", o.location, damage),
		Way:  "put back what has changed, or give --overwrite to train it again", Cause: damage,
	}
}
