package dataset

import (
	"context"
	"errors"
	"time"

	"sentweave/schemas/dataset/journal"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/sealed"
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

// RunRecord describes the last run that completed a dataset. Its facts must not be in
// the manifest, because they differ between runs with equal output.
type RunRecord struct {
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	Runner      string    `json:"runner"`
	Parallelism int       `json:"parallelism"`
	// Revision is the program's version control revision, if it is known.
	Revision string `json:"revision,omitempty"`
	// UnitsDoneBefore counts the units that earlier, interrupted runs committed.
	UnitsDoneBefore int `json:"units_done_before"`
}

// WriteRunRecord writes _run/run.json.
func WriteRunRecord(ctx context.Context, folder storage.Folder, r RunRecord) error {
	data, err := sealed.Encode(r)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, layout.RunName, data, storage.Replace)
}

// Journal returns the journal of a unit. The plan must be that of the folder.
func (p *Plan) Journal(folder storage.Folder, unit int) *Journal { return journal.New(folder, unit) }
