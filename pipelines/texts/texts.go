// Package texts reads the texts of a dataset, whatever kind of row it has, so that a
// pipeline does not need to know the kind.
package texts

import (
	"context"
	"fmt"
	"iter"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/texts"
)

// Text is one text of a dataset.
type Text = texts.Text

// Source is a complete dataset whose texts a pipeline reads. Its exported fields
// travel to the worker, which calls Reopen.
type Source struct {
	Dataset *units.Dataset
	// Schema is the name of the schema of its rows.
	Schema string
}

// reader is what is needed of a kind of row.
type reader struct {
	open   func(ctx context.Context, location string) (*units.Dataset, error)
	reopen func(ctx context.Context, d *units.Dataset) error
	each   func(ctx context.Context, d *units.Dataset, unit dataset.Unit, use func(Text) error) error
}

// readerOf makes the reader of rows of type T, whose texts are given by a function.
func readerOf[T schemas.Row](texts func(row T) iter.Seq[Text]) reader {
	return reader{
		open:   units.OpenDataset[T],
		reopen: units.Reopen[T],
		each: func(ctx context.Context, d *units.Dataset, unit dataset.Unit, use func(Text) error) error {
			return units.DatasetRows(ctx, d, unit, func(row T) error {
				for text := range texts(row) {
					if err := use(text); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func readerFor(schema string) (reader, bool) {
	switch schema {
	case "document":
		return readerOf(texts.OfDocument), true
	case "pair":
		return readerOf(texts.OfPair), true
	case "benchmark":
		return readerOf(texts.OfBenchmark), true
	case "translation":
		return readerOf(texts.OfTranslation), true
	}
	return reader{}, false
}

// Open opens the dataset at a location for a plan, whatever rows it has. It is an
// error if those have no texts; the other errors are those of units.OpenDataset.
func Open(ctx context.Context, location string) (*Source, error) {
	absolute, err := storage.Absolute(location)
	if err != nil {
		return nil, err
	}
	folder, m, err := dataset.Open(ctx, absolute)
	if err != nil {
		return nil, err
	}
	r, ok := readerFor(m.Plan.Schema)
	if !ok {
		return nil, fmt.Errorf("dataset %s holds rows of %s v%d, this step reads document, pair, benchmark, translation", folder,
			m.Plan.Schema, m.Plan.SchemaVersion)
	}
	d, err := r.open(ctx, absolute)
	if err != nil {
		return nil, err
	}
	return &Source{Dataset: d, Schema: m.Plan.Schema}, nil
}

// Reopen opens the dataset in a worker. It is an error if the dataset was made
// anew since the job was planned.
func (s *Source) Reopen(ctx context.Context) error {
	r, ok := readerFor(s.Schema)
	if !ok {
		return fmt.Errorf("texts of rows of %q: launcher and worker are different programs", s.Schema)
	}
	return r.reopen(ctx, s.Dataset)
}

// Manifest returns the manifest of the open dataset.
func (s *Source) Manifest() *dataset.Manifest { return s.Dataset.Manifest() }

// Each calls use for every text of the unit's spans, in order, and ends with its
// first error.
func (s *Source) Each(ctx context.Context, unit dataset.Unit, use func(Text) error) error {
	r, ok := readerFor(s.Schema)
	if !ok {
		return fmt.Errorf("texts of rows of %q: launcher and worker are different programs", s.Schema)
	}
	return r.each(ctx, s.Dataset, unit, use)
}
