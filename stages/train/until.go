package train

import (
	"context"
	"errors"
	"time"
)

// goesOn says whether steps of a period are to come.
func (r *run) goesOn(period int) bool {
	return r.record.Step < r.config.steps(period+1) && !r.record.stopped(r.config.Periods[period].Name)
}

// paused says whether the run is to end here, and to go on when it is run again.
func (r *run) paused() bool { return r.options.Until > 0 && r.record.Step >= r.options.Until }

// secure writes a checkpoint unless the last one is of this step.
func (r *run) secure(ctx context.Context, model Trainer) error {
	if r.record.Step <= r.saved {
		return nil
	}
	return r.save(ctx, model, false)
}

// Release deletes the checkpoints of the training in the folder at location, which Options.Until has ended and which is to
// go no further: they are several times as large as its encoder. The same training takes all its steps again.
func Release(ctx context.Context, location string) (err error) {
	o, err := openOutput(ctx, location, 1, Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.work.Close(err == nil)) }()
	unlock, _, err := o.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := o.begin(ctx, time.Now()); err != nil {
		return err
	}
	return o.work.RemoveAll(o.runPath(checkpointFolder))
}
