package dataset

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/storage"
)

// repair makes a dataset of this plan, whose manifest or files are damaged, one
// to go on from. Manifest and rejects follow from the receipts: where that is
// enough, the dataset is Complete again. Otherwise the manifest is removed, so
// that nobody reads what is about to be mended, and so are receipts that do not
// count, so that only their units are done again. That is sound since a unit gives
// the same bytes whenever it is done; and stopped in its midst, this leaves a
// run that was begun.
//
// A unit that was paid for is not done again: that is an error.
func (p *Plan) repair(ctx context.Context, folder storage.Folder) (Fate, error) {
	manifest, err := listAll(ctx, folder, func(name string) bool { return name == ManifestName }, ManifestName)
	if err != nil {
		return Fresh, err
	}
	m, err := p.assemble(ctx, folder, false, nil)
	if err == nil {
		return Complete, p.clean(ctx, folder, m)
	}
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrIncomplete) {
		return Fresh, err
	}
	for info, listErr := range folder.List(ctx, SpentFolder) {
		if listErr != nil {
			return Fresh, listErr
		}
		return Fresh, fmt.Errorf("some of what was paid for (%s) is lost, and is not paid for again unasked: put the file back from a copy; or delete %s in %s, and it is asked for and paid again: %w",
			info.Name, SpentFolder, folder, err)
	}
	if err := p.remove(ctx, folder, manifest); err != nil {
		return Fresh, err
	}
	receipts, err := listAll(ctx, folder, func(name string) bool { unit, ok := layout.UnitOf(name); return ok && unit < p.Units },
		layout.ReceiptFolder)
	if err != nil {
		return Fresh, err
	}
	lost := receipts[:0]
	for _, info := range receipts {
		unit, _ := layout.UnitOf(info.Name)
		committed, err := p.Committed(ctx, folder, unit)
		if err != nil {
			return Fresh, err
		}
		if !committed {
			lost = append(lost, info)
		}
	}
	return Resumed, p.remove(ctx, folder, lost)
}

// unusable is the error of a damaged dataset that cannot be mended from receipts.
type unusable struct{ error }

func (u unusable) Unwrap() error { return u.error }

// Is makes it match ErrOtherPlan: as with another plan, what is there has to
// be deleted before a run.
func (u unusable) Is(target error) bool { return target == ErrOtherPlan }

// Mend says how to repair a damaged dataset. A run does not read files that have the
// right size, and so finds no damage in them.
func (p *Plan) Mend() string {
	return fmt.Sprintf("delete the damaged file if it is there, and run the same `sentweave %s` again that made the dataset: what is missing is made anew",
		p.Pipeline)
}

// beyondRepair adds the way out to an error that matches ErrCorrupt.
func beyondRepair(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	return unusable{fmt.Errorf("%w; choose another --out, or give --overwrite to delete that dataset first", err)}
}
