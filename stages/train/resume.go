package train

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sentweave/schemas/storage"
	"sentweave/stages/train/checkpoint"
)

// newest returns the record and the folder of the newest whole checkpoint, nil if
// there is none. Notice is told of each that is passed over.
func (o *output) newest(ctx context.Context, plan *Record, options Options, notice func(string)) (*Record, string, error) {
	steps, err := o.checkpoints.List()
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
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
