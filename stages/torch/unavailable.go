//go:build !libtorch

package torch

import (
	"context"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/augment/infill"
	"sentweave/transforms/measure/neighbors"
)

// Threads is 0.
func Threads() int { return 0 }

// SetThreads does nothing.
func SetThreads(int) {}

// Use returns ErrUnavailable.
func Use(Compute) error { return ErrUnavailable }

// Hardware is empty.
func (Compute) Hardware(model.Config) Hardware { return Hardware{} }

// UseLanes returns ErrUnavailable.
func UseLanes(Compute) error { return ErrUnavailable }

// Version is empty.
func Version() string { return "" }

// Encoder cannot be had.
type Encoder struct{}

// NewEncoder returns ErrUnavailable.
func NewEncoder(*model.Folder, int) (*Encoder, error) { return nil, ErrUnavailable }

// PoolFrom does nothing.
func (*Encoder) PoolFrom(int) {}

// Close does nothing.
func (*Encoder) Close() {}

// Dimension is 0.
func (*Encoder) Dimension() int { return 0 }

// Encode returns ErrUnavailable.
func (*Encoder) Encode(context.Context, []float32, [][]int32) error { return ErrUnavailable }

// States returns ErrUnavailable.
func (*Encoder) States(context.Context, [][]int32) ([]float32, error) { return nil, ErrUnavailable }

// MaskedLM cannot be had.
type MaskedLM struct{}

// NewMaskedLM returns ErrUnavailable.
func NewMaskedLM(*model.Folder, [][]int32) (*MaskedLM, error) { return nil, ErrUnavailable }

// Close does nothing.
func (*MaskedLM) Close() {}

// Top returns ErrUnavailable.
func (*MaskedLM) Top(context.Context, [][]int32, [][]infill.Mask, int) ([]infill.Candidate, error) {
	return nil, ErrUnavailable
}

// Check returns ErrUnavailable.
func (TrainerConfig) Check() error { return ErrUnavailable }

// Trainer cannot be had.
type Trainer struct{}

// NewTrainer returns ErrUnavailable.
func NewTrainer(TrainerConfig) (*Trainer, error) { return nil, ErrUnavailable }

// Accumulate returns ErrUnavailable.
func (*Trainer) Accumulate(objective.Batch, float64, []float64, uint64) (float64, error) {
	return 0, ErrUnavailable
}

// Update returns ErrUnavailable.
func (*Trainer) Update(float64) (float64, error) { return 0, ErrUnavailable }

// Parameters are 0.
func (*Trainer) Parameters() (trained, total int64) { return 0, 0 }

// Loss returns ErrUnavailable.
func (*Trainer) Loss(objective.Batch, []float64) (float64, error) { return 0, ErrUnavailable }

// States returns ErrUnavailable.
func (*Trainer) States(context.Context, [][]int32) ([]float32, error) { return nil, ErrUnavailable }

// PrefixLosses returns ErrUnavailable.
func (*Trainer) PrefixLosses(*objective.CMLMBatch) (original, zero, swapped float64, err error) {
	return 0, 0, 0, ErrUnavailable
}

// Save returns ErrUnavailable.
func (*Trainer) Save(string) error { return ErrUnavailable }

// Load returns ErrUnavailable.
func (*Trainer) Load(string) error { return ErrUnavailable }

// Close does nothing.
func (*Trainer) Close() {}

// Products cannot be had.
type Products struct{}

// Top returns ErrUnavailable.
func (Products) Top(context.Context, neighbors.Matrix, neighbors.Matrix, int) ([]float32, []int32, error) {
	return nil, nil, ErrUnavailable
}
