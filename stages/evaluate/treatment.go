package evaluate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/jsonfile"
	"sentweave/stages/encoder"
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

// raw leaves vectors as they are.
const raw = "raw"

// sparseCodes is the name of the treatment that is of lenses alone.
const sparseCodes = "codes"

// Settings of vectors.
const (
	firstComponent = "the first principal component of each language removed"
	whitened       = "whitened, all languages together"
)

var treatments = []treatment{
	{raw, "", nil, false},
	{"pcr", firstComponent, pcr.Config{Components: 1}.Removed, true},
	{"centred", "the mean of each language subtracted", isotropy.Centre, true},
	{"whitened", whitened, func(m neighbors.Matrix, _ []string) (neighbors.Matrix, error) { return isotropy.Whiten(m) }, true},
	{sparseCodes, "sparse codes, 1 for each number above 1", codes, false},
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

// IsTreatment says whether --vectors or --similarity has such a name, which stands after a model's.
func IsTreatment(name string) bool {
	_, ok := findTreatment(name)
	return ok || slices.Contains(similarities, name)
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

// withSettings adds settings to those of a figure.
func withSettings(settings string, extra map[string]string) (string, error) {
	if len(extra) == 0 {
		return settings, nil
	}
	var merged map[string]any
	if err := jsonfile.Unmarshal([]byte(settings), &merged); err != nil {
		return "", errors.Join(errors.New("settings of a figure"), err)
	}
	for name, value := range extra {
		merged = withSetting(merged, name, value)
	}
	return encode(merged), nil
}
