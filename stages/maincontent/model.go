package maincontent

import (
	"context"
	"fmt"

	"sentweave/schemas/storage"
	"sentweave/transforms/clean/maincontent/lines"
	"sentweave/transforms/clean/maincontent/trained"
)

// ReadModel reads a file that WriteModel wrote.
func ReadModel(ctx context.Context, location string) (*trained.Model, error) {
	return readModel(ctx, location, trained.MaxBytes, trained.Decode)
}

// ReadLines reads a file of a model of lines.
func ReadLines(ctx context.Context, location string) (*lines.Model, error) {
	return readModel(ctx, location, lines.MaxBytes, lines.Decode)
}

func readModel[M any](ctx context.Context, location string, limit int64, decode func([]byte) (M, error)) (m M, err error) {
	data, err := storage.ReadLocation(ctx, location, limit)
	if err != nil {
		return m, err
	}
	if m, err = decode(data); err != nil {
		err = fmt.Errorf("read the model %s: %w", location, err)
	}
	return m, err
}

// WriteModel writes a model, whole or not at all.
func WriteModel(ctx context.Context, location string, m interface{ Encode() ([]byte, error) }) error {
	folder, name, err := storage.LocateFile(location)
	if err != nil {
		return err
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, name, data, storage.Replace)
}

// Train trains a model on all pages.
func Train(ctx context.Context, d *Data, record trained.Provenance, c trained.Config) (*trained.Model, error) {
	return trained.Train(ctx, d.samples(func(*Page) bool { return true }), record, c)
}
