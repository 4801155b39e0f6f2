package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/stages/encoder"
	"sentweave/stages/pcr"
	"sentweave/transforms/measure/isotropy"
	"sentweave/transforms/measure/neighbors"
)

// treatment is what is done to all vectors of a task before they are compared. It is fitted on
// the evaluated texts themselves.
type treatment struct {
	name, is string
	treat    func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error)
}

// raw leaves vectors as they are.
const raw = "raw"

var treatments = []treatment{
	{raw, "", nil},
	{"pcr", "the first principal component of each language removed", func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error) {
		c, err := pcr.Fit(m, languages, pcr.Config{Components: 1})
		if err != nil {
			return m, err
		}
		less := neighbors.Matrix{Data: slices.Clone(m.Data), Dim: m.Dim}
		for i, l := range languages {
			if err := c.Apply(l, less.Row(i)); err != nil {
				return m, err
			}
		}
		return less, nil
	}},
	{"centred", "the mean of each language subtracted", isotropy.Centre},
	{"whitened", "whitened, all languages together", func(m neighbors.Matrix, _ []string) (neighbors.Matrix, error) { return isotropy.Whiten(m) }},
}

func findTreatment(name string) (treatment, bool) {
	i := slices.IndexFunc(treatments, func(t treatment) bool { return t.name == name })
	if i < 0 {
		return treatment{}, false
	}
	return treatments[i], true
}

func treatmentNames() string {
	var list []string
	for _, t := range treatments {
		list = append(list, t.name)
	}
	return strings.Join(list, ", ")
}

// treated is an encoder whose vectors are treated, those of each call by themselves.
type treated struct {
	encoder.Encoder
	treatment
}

// Close closes the encoder below, if that is to be closed.
func (t treated) Close() error { return encoder.Close(t.Encoder) }

func (t treated) Encode(ctx context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	v, err := t.Encoder.Encode(ctx, texts)
	if err != nil || len(texts) == 0 {
		return v, err
	}
	dense, ok := v.(encoder.Dense)
	if !ok {
		return nil, sparseVectors{fmt.Errorf("%s gives sparse vectors, which cannot be %s: choose a model with dense ones", t.Encoder.Name(), t.name)}
	}
	languages := make([]string, len(texts))
	for i, text := range texts {
		languages[i] = text.Language
	}
	m, err := t.treat(dense.Matrix, languages)
	if err != nil {
		return nil, fmt.Errorf("vectors that are %s: %w", t.name, err)
	}
	return encoder.Dense{Matrix: m}, nil
}

// withSettings adds settings to those of a figure.
func withSettings(settings string, more map[string]string) (string, error) {
	if len(more) == 0 {
		return settings, nil
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(settings), &all); err != nil {
		return "", errors.Join(errors.New("settings of a figure"), err)
	}
	for name, value := range more {
		all = with(all, name, value)
	}
	return encode(all), nil
}
