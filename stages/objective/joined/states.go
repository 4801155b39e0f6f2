package joined

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Roles of the inputs of a dataset of states: the examples whose texts it has, and the encoder.
const (
	StatesExamples = "examples"
	StatesEncoder  = "encoder"
)

// StoredStates is a dataset that the stage states made.
type StoredStates struct {
	folder   storage.Folder
	manifest *dataset.Manifest
}

// Request says which states an objective needs; its fields are those of objective.Facts.
type Request struct {
	Examples           []string
	Encoder, Precision string
	Tokens             int
}

// OpenStates opens the vectors of the tokens of what an objective trains on. Those of another
// encoder or of other examples, or of sides that were cut elsewhere, are an error.
func OpenStates(ctx context.Context, location string, g Request) (*StoredStates, error) {
	folder, m, err := dataset.OpenAs[schemas.State](ctx, location)
	if err != nil {
		return nil, err
	}
	var config struct {
		Tokens    int    `json:"tokens"`
		Precision string `json:"precision"`
	}
	if err := jsonfile.Unmarshal(m.Plan.Config, &config); err != nil {
		return nil, fmt.Errorf("dataset %s: its configuration: %w", folder, err)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(g.Examples)))); n != 1 {
		return nil, fmt.Errorf("dataset %s has the states of one dataset of examples, and lenses learn from %d here: train them one after the other",
			folder, n)
	}
	exampleFolder, examples, err := dataset.OpenAs[schemas.Example](ctx, g.Examples[0])
	if err != nil {
		return nil, err
	}
	const way = "make the states anew with `sentweave states`"
	switch {
	case g.Encoder == "":
		return nil, errors.New("states are of an encoder that stays as it is: give it by --from, and train none of it before the lens")
	case m.Plan.InputHash(StatesEncoder) != g.Encoder:
		return nil, fmt.Errorf("dataset %s has the states of another encoder than that of --from, or of a copy with other files: %s",
			folder, way)
	case m.Plan.InputHash(StatesExamples) != examples.Input(StatesExamples).XXH3:
		return nil, fmt.Errorf("dataset %s has the states of other examples than those of %s: %s", folder, exampleFolder, way)
	case config.Tokens != LongestSide(examples, g.Tokens):
		return nil, fmt.Errorf("dataset %s has the states of sides of at most %d tokens, the training takes %d: %s with the same --tokens",
			folder, config.Tokens, LongestSide(examples, g.Tokens), way)
	case config.Precision != g.Precision:
		return nil, fmt.Errorf("dataset %s has states of the precision %s, the training has %s: give both the same --precision", folder,
			config.Precision, g.Precision)
	}
	return &StoredStates{folder, m}, nil
}

// LongestSide returns the most tokens that a side of a dataset of examples has, if it is cut to so many.
func LongestSide(examples *dataset.Manifest, tokens int) int {
	var config struct {
		MaxTokens int `json:"max_tokens"`
	}
	if jsonfile.Unmarshal(examples.Plan.Config, &config) == nil && config.MaxTokens > 0 {
		tokens = min(tokens, config.MaxTokens)
	}
	return tokens
}

// Input identifies the dataset by its content.
func (s *StoredStates) Input(role string) dataset.Input { return s.manifest.Input(role + "/states") }

// String is the location.
func (s *StoredStates) String() string { return s.folder.String() }

// Blank returns states of the same size that are all 0, to measure how long steps take.
func (s *StoredStates) Blank(ctx context.Context) (Blank, error) {
	for row, err := range s.Rows(ctx) {
		if err != nil {
			return 0, err
		}
		return Blank(row.Size()), nil
	}
	return 0, fmt.Errorf("dataset %s is empty", s.folder)
}

// Blank is the size of vectors that are all 0.
type Blank int

// Size implements objective.States.
func (b Blank) Size() int { return int(b) }

// Read implements objective.States.
func (b Blank) Read(dst []float32, _ []int32) error {
	clear(dst)
	return nil
}

// Rows yields all rows.
func (s *StoredStates) Rows(ctx context.Context) iter.Seq2[schemas.State, error] {
	return dataset.Rows[schemas.State](ctx, s.folder, s.manifest)
}
