package units

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Dataset is a complete dataset that a pipeline reads. Location and Check travel
// to the worker, which opens the rest itself.
type Dataset struct {
	// Location is absolute.
	Location string
	// Check is the check of the manifest with which the job was planned.
	Check string

	folder   storage.Folder
	manifest *dataset.Manifest
}

// Roles of the datasets that OpenDocumentsOrPairs opens.
const (
	RoleDocuments = "documents"
	RolePairs     = "pairs"
)

// OpenDocumentsOrPairs opens the dataset of pairs, if one is named, or else that of documents, for a plan.
func OpenDocumentsOrPairs(ctx context.Context, documents, pairs string) (d *Dataset, role string, err error) {
	if pairs != "" {
		d, err = OpenDataset[schemas.Pair](ctx, pairs)
		return d, RolePairs, err
	}
	d, err = OpenDataset[schemas.Document](ctx, documents)
	return d, RoleDocuments, err
}

// OpenDataset opens a dataset of rows of type T for a plan.
func OpenDataset[T schemas.Row](ctx context.Context, location string) (*Dataset, error) {
	absolute, err := storage.Absolute(location)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Location: absolute}
	if err := open[T](ctx, d); err != nil {
		return nil, err
	}
	d.Check = d.manifest.Check
	return d, nil
}

// Reopen opens the dataset in a worker. It is an error if the dataset was made again
// after the job was planned, because its units would name other rows.
func Reopen[T schemas.Row](ctx context.Context, d *Dataset) error {
	if err := open[T](ctx, d); err != nil {
		return err
	}
	if d.manifest.Check != d.Check {
		return fmt.Errorf("dataset %s was made anew since this job was planned; run the same command again, with --overwrite", d.Location)
	}
	return nil
}

// AllRows yields the rows of a dataset that is open, in order.
func AllRows[T schemas.Row](ctx context.Context, d *Dataset) iter.Seq2[T, error] {
	return dataset.Rows[T](ctx, d.folder, d.manifest)
}

func open[T schemas.Row](ctx context.Context, d *Dataset) (err error) {
	if d.folder, err = storage.Locate(d.Location); err != nil {
		return err
	}
	d.manifest, err = dataset.LoadAs[T](ctx, d.folder)
	return err
}

// Manifest returns the manifest of the open dataset.
func (d *Dataset) Manifest() *dataset.Manifest { return d.manifest }

// Env is where the units of the open dataset were made.
func (d *Dataset) Env() Env { return Env{Folder: d.folder, Plan: &d.manifest.Plan} }

// DatasetRows calls use for every row of the unit's spans, in order.
func DatasetRows[T schemas.Row](ctx context.Context, d *Dataset, unit dataset.Unit, use func(T) error) error {
	gauge := GaugeOf(ctx)
	if gauge != nil {
		rows := int64(0)
		for _, span := range unit.Spans {
			rows += d.manifest.RowsOf(span)
		}
		gauge.Expect(rows)
	}
	for _, span := range unit.Spans {
		first := gauge.first(d.Location, span)
		for row, err := range dataset.SpanRows[T](ctx, d.folder, d.manifest, span) {
			if err != nil {
				return err
			}
			if err := use(row); err != nil {
				return err
			}
			if gauge.Add(1); first {
				gauge.Item()
			}
		}
	}
	return nil
}

// File is a single input file, such as a vocabulary. It travels to the worker.
type File struct {
	// Location is absolute.
	Location string
	// Bytes and XXH3 are the size and the hash of the content with which the job was
	// planned.
	Bytes int64
	XXH3  uint64
}

// OpenFile reads a file for a plan. It returns the file, and the same as an input of
// the plan.
func OpenFile(ctx context.Context, role, location string) (File, dataset.Input, error) {
	absolute, err := storage.Absolute(location)
	if err != nil {
		return File{}, dataset.Input{}, err
	}
	f := File{Location: absolute}
	if f.Bytes, f.XXH3, err = digest(ctx, absolute); err != nil {
		return File{}, dataset.Input{}, fmt.Errorf("%s: %w", role, err)
	}
	_, name, err := storage.Split(absolute)
	if err != nil {
		return File{}, dataset.Input{}, fmt.Errorf("%s: %w", role, err)
	}
	return f, dataset.ListingInput(role, []dataset.File{{Name: name, Bytes: f.Bytes, XXH3: f.XXH3}}), nil
}

// Verify returns an error unless the file is still the one with which the job was
// planned.
func (f File) Verify(ctx context.Context) error {
	bytes, hash, err := digest(ctx, f.Location)
	if err != nil {
		return err
	}
	if bytes != f.Bytes || hash != f.XXH3 {
		return fmt.Errorf("%s has changed since this job was planned; run the same command again, with --overwrite", f.Location)
	}
	return nil
}

func digest(ctx context.Context, location string) (bytes int64, hash uint64, err error) {
	object, err := storage.OpenFile(ctx, location)
	if err != nil {
		return 0, 0, err
	}
	defer object.Close()
	h := xxh3.New()
	bytes, err = io.CopyBuffer(h, io.NewSectionReader(object, 0, object.Size()), make([]byte, 1<<20))
	return bytes, h.Sum64(), err
}
