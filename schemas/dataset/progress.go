package dataset

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/storage"
)

// Progress is the progress of a dataset without a manifest.
type Progress struct {
	// Done counts the units whose receipts are valid, Rows their rows.
	Done int
	Rows int64
	// Damaged counts the units whose receipt does not count, because it is damaged or
	// a file that it names is. They are done again. Fault is the first of these
	// faults, nil if there is none.
	Damaged int
	Fault   error
}

// Progress reads all receipts, a small file for each unit, many at once.
// Where all units are done, spill files are no longer asked for.
func (p *Plan) Progress(ctx context.Context, folder storage.Folder) (Progress, error) {
	var progress, spilled Progress
	if err := p.outdated(folder); err != nil {
		return progress, err
	}
	err := p.receipts(ctx, folder, func(_ int, l loaded) error {
		err := l.err
		if err == nil {
			progress.Done++
			progress.Rows += l.receipt.rows()
			if err = l.spill; errors.Is(err, ErrCorrupt) {
				spilled.add(err)
				return nil
			}
		}
		switch {
		case err == nil, isAbsent(err):
		case errors.Is(err, ErrCorrupt):
			progress.add(err)
		default:
			return err
		}
		return nil
	})
	if err != nil {
		return Progress{}, err
	}
	if progress.Done < p.Units { // the units to come read the spill files
		progress.Done -= spilled.Damaged
		progress.Damaged += spilled.Damaged
		if progress.Fault == nil {
			progress.Fault = spilled.Fault
		}
	}
	return progress, nil
}

func (p *Progress) add(fault error) {
	p.Damaged++
	if p.Fault == nil {
		p.Fault = fault
	}
}

// WayOn says how to continue a dataset with this progress.
func (p *Plan) WayOn(folder storage.Folder, progress Progress) string {
	if progress.Done == p.Units {
		return fmt.Sprintf("only the manifest is missing: `sentweave finalize %s` writes it", folder)
	}
	advice := fmt.Sprintf("run the same `sentweave %s` again to go on", p.Pipeline)
	switch progress.Damaged {
	case 0:
		return advice
	case 1:
		return fmt.Sprintf("%v; %s, it does that unit again", progress.Fault, advice)
	default:
		return fmt.Sprintf("%d units are damaged, the first: %v; %s, it does those units again", progress.Damaged, progress.Fault, advice)
	}
}
