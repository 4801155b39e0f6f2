package pcr

import (
	"fmt"
	"slices"

	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// Encoder returns e with the components taken off its vectors, by the language of
// each text. A language without components is an error that matches ErrLanguage.
func (c *Components) Encoder(e encoder.Encoder) encoder.Encoder {
	return encoder.Mapped(e, c.config.named(e), c.removed)
}

// Fitting returns e with components taken off that are fitted anew on the texts of
// each call, each language by itself: the paper's evaluation, which takes them
// from the texts that are searched.
func Fitting(e encoder.Encoder, c Config) (encoder.Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return encoder.Mapped(e, c.named(e), c.Removed), nil
}

// Removed returns the rows of m without components that are fitted on them; languages
// names that of each row. See Fit for what it takes and costs.
func (c Config) Removed(m neighbors.Matrix, languages []string) (neighbors.Matrix, error) {
	fitted, err := Fit(m, languages, c)
	if err != nil {
		return m, err
	}
	return fitted.removed(m, languages)
}

func (c *Components) removed(m neighbors.Matrix, languages []string) (neighbors.Matrix, error) {
	result := neighbors.Matrix{Data: slices.Clone(m.Data), Dim: m.Dim}
	for i, l := range languages {
		if err := c.Apply(l, result.Row(i)); err != nil {
			return m, fmt.Errorf("text %d: %w", i, err)
		}
	}
	return result, nil
}

func (c Config) named(e encoder.Encoder) string {
	name := fmt.Sprintf("%s+pcr%d", e.Name(), c.Components)
	if c.Center {
		name += "-centred"
	}
	return name
}
