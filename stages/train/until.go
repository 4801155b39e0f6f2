package train

import "context"

// goesOn says whether steps of a period are to come.
func (r *run) goesOn(period int) bool {
	return r.record.Step < r.config.steps(period+1) && !r.record.stopped(r.config.Periods[period].Name)
}

// paused says whether the run is to end here, and to go on when it is run again.
func (r *run) paused() bool { return r.options.Until > 0 && r.record.Step >= r.options.Until }

// secure writes a checkpoint unless the last one is of this step.
func (r *run) secure(ctx context.Context, model Trainer) error {
	if r.record.Step == r.saved {
		return nil
	}
	return r.save(ctx, model)
}
