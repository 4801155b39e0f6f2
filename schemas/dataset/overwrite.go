package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"sentweave/schemas/storage"
)

// Overwrite deletes the dataset of a folder, complete or not. A folder that
// holds a file which is not of our layout is refused before anything is deleted,
// since the dataset to be made would be refused there too; the error names the
// file. So is one with records of what was spent on it, which nobody gets back.
//
// The manifest goes first, so that nobody reads a dataset that is half gone, and the
// plan last, so that a deletion that was cut short can be repeated; in a folder without
// a plan, such as a copy without _run, the manifest itself goes last.
func Overwrite(ctx context.Context, folder storage.Folder) error {
	var names []string
	foreign, others, spent := "", 0, false
	hasPlan, hasManifest := false, false
	for info, err := range folder.List(ctx, "") {
		switch {
		case err != nil:
			return fmt.Errorf("overwrite %s: %w", folder, err)
		case info.Name == planName:
			hasPlan = true
		case info.Name == ManifestName:
			hasManifest = true
		case isOurs(info.Name):
			names = append(names, info.Name)
			spent = spent || strings.HasPrefix(info.Name, SpentFolder)
		case foreign == "":
			foreign = info.Name
		default:
			others++
		}
	}
	switch {
	case !hasPlan && !hasManifest:
		return refuseForeign(ctx, folder)
	case foreign != "":
		more := ""
		if others > 0 {
			more = fmt.Sprintf(" and %d other files", others)
		}
		return fmt.Errorf("%s holds %q%s, which no dataset has; nothing was deleted: move it away, or choose another --out", folder, foreign, more)
	case spent:
		return fmt.Errorf("%s holds what was paid for, as %s says; nothing was deleted: choose another --out, or delete the folder yourself", folder, SpentFolder)
	case hasPlan && hasManifest:
		names = append([]string{ManifestName}, append(names, planName)...)
	case hasPlan:
		names = append(names, planName)
	default:
		names = append(names, ManifestName)
	}
	for _, name := range names {
		if err := folder.Remove(ctx, name); err != nil {
			return fmt.Errorf("overwrite %s: %w", folder, err)
		}
	}
	return nil
}

// refuseForeign returns an error if the folder holds anything that a run of
// ours did not leave behind.
func refuseForeign(ctx context.Context, folder storage.Folder) error {
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return err
		}
		if !isRunFile(info.Name) {
			return fmt.Errorf("%s holds %q, but no plan or manifest of a dataset: %w; choose an empty folder", folder, info.Name, fs.ErrExist)
		}
	}
	return nil
}

// CreateOver is Create that first deletes, if overwrite is set, what Create would
// refuse with ErrOtherPlan.
func (p *Plan) CreateOver(ctx context.Context, folder storage.Folder, units []Unit, overwrite bool) (State, error) {
	state, err := p.Create(ctx, folder, units)
	if !overwrite || !errors.Is(err, ErrOtherPlan) {
		return state, err
	}
	if err := Overwrite(ctx, folder); err != nil {
		return Fresh, fmt.Errorf("overwrite %s: %w", folder, err)
	}
	return p.Create(ctx, folder, units)
}
