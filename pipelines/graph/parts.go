package graph

import (
	"context"

	"sentweave/pipelines/units"
	"sentweave/schemas"
)

// Parts are the inputs of a phase that reads several, each with the units that read it.
type Parts[D any] []Part[D]

// Part is one of them.
type Part[D any] struct {
	units.Range
	From D
}

// Datasets are parts of datasets.
type Datasets = Parts[*units.Dataset]

// Of returns the input that a unit reads, and its number; -1 if the unit reads none.
func (p Parts[D]) Of(ordinal int) (input D, number int) {
	for i, part := range p {
		if part.Has(ordinal) {
			return part.From, i
		}
	}
	return input, -1
}

// Reopen opens datasets of rows of type T in a worker.
func Reopen[T schemas.Row](ctx context.Context, lists ...Datasets) error {
	for _, list := range lists {
		for _, part := range list {
			if err := units.Reopen[T](ctx, part.From); err != nil {
				return err
			}
		}
	}
	return nil
}
