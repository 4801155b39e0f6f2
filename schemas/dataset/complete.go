package dataset

import (
	"context"
	"errors"

	"sentweave/schemas/storage"
)

// Complete makes the dataset of the plan in a folder, unit by unit, in one process.
// Stages use it; pipelines do not. It continues where an earlier call was stopped: it
// calls do, which commits a unit, for the units without a receipt. Finished says that
// nothing was left to do. With overwrite it deletes another dataset in the folder.
func (p *Plan) Complete(ctx context.Context, folder storage.Folder, units []Unit, overwrite bool,
	do func(Unit) error) (m *Manifest, finished bool, err error) {
	state, err := p.CreateOver(ctx, folder, units, overwrite)
	if err != nil {
		return nil, false, err
	}
	if state == Complete {
		m, err = Load(ctx, folder)
		return m, true, err
	}
	for _, unit := range units {
		committed, err := p.Committed(ctx, folder, unit.Ordinal)
		if err != nil {
			return nil, false, err
		}
		if committed {
			continue
		}
		if err := p.Repeat(ctx, folder, func() error { return do(unit) }); err != nil {
			return nil, false, err
		}
	}
	m, err = p.Finalize(ctx, folder)
	return m, false, err
}

// mostRepeats bounds how often a unit is done again that was overtaken.
const mostRepeats = 3

// Repeat does a unit, and repeats it if another attempt overtook it. If the dataset
// was overwritten meanwhile, it returns an error that says so, because the error of do
// only follows from that.
func (p *Plan) Repeat(ctx context.Context, folder storage.Folder, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil {
			return nil
		}
		if try < mostRepeats && errors.Is(err, ErrOvertaken) {
			continue
		}
		if lost := p.owns(ctx, folder); errors.Is(lost, ErrOtherPlan) && !errors.Is(err, ErrOtherPlan) {
			return lost
		}
		return err
	}
}
