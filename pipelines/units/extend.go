package units

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/spelling"
)

// RoleExtended is the role of the dataset that is extended among the inputs of a plan.
const RoleExtended = "extended"

// MakeAnew is the way out where a dataset cannot be extended.
const MakeAnew = "leave --extend out, and give --overwrite, to make all anew"

// Extended is a complete dataset that the plan of the same pipeline goes on from, with its units. The Dataset travels to the
// worker.
type Extended struct {
	*Dataset
	Units []dataset.Unit
}

// OpenExtended opens a dataset of rows of type T that a pipeline made; nil if no location is given.
func OpenExtended[T schemas.Row](ctx context.Context, location, pipeline string) (*Extended, error) {
	if location == "" {
		return nil, nil
	}
	opened, err := OpenDataset[T](ctx, location)
	if err != nil {
		return nil, fmt.Errorf("extend: %w", err)
	}
	e := &Extended{Dataset: opened}
	plan := &e.manifest.Plan
	if plan.Pipeline != pipeline {
		way := "give what " + pipeline + " made"
		if plan.Pipeline == "erase" { // its units know only the shards that were erased from
			way = "extend what it was erased from, and run `sentweave erase` on that with the lists of before"
		}
		return nil, fmt.Errorf("extend: %s was made by %s: %s", location, plan.Pipeline, way)
	}
	for chunk := 0; err == nil && chunk < plan.Chunks(); chunk++ {
		var list []dataset.Unit
		list, err = plan.LoadUnits(ctx, e.folder, chunk)
		e.Units = append(e.Units, list...)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("extend: %s has no list of its units, as in copies without the folder _run: give the dataset that %s made: %w",
			location, pipeline, err)
	}
	if err != nil {
		return nil, wayOut(err)
	}
	return e, nil
}

// Check returns an error if another version or configuration made the dataset than a plan has, or other inputs than those of the
// roles.
func (e *Extended) Check(plan *dataset.Plan, roles ...string) error {
	difference, err := plan.DifferenceBeyond(&e.manifest.Plan, append(roles, RoleExtended)...)
	if err == nil && difference != "" {
		err = fmt.Errorf("extend: %s was made otherwise: %s; give the same flags and use the same version, or "+MakeAnew,
			e.Location, difference)
	}
	return err
}

// Match finds the shards that the dataset was made of in its new input, by their hashes, since their names may have changed: the
// units get the new names, and the input is returned with its other shards alone. Missing are the old names of shards that are not found,
// whose spans in the units have no name any more. It is an error if the draft, whose only input has a role, is made otherwise: see Check.
func (e *Extended) Match(input *dataset.Manifest, role string, draft dataset.Draft) (fresh *dataset.Manifest, missing []string, err error) {
	plan, err := draft.Plan()
	if err == nil {
		err = e.Check(plan, role)
	}
	if err != nil {
		return nil, nil, err
	}
	present := map[string][]string{}
	for _, s := range input.Shards {
		present[s.XXH3] = append(present[s.XXH3], s.Name)
	}
	names := map[string]string{}
	for _, u := range e.Units {
		for i, span := range u.Spans {
			if span.XXH3 == "" {
				return nil, nil, fmt.Errorf("extend: %s was made by an older program and does not tell which shards it was made of; "+MakeAnew,
					e.Location)
			}
			name, found := names[span.Name]
			if list := present[span.XXH3]; !found && len(list) > 0 {
				name, present[span.XXH3] = list[0], list[1:]
			} else if !found {
				missing = append(missing, span.Name)
			}
			names[span.Name], u.Spans[i].Name = name, name
		}
	}
	fresh = &dataset.Manifest{Plan: input.Plan}
	for _, s := range input.Shards {
		if slices.Contains(present[s.XXH3], s.Name) {
			fresh.Shards, fresh.Rows, fresh.Bytes = append(fresh.Shards, s), fresh.Rows+s.Rows, fresh.Bytes+s.Bytes
		}
	}
	return fresh, missing, nil
}

// Lacking is the error for an input without shards, whose old names are given, that the dataset was made of.
func (e *Extended) Lacking(missing []string) error {
	return fmt.Errorf("extend: %s was made of %s that the input has no more, such as %s: something in them was changed, dropped or erased, or new pages came between theirs; "+MakeAnew,
		e.Location, spelling.Number(int64(len(missing)), "shard"), slices.Min(missing))
}

// stating is the number of units whose files are looked for at once.
const stating = 16

// CheckAdopted returns an error if a unit that is taken over lacks a file or has one of another size.
func (e *Extended) CheckAdopted(ctx context.Context, list []dataset.Unit) error {
	var group errgroup.Group
	group.SetLimit(stating)
	for _, u := range list {
		if u.Adopts != nil {
			group.Go(func() error {
				_, err := e.manifest.Plan.LoadReceipt(ctx, e.folder, *u.Adopts)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return wayOut(err)
	}
	return nil
}

// wayOut says what to do where something of the extended dataset is gone or damaged. Other errors, as of a full disk, tell that themselves.
func wayOut(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, dataset.ErrCorrupt) {
		return fmt.Errorf("extend: %w; "+MakeAnew, err)
	}
	return fmt.Errorf("extend: %w", err)
}

// WrittenBy returns a unit that reads what a unit of the dataset has written, for DatasetRows.
func (d *Dataset) WrittenBy(unit int) (u dataset.Unit) {
	for _, s := range d.manifest.Shards {
		if s.Name == dataset.ShardName(unit) {
			u.Spans = append(u.Spans, dataset.Span{Name: s.Name, To: s.Rows, Rows: true})
		}
	}
	return u
}

// Adopt makes the output of a unit that of the unit of the extended dataset that it takes over.
func Adopt[T schemas.Row](ctx context.Context, d *Dataset, unit dataset.Unit, attempt *dataset.Attempt[T]) error {
	if err := attempt.Adopt(ctx, d.folder, d.manifest, *unit.Adopts); err != nil {
		return wayOut(err)
	}
	return nil
}

// WholeFunnel returns all counts of the funnel of a dataset.
func WholeFunnel(ctx context.Context, d *Dataset) (*dataset.Funnel, error) {
	return d.manifest.WholeFunnel(ctx, d.folder)
}

// ReopenExtended opens the dataset that is extended in a worker; nil is none.
func ReopenExtended[T schemas.Row](ctx context.Context, d *Dataset) error {
	if d == nil {
		return nil
	}
	if err := Reopen[T](ctx, d); err != nil {
		return fmt.Errorf("extend: %w", err)
	}
	return nil
}
