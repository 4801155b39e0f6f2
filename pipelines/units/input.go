package units

import (
	"context"
	"fmt"
	"path/filepath"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Dataset is a complete dataset that a pipeline reads. Location travels to the
// worker, which opens the rest itself.
type Dataset struct {
	// Location is absolute.
	Location string

	folder   storage.Folder
	manifest *dataset.Manifest
}

// OpenDataset opens a dataset of rows of type T for a plan.
func OpenDataset[T schemas.Row](ctx context.Context, location string) (*Dataset, error) {
	absolute, err := filepath.Abs(location)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Location: absolute}
	return d, Reopen[T](ctx, d)
}

// Reopen opens the dataset in a worker.
func Reopen[T schemas.Row](ctx context.Context, d *Dataset) error {
	var err error
	if d.folder, err = storage.At(d.Location); err != nil {
		return err
	}
	d.manifest, err = dataset.LoadAs[T](ctx, d.folder)
	return err
}

// Manifest returns the manifest of the open dataset.
func (d *Dataset) Manifest() *dataset.Manifest { return d.manifest }

// DatasetRows calls use for every row of the unit's spans, in order.
func DatasetRows[T schemas.Row](ctx context.Context, d *Dataset, unit dataset.Unit, use func(T) error) error {
	for _, span := range unit.Spans {
		for row, err := range dataset.SpanRows[T](ctx, d.folder, d.manifest, span) {
			if err != nil {
				return err
			}
			if err := use(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// File is a single input file, such as a vocabulary.
type File struct {
	// Location is absolute.
	Location string
}

// OpenFile checks a file for a plan and returns it as an input.
func OpenFile(ctx context.Context, role, location string) (File, dataset.Input, error) {
	absolute, err := filepath.Abs(location)
	if err != nil {
		return File{}, dataset.Input{}, err
	}
	name := filepath.Base(absolute)
	files, err := dataset.List(ctx, storage.NewLocal(filepath.Dir(absolute)), func(n string) bool { return n == name })
	if err != nil {
		return File{}, dataset.Input{}, fmt.Errorf("%s: %w", role, err)
	}
	if len(files) == 0 {
		return File{}, dataset.Input{}, fmt.Errorf("%s: there is no file %s", role, location)
	}
	return File{absolute}, dataset.ListingInput(role, files), nil
}
