//go:build libtorch

package torch

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
)

// Accumulate adds the gradients of weight × the batch's loss and returns the loss: the sum
// of its parts, each multiplied by its share; nil takes them whole. The seed decides dropout.
func (t *Trainer) Accumulate(batch objective.Batch, weight float64, shares []float64, dropoutSeed uint64) (float64, error) {
	defer lockThread()()
	defer runtime.KeepAlive(t) // gotch does not: a finalizer would free weights in use
	seed(dropoutSeed)
	var s scope
	defer s.free()
	loss := t.loss(&s, batch)
	scaled := s.weighted(loss, weight, shares)
	if s.err != nil {
		return 0, s.err
	}
	if err := scaled.Backward(); err != nil {
		return 0, err
	}
	if err := t.copies.gather(); err != nil {
		return 0, err
	}
	return number(loss, shares)
}

// sharesIn returns the shares of the parts of a loss, 1 each if they are nil, and whether it is
// a vector of parts.
func sharesIn(loss *ts.Tensor, shares []float64) (list []float64, isVector bool, err error) {
	size, err := loss.Size()
	if err != nil {
		return nil, false, err
	}
	parts := 1
	if isVector = len(size) > 0; isVector {
		parts = int(size[0])
	}
	if shares == nil {
		shares = slices.Repeat([]float64{1}, parts)
	}
	if len(shares) != parts {
		return nil, false, fmt.Errorf("%d shares for a loss of %d parts", len(shares), parts)
	}
	return shares, isVector, nil
}

// weighted is weight × the sum of the parts of a loss, each multiplied by its share.
func (s *scope) weighted(loss *ts.Tensor, weight float64, shares []float64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	shares, isVector, err := sharesIn(loss, shares)
	if err != nil {
		s.err = err
		return nil
	}
	if !isVector {
		return s.scale(loss, weight*shares[0])
	}
	factors := make([]float32, len(shares))
	for i, share := range shares {
		factors[i] = float32(weight * share)
	}
	return s.sum(s.multiply(loss, s.floats(factors, int64(len(factors)))), 0, false)
}

// number is the sum of the parts of a loss, each multiplied by its share.
func number(loss *ts.Tensor, shares []float64) (sum float64, err error) {
	if shares, _, err = sharesIn(loss, shares); err != nil {
		return 0, err
	}
	parts := make([]float32, len(shares))
	err = floats(parts, loss)
	for i, part := range parts {
		sum += float64(part) * shares[i]
	}
	return sum, err
}

// loss returns the loss of a batch of any objective, a number or a vector of its parts.
func (t *Trainer) loss(s *scope, batch objective.Batch) *ts.Tensor {
	defer begin()()
	compute, ok := t.losses[batch.Objective()]
	if !ok {
		s.err = notMadeFor(batch.Objective())
		return nil
	}
	return compute(s, batch)
}

func notMadeFor(name string) error {
	return fmt.Errorf("the trainer was not made for the objective %s", name)
}

// Loss returns the loss of a batch without gradients and dropout: the sum of its parts, each
// multiplied by its share; nil takes them whole.
func (t *Trainer) Loss(batch objective.Batch, shares []float64) (float64, error) {
	return t.evaluate(func(s *scope) *ts.Tensor { return t.loss(s, batch) }, shares)
}

// evaluate returns a loss without gradients and dropout.
func (t *Trainer) evaluate(loss func(*scope) *ts.Tensor, shares []float64) (float64, error) {
	defer withoutGradients()()
	t.training(false)
	defer t.training(true)
	var s scope
	defer s.free()
	value := loss(&s)
	if s.err != nil {
		return 0, s.err
	}
	return number(value, shares)
}
