package pairfilter

import (
	"context"
	"fmt"

	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/pairs/pairclassifier"
	"sentweave/transforms/pairs/pairfilters"
)

// openModel reads a model of pairtrain.
func openModel(ctx context.Context, location string) (*pairfilters.Classifier, error) {
	data, err := storage.ReadLocation(ctx, location, pairclassifier.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := pairclassifier.Parse(data, Version)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", location, err)
	}
	c, err := pairfilters.NewClassifier(&m.Regression)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", location, err)
	}
	return c, nil
}

// checkModel returns an error for a model with features that are not measured.
func (c Config) checkModel(ctx context.Context) error {
	model, err := openModel(ctx, c.Model)
	if err != nil {
		return err
	}
	var errs fault.List
	for _, f := range []struct{ filter, flag, value string }{
		{languageFilter, "langid", c.langid()}, {cosineFilter, "embeddings", c.Embeddings},
	} {
		errs.Check(f.value != "" || !model.Knows(f.filter), "model %s has the feature %s: give %s, or train it with `sentweave pairtrain --without %s`",
			c.Model, f.filter, f.flag, f.filter)
	}
	return errs.Err()
}
