package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
)

// planVersion is the version of the plan that is in a folder, "" for none.
func planVersion(ctx context.Context, folder storage.Folder) (string, error) {
	info, err := folder.Stat(ctx, layout.PlanName)
	if isAbsent(err) {
		err = nil
	}
	return info.Version, err
}

// tombstone is in the place of a plan while its dataset is deleted.
type tombstone struct {
	Format  int  `json:"format"`
	Deleted bool `json:"deleted"`
}

var errDeleted = errors.New("the deletion of its dataset was cut short, or is under way")

// mostRounds bounds how often a launcher that deletes meets another one.
const mostRounds = 8

// errOutrun: another launcher has changed the plan that this one is about to delete.
var errOutrun = errors.New("another launcher deletes or makes a dataset there at the same time")

// condemn deletes all of a dataset but for its plan, which must be of the version that was
// observed; in the place of that it leaves a tombstone, and returns its version: "" where
// there is no dataset. Whoever sets a plan in the place of this version knows that nothing
// is left which anybody who worked on another plan has looked at before, and that everybody
// who looks for that plan from now on misses it. So the tombstone is there before the list
// is made of what is removed, and two who delete at once each set their own.
//
// After the plan the manifest goes, so that nobody reads a dataset that is half gone. A
// deletion that was cut short is known by the tombstone, and can be repeated.
func condemn(ctx context.Context, folder storage.Folder, observed string) (version string, err error) {
	if objects, err := deletable(ctx, folder); err != nil || objects == nil {
		return "", err
	}
	version, undo, err := bury(ctx, folder, observed)
	if err != nil {
		return "", fmt.Errorf("overwrite %s: %w", folder, rowfile.WayOut(err))
	}
	objects, err := deletable(ctx, folder)
	if err != nil { // of what has come meanwhile
		return "", errors.Join(err, undo())
	}
	switch current, err := planVersion(ctx, folder); {
	case err != nil:
		return "", err
	case current != version: // the list may tell of what another one has made
		return "", fmt.Errorf("overwrite %s: %w", folder, errOutrun)
	}
	order := func(o storage.Info) int {
		if o.Name == ManifestName {
			return 0
		}
		return 1
	}
	objects = slices.DeleteFunc(objects, func(o storage.Info) bool { return o.Name == layout.PlanName })
	slices.SortStableFunc(objects, func(a, b storage.Info) int { return order(a) - order(b) })
	first := min(1, len(objects))
	for _, part := range [][]storage.Info{objects[:first], objects[first:]} {
		if err := storage.RemoveVersions(ctx, folder, part); err != nil {
			return "", fmt.Errorf("overwrite %s: %w", folder, err)
		}
	}
	return version, nil
}

// bury sets a tombstone in the place of a version of the plan, or of none.
func bury(ctx context.Context, folder storage.Folder, observed string) (version string, undo func() error, err error) {
	condition := storage.IfAbsent
	var previous []byte
	if observed != "" {
		condition = storage.IfVersion(observed)
		if previous, err = storage.ReadFile(ctx, folder, layout.PlanName, maxPlan); err != nil && !isAbsent(err) {
			return "", nil, err
		}
	}
	data, err := json.Marshal(tombstone{Format: format, Deleted: true})
	if err != nil {
		return "", nil, err
	}
	version, err = storage.WriteVersion(ctx, folder, layout.PlanName, data, condition)
	if errors.Is(err, fs.ErrExist) {
		err = errOutrun
	}
	return version, func() error {
		if observed == "" {
			return folder.RemoveVersion(ctx, layout.PlanName, version)
		}
		return storage.WriteFile(ctx, folder, layout.PlanName, previous, storage.IfVersion(version))
	}, err
}

// deletable lists a folder that holds a dataset, whole or not; nil is none. What is not to
// be deleted is an error.
func deletable(ctx context.Context, folder storage.Folder) (objects []storage.Info, err error) {
	foreign, extra, spent, ours := "", 0, false, false
	for info, err := range folder.List(ctx, "") {
		switch {
		case err != nil:
			return nil, fmt.Errorf("overwrite %s: %w", folder, err)
		case layout.Holds(info.Name):
			objects = append(objects, info)
			ours = ours || info.Name == layout.PlanName || info.Name == ManifestName
			spent = spent || strings.HasPrefix(info.Name, SpentFolder)
		case foreign == "":
			foreign = info.Name
		default:
			extra++
		}
	}
	switch {
	case !ours:
		return nil, refuseForeign(ctx, folder)
	case foreign != "":
		suffix := ""
		if extra > 0 {
			suffix = " and " + spelling.Number(extra, "other file")
		}
		return nil, fmt.Errorf("%s holds %q%s, which no dataset has; nothing was deleted: move it away, or choose another --out", folder,
			foreign, suffix)
	case spent:
		return nil, fmt.Errorf("%s holds what was paid for, as %s says; nothing was deleted: choose another --out, or delete the folder yourself",
			folder, SpentFolder)
	}
	return objects, nil
}

// Deletable returns the error with which an overwriting run would keep what is in a folder.
func Deletable(ctx context.Context, folder storage.Folder) error {
	_, err := deletable(ctx, folder)
	return err
}

// refuseForeign returns an error if the folder holds anything that a run of
// ours did not leave behind.
func refuseForeign(ctx context.Context, folder storage.Folder) error {
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return err
		}
		if !layout.IsRunFile(info.Name) {
			return fmt.Errorf("%s holds %q, but no plan or manifest of a dataset: %w; choose an empty folder", folder, info.Name,
				fs.ErrExist)
		}
	}
	return nil
}

// CreateOver is Create that first deletes, if overwrite is set, what Create would
// refuse with ErrOtherPlan.
func (p *Plan) CreateOver(ctx context.Context, folder storage.Folder, units []Unit, overwrite bool) (state Fate, err error) {
	for range mostRounds {
		observed, statErr := planVersion(ctx, folder)
		if statErr != nil {
			return Fresh, statErr
		}
		state, err = p.Create(ctx, folder, units)
		if !overwrite || !errors.Is(err, ErrOtherPlan) {
			return state, err
		}
		version, condemnErr := condemn(ctx, folder, observed)
		if errors.Is(condemnErr, errOutrun) {
			continue // to look again what is there
		}
		if condemnErr != nil {
			return Fresh, condemnErr
		}
		condition := storage.IfAbsent
		if version != "" {
			condition = storage.IfVersion(version)
		}
		if err = p.begin(ctx, folder, units, condition); !errors.Is(err, fs.ErrExist) {
			return Fresh, err
		}
	}
	return state, err
}
