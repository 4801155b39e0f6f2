// Package quality is the stage that fits thresholds of filters to documents whose measures are scores, and that trains classifiers of good
// documents.
package quality

import (
	"context"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/filters"
	"sentweave/transforms/filters/thresholds"
)

// Target is the file to write. The tags are read by the command line.
type Target struct {
	Out       string `help:"File of the thresholds to write." required:"" placeholder:"FILE" group:"Output"`
	Overwrite bool   `help:"Replace the file of --out if there is one." group:"Output"`
}

// Fit fits the thresholds of all filters to the documents of a dataset, writes them to a file, whole or not at all, and returns them.
// Observe is called for each document. An error comes before the documents are read if the file cannot be written. The same
// documents give the same bytes, in whatever shards they are.
func Fit(ctx context.Context, documents string, target Target, c thresholds.Config, observe func()) (*thresholds.File, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	folder, name, condition, err := storage.NewFile(ctx, target.Out, target.Overwrite)
	if err != nil {
		return nil, fmt.Errorf("out: %w", err)
	}
	input, m, err := dataset.OpenAs[schemas.Document](ctx, documents)
	if err != nil {
		return nil, err
	}
	var rules []filters.Rules
	for _, f := range filters.List {
		rules = append(rules, f.New())
	}
	fitter := thresholds.NewFitter(c, filters.Measures(rules))
	for d, err := range dataset.Rows[schemas.Document](ctx, input, m) {
		if err != nil {
			return nil, err
		}
		observe()
		fitter.Add(&d)
	}
	file, err := fitter.Fit()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", documents, err)
	}
	file.Documents = m.ContentXXH3
	data, err := file.Encode()
	if err != nil {
		return nil, err
	}
	return file, storage.WriteFile(ctx, folder, name, data, condition)
}
