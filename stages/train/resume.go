package train

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sentweave/schemas/storage"
	"sentweave/stages/train/checkpoint"
)

// newest returns the record and the folder of the newest whole checkpoint of at most a step, nil if
// there is none. Notice is told of each that is passed over.
func (o *output) newest(ctx context.Context, plan *Record, options Options, notice func(string), most int64) (*Record, string, error) {
	steps, err := o.checkpoints.List()
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
		if step > most {
			continue
		}
		path := o.checkpoints.Path(step)
		r, err := readRecord(path)
		if err == nil {
			if err := o.checkpoints.Restore(ctx, path, r.state()); err != nil {
				return nil, "", fmt.Errorf("restore checkpoint %s: %w", o.work.Shown(path), wayOut(err))
			}
			err = checkpoint.CheckFiles(path, RecordName, r.Files)
		}
		if err == nil && r.Step == step {
			if _, difference := plan.changes(r, options); difference != "" {
				return nil, "", fmt.Errorf("checkpoint %s is of another training: %s; remove it, or choose another --out",
					o.work.Shown(path), difference)
			}
			if err = o.checkpoints.CheckBest(ctx, r.state()); err == nil {
				return r, path, nil
			}
		} else if err == nil {
			err = fmt.Errorf("its %s speaks of step %d", RecordName, r.Step)
		} else if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("it has no %s", RecordName)
		}
		notice(fmt.Sprintf("checkpoint %s is damaged or incomplete and passed over: %v", o.work.Shown(path), err))
	}
	return nil, "", nil
}

// restore makes the state after the newest whole checkpoint of at most a step that of the run, or the one before any step.
// It returns what the run changes of the configuration.
func (r *run) restore(ctx context.Context, plan *Record, most int64) (changes []Change, err error) {
	newest, folder, err := r.out.newest(ctx, plan, r.options, r.notice, most)
	if err != nil {
		return nil, err
	}
	r.checkpoint = folder
	if newest == nil {
		beginning := *plan
		newest = &beginning
	} else {
		changes, _ = plan.changes(newest, r.options)
	}
	if last := r.config.Periods[len(r.config.Periods)-1].Name; newest.Steps < plan.Steps && newest.stopped(last) {
		// More steps are asked for, so the losses are waited for anew.
		newest.Validated.Since, newest.Validated.Stopped = 0, false
	}
	guarded := newest.Config.MaxSpike > 0
	newest.Changes, newest.Steps = append(newest.Changes, changes...), plan.Steps
	newest.Config, newest.MaxTime = r.config, "" // settings may have changed where that is allowed
	if guarded != (r.config.MaxSpike > 0) {      // spikes are looked for from here on, or no more
		newest.anchorHere()
	}
	r.record, r.saved = newest, newest.Step
	return changes, nil
}

// readWhole reads the record of a folder and checks the files that it names; where
// they lie in a bucket, which they do not leave damaged, by their sizes.
func (o *output) readWhole(ctx context.Context, folder string) (*Record, error) {
	if !o.work.Remote() {
		return readWhole(folder)
	}
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	sizes, err := o.work.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	return r, checkpoint.CheckSizes(folder, RecordName, r.Files, sizes)
}

// wayOut adds to an error of the disk what its user can do about it.
func wayOut(err error) error {
	return storage.WayOut(err, " and run the same command again, it goes on from the last checkpoint")
}
