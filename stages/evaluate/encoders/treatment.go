package encoders

import (
	"fmt"
	"slices"

	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
	"sentweave/stages/pcr"
	"sentweave/transforms/measure/isotropy"
	"sentweave/transforms/measure/neighbors"
)

// treatment is what is done to all vectors of a task before they are compared.
type treatment struct {
	name, is string
	treat    func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error)
	// fitted says that it is fitted on the evaluated texts themselves.
	fitted bool
}

// Settings of vectors.
const (
	firstComponent = "the first principal component of each language removed"
	whitened       = "whitened, all languages together"
)

var treatments = []treatment{
	{metrics.VectorsRaw, "", nil, false},
	{metrics.VectorsPCR, firstComponent, pcr.Config{Components: 1}.Removed, true},
	{metrics.VectorsCentred, "the mean of each language subtracted", isotropy.Centre, true},
	{metrics.VectorsWhitened, whitened, func(m neighbors.Matrix, _ []string) (neighbors.Matrix, error) { return isotropy.Whiten(m) }, true},
	{metrics.VectorsCodes, "sparse codes, 1 for each number above 1", codes, false},
}

// codes are the sparse codes of a lens (Kiros 2020, section 4.3).
func codes(m neighbors.Matrix, _ []string) (neighbors.Matrix, error) {
	result := neighbors.Matrix{Data: make([]float32, len(m.Data)), Dim: m.Dim}
	for i, x := range m.Data {
		if encoder.InCode(x) {
			result.Data[i] = 1
		}
	}
	return result, nil
}

func findTreatment(name string) (treatment, bool) {
	i := slices.IndexFunc(treatments, func(t treatment) bool { return t.name == name })
	if i < 0 {
		return treatment{}, false
	}
	return treatments[i], true
}

// Treated returns e with vectors to which is done what a treatment of --vectors does.
func Treated(e encoder.Encoder, name string) encoder.Encoder {
	if t, _ := findTreatment(name); t.treat != nil {
		return t.of(e)
	}
	return e
}

// of returns e with vectors that are treated, those of each call by themselves.
func (t treatment) of(e encoder.Encoder) encoder.Encoder {
	return encoder.Mapped(e, e.Name(), func(m neighbors.Matrix, languages []string) (neighbors.Matrix, error) {
		m, err := t.treat(m, languages)
		if err != nil {
			return m, fmt.Errorf("vectors that are %s: %w", t.name, err)
		}
		return m, nil
	})
}
