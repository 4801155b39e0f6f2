package maincontent

import (
	"context"
	"fmt"

	"sentweave/schemas/storage"
	"sentweave/transforms/clean/maincontent/trained"
)

// ReadModel reads a file that WriteModel wrote.
func ReadModel(ctx context.Context, location string) (*trained.Model, error) {
	folder, name, err := storage.LocateFile(location)
	if err != nil {
		return nil, err
	}
	data, err := storage.ReadFile(ctx, folder, name, trained.MaxBytes)
	if err != nil {
		return nil, err
	}
	m, err := trained.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read the model %s: %w", location, err)
	}
	return m, nil
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
