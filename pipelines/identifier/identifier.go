// Package identifier opens language identifiers for pipelines.
package identifier

import (
	"context"
	"fmt"
	"io"

	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/langid/fasttext"
)

// Open reads the fastText model at a location.
func Open(ctx context.Context, location string) (*langid.FastText, error) {
	file, err := storage.OpenFile(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("open language identifier: %w", err)
	}
	defer file.Close()
	m, err := fasttext.Read(io.NewSectionReader(file, 0, file.Size()), file.Size())
	if err != nil {
		return nil, fmt.Errorf("open language identifier %q: %w", location, err)
	}
	f, err := langid.NewFastText(m)
	if err != nil {
		return nil, fmt.Errorf("open language identifier %q: %w", location, err)
	}
	return f, nil
}
