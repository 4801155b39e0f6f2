package pairclassifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"sentweave/schemas/jsonfile"
)

const (
	// format is raised when the file changes its form.
	format = 1
	// MaxFile bounds the file of a model, in bytes.
	MaxFile = 1 << 20
)

// Model is a regression, and what it was trained on and measured by, which nothing computes with.
type Model struct {
	Format int `json:"format"`
	// PairFilter is the version of the pipeline whose measures the features are.
	PairFilter int `json:"pairfilter"`
	Regression
	Training Training `json:"training"`
	Figures  []Figure `json:"figures"`
}

// Training says what a model was trained on.
type Training struct {
	// Scores is the content hash of the dataset of scores, Seed chose what is measured, C is the penalty of Fit.
	Scores string  `json:"scores"`
	Seed   uint64  `json:"seed"`
	C      float64 `json:"c"`
	// Good and Bad count the pairs; Kinds are the kinds of the bad ones.
	Good  int      `json:"good"`
	Bad   int      `json:"bad"`
	Kinds []string `json:"kinds"`
}

// Figure tells how well a model finds the bad pairs of a kind among good ones, pairs that the training has not seen.
type Figure struct {
	Kind string `json:"kind"`
	// Unseen says that no pair of the kind was in the training.
	Unseen bool `json:"unseen"`
	Pairs  int  `json:"pairs"`
	Measured
}

// Encode returns the file of a model: JSON in lines, by the same model the same bytes.
func (m *Model) Encode() ([]byte, error) {
	m.Format = format
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// UnmarshalJSON leaves numbers that are not there NaN, which Validate refuses.
func (f *Feature) UnmarshalJSON(data []byte) error {
	type plain Feature
	*f = Feature{Mean: math.NaN(), Scale: math.NaN(), Weight: math.NaN()}
	return jsonfile.UnmarshalStrict(data, (*plain)(f))
}

// Parse reads the file of a model whose features are measures of a version of the pipeline pairfilter.
func Parse(data []byte, pairFilter int) (*Model, error) {
	m := Model{Regression: Regression{Bias: math.NaN()}}
	if err := jsonfile.UnmarshalDistinct(data, &m); err != nil {
		return nil, err
	}
	switch {
	case math.IsNaN(m.Bias):
		return nil, errors.New("it has no bias")
	case m.Format != format:
		return nil, fmt.Errorf("its format is %d, this program reads %d: train it anew with `sentweave pairtrain`", m.Format, format)
	case m.PairFilter != pairFilter:
		return nil, fmt.Errorf("it knows the measures of pairfilter %d, this is %d: train it anew with `sentweave pairtrain`", m.PairFilter, pairFilter)
	}
	return &m, m.Validate()
}
