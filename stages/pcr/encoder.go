package pcr

import (
	"context"
	"fmt"
	"io"
	"slices"

	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// Encoder returns e with the components taken off its vectors, by the language of
// each text. A language without components is an error that matches ErrLanguage.
func (c *Components) Encoder(e encoder.Encoder) encoder.Encoder {
	return &wrapped{e, c.config, func(neighbors.Matrix, []string) (*Components, error) { return c, nil }}
}

// Fitting returns e with components taken off that are fitted anew on the texts of
// each call, each language by itself: the paper's evaluation, which takes them
// from the texts that are searched.
func Fitting(e encoder.Encoder, c Config) (encoder.Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &wrapped{e, c, func(m neighbors.Matrix, languages []string) (*Components, error) { return Fit(m, languages, c) }}, nil
}

type wrapped struct {
	inner      encoder.Encoder
	config     Config
	components func(m neighbors.Matrix, languages []string) (*Components, error)
}

func (w *wrapped) Name() string {
	name := fmt.Sprintf("%s+pcr%d", w.inner.Name(), w.config.Components)
	if w.config.Center {
		name += "-centred"
	}
	return name
}

func (w *wrapped) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	v, err := w.inner.Encode(ctx, texts)
	if err != nil || len(texts) == 0 {
		return v, err
	}
	dense, ok := v.(encoder.Dense)
	if !ok {
		return nil, fmt.Errorf("remove components: %s gives sparse vectors, which have none: choose an encoder with dense ones", w.inner.Name())
	}
	if dense.Len() != len(texts) {
		return nil, fmt.Errorf("remove components: %s gave %d vectors for %d texts", w.inner.Name(), dense.Len(), len(texts))
	}
	languages := make([]string, len(texts))
	for i, t := range texts {
		languages[i] = t.Language
	}
	c, err := w.components(dense.Matrix, languages)
	if err != nil {
		return nil, err
	}
	removed := encoder.Dense{Matrix: neighbors.Matrix{Data: slices.Clone(dense.Data), Dim: dense.Dim}}
	for i, l := range languages {
		if err := c.Apply(l, removed.Row(i)); err != nil {
			return nil, fmt.Errorf("text %d: %w", i, err)
		}
	}
	return removed, nil
}

// Close closes the encoder below, if that is to be closed.
func (w *wrapped) Close() error {
	if c, ok := w.inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
