package corpus

import (
	"context"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/spelling"
)

// formatAdopted is the format, in estimates, of input whose documents are copied.
const formatAdopted = "adopted"

// extended is the dataset that a plan goes on from, with its units.
type extended struct{ *units.Extended }

// openExtended opens the dataset that is extended; nil if none is.
func (c Config) openExtended(ctx context.Context) (*extended, error) {
	opened, err := units.OpenExtended[schemas.Document](ctx, c.Extend, pipeline)
	if err != nil || opened == nil {
		return nil, err
	}
	if paths := opened.Manifest().Plan.InputHash(RolePaths) != ""; paths != (c.Paths != "") {
		return nil, fmt.Errorf("extend: of %s and this one, one goes by --paths and the other by what a folder has: do both in one way", c.Extend)
	}
	return &extended{opened}, nil
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
	for _, u := range e.Units {
		for _, span := range u.Spans {
			if names[span.Name] {
				return nil
			}
		}
	}
	return fmt.Errorf("extend: no file has the name of one of %s: --input or --paths must name the old files as they were named then, besides new ones",
		e.Location)
}

// check returns an error if the units of the dataset are not those that the job would make, or one of those that it takes over
// lacks a file or has one of another size; and a note of what is taken over. The job's content is set to what is read and
// what is copied.
func (e *extended) check(ctx context.Context, job *units.Job) (note string, err error) {
	if err := e.Check(job.Plan, rolePages, RolePaths); err != nil {
		return "", err
	}
	adopted := 0
	job.Content = map[string]int64{"": 0, formatAdopted: 0}
	for _, u := range job.Units {
		format := ""
		if u.Adopts != nil {
			format, adopted = formatAdopted, adopted+1
		}
		job.Content[format] += bytesOf(u.Spans)
	}
	return fmt.Sprintf("%d of %d units are taken over from %s; the others read %s", adopted, len(job.Units), e.Location,
		spelling.Number(job.Content[""], "byte")), e.CheckAdopted(ctx, job.Units)
}
