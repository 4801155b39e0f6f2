package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sync/errgroup"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
)

// roleExtended is the role of the dataset that is extended among the plan's inputs.
const roleExtended = "extended"

// formatAdopted is the format, in estimates, of input whose documents are copied.
const formatAdopted = "adopted"

// extended is the dataset that a plan goes on from, with its units.
type extended struct {
	*units.Dataset
	units []dataset.Unit
}

// openExtended opens the dataset that is extended; nil if none is.
func (c Config) openExtended(ctx context.Context) (*extended, error) {
	if c.Extend == "" {
		return nil, nil
	}
	opened, err := units.OpenDataset[schemas.Document](ctx, c.Extend)
	if err != nil {
		return nil, fmt.Errorf("extend: %w", err)
	}
	e := &extended{Dataset: opened}
	plan := &e.Manifest().Plan
	if plan.Pipeline != pipeline {
		return nil, fmt.Errorf("extend: %s was made by %s: give documents that corpus made, and run %s again on what comes out", c.Extend,
			plan.Pipeline, plan.Pipeline)
	}
	if paths := plan.InputHash(RolePaths) != ""; paths != (c.Paths != "") {
		return nil, fmt.Errorf("extend: of %s and this one, one goes by --paths and the other by what a folder has: do both in one way", c.Extend)
	}
	folder, err := storage.Locate(e.Location)
	for chunk := 0; err == nil && chunk < plan.Chunks(); chunk++ {
		var list []dataset.Unit
		list, err = plan.LoadUnits(ctx, folder, chunk)
		e.units = append(e.units, list...)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("extend: %s has no list of its units, as in copies without the folder _run: give the dataset that corpus made: %w",
			c.Extend, err)
	}
	return e, err
}

// digest returns a function that returns the hash of the files that spans are of.
func digest(files []input) func([]dataset.Span) string {
	listed := make(map[string]dataset.File, len(files))
	for _, file := range files {
		listed[file.Name] = file.File
	}
	return func(spans []dataset.Span) string {
		list := make([]dataset.File, len(spans))
		for i, span := range spans {
			list[i] = listed[span.Name]
		}
		return dataset.ListingInput("", list).XXH3
	}
}

// checkFiles returns an error if no file has a name of the old ones.
func (e *extended) checkFiles(files []input) error {
	names := make(map[string]bool, len(files))
	for _, file := range files {
		names[file.Name] = true
	}
	for _, u := range e.units {
		for _, span := range u.Spans {
			if names[span.Name] {
				return nil
			}
		}
	}
	return fmt.Errorf("extend: no file has the name of one of %s: --input or --paths must name the old files as they were named then, besides new ones",
		e.Location)
}

// stating is the number of units whose files are looked for at once.
const stating = 16

// check returns an error if the units of the dataset are not those that the job would make, or one of those that it takes over
// lacks a file or has one of another size; and a note of what is taken over. The job's content is set to what is read and
// what is copied.
func (e *extended) check(ctx context.Context, job *units.Job) (note string, err error) {
	difference, err := job.Plan.DifferenceBeyond(&e.Manifest().Plan, rolePages, RolePaths, roleExtended)
	if err != nil {
		return "", err
	}
	if difference != "" {
		return "", fmt.Errorf("extend: %s was made otherwise: %s; give the same flags and use the same version, or leave --extend out to make all anew",
			e.Location, difference)
	}
	folder, err := storage.Locate(e.Location)
	if err != nil {
		return "", err
	}
	adopted := 0
	var group errgroup.Group
	group.SetLimit(stating)
	job.Content = map[string]int64{"": 0, formatAdopted: 0}
	for _, u := range job.Units {
		if u.Adopts != nil {
			adopted++
			job.Content[formatAdopted] += bytesOf(u.Spans)
			group.Go(func() error {
				_, err := e.Manifest().Plan.LoadReceipt(ctx, folder, *u.Adopts)
				return err
			})
		} else {
			job.Content[""] += bytesOf(u.Spans)
		}
	}
	if err := group.Wait(); err != nil {
		return "", fmt.Errorf("extend: %w; leave --extend out to make all anew", err)
	}
	return fmt.Sprintf("%d of %d units are taken over from %s; the others read %s", adopted, len(job.Units), e.Location,
		spelling.Number(job.Content[""], "byte")), nil
}
