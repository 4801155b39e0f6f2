package dataset

import (
	"context"
	"fmt"
	"io/fs"

	"sentweave/schemas/storage"
)

// Overwrite deletes the dataset of a folder, complete or not. A folder that
// holds files but no plan or manifest of ours is refused. Only names of our
// layout are deleted. The manifest goes first, so that nobody reads a dataset
// that is half gone, and the plan last, so that a deletion that was cut short
// can be repeated; in a folder without a plan, such as a copy without _run, the
// manifest itself goes last.
func Overwrite(ctx context.Context, folder storage.Folder) error {
	var names []string
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
		}
	}
	switch {
	case hasPlan && hasManifest:
		names = append([]string{ManifestName}, append(names, planName)...)
	case hasPlan:
		names = append(names, planName)
	case hasManifest:
		names = append(names, ManifestName)
	default:
		return refuseForeign(ctx, folder)
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
