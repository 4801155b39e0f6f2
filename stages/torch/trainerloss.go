//go:build libtorch

package torch

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
	"sentweave/stages/torch/native"
)

// Accumulate adds the gradients of weight × the batch's loss and returns the loss: the sum
// of its parts, each multiplied by its share; nil takes them whole. The seed decides dropout.
func (t *Trainer) Accumulate(batch objective.Batch, weight float64, shares []float64, dropoutSeed uint64) (float64, error) {
	defer native.LockThread()()
	defer runtime.KeepAlive(t) // gotch does not: a finalizer would free weights in use
	native.Seed(dropoutSeed)
	var s native.Scope
	defer s.Free()
	defer t.network.Cache.Forget()
	loss := t.loss(&s, batch)
	scaled := weighted(&s, loss, weight, shares)
	if s.Err != nil {
		return 0, s.Err
	}
	if err := scaled.Backward(); err != nil {
		return 0, err
	}
	sum, err := number(loss, shares)
	if err != nil {
		return 0, err
	}
	return sum, errors.Join(t.network.Cache.Replay(&s), t.copies.gather())
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
func weighted(s *native.Scope, loss *ts.Tensor, weight float64, shares []float64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	shares, isVector, err := sharesIn(loss, shares)
	if err != nil {
		s.Err = err
		return nil
	}
	if !isVector {
		return s.Scale(loss, weight*shares[0])
	}
	factors := make([]float32, len(shares))
	for i, share := range shares {
		factors[i] = float32(weight * share)
	}
	return s.Sum(s.Multiply(loss, s.Floats(factors, int64(len(factors)))), 0, false)
}

// number is the sum of the parts of a loss, each multiplied by its share.
func number(loss *ts.Tensor, shares []float64) (sum float64, err error) {
	if shares, _, err = sharesIn(loss, shares); err != nil {
		return 0, err
	}
	parts := make([]float32, len(shares))
	err = native.Floats(parts, loss)
	for i, part := range parts {
		sum += float64(part) * shares[i]
	}
	return sum, err
}

// loss returns the loss of a batch of any objective, a number or a vector of its parts.
func (t *Trainer) loss(s *native.Scope, batch objective.Batch) *ts.Tensor {
	defer native.Begin()()
	compute, ok := t.losses[batch.Objective()]
	if !ok {
		s.Err = notMadeFor(batch.Objective())
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
	return t.evaluate(func(s *native.Scope) *ts.Tensor { return t.loss(s, batch) }, shares)
}

// evaluate returns a loss without gradients and dropout.
func (t *Trainer) evaluate(loss func(*native.Scope) *ts.Tensor, shares []float64) (float64, error) {
	defer native.WithoutGradients()()
	t.network.Training(false)
	defer t.network.Training(true)
	defer t.network.Cache.Forget()
	var s native.Scope
	defer s.Free()
	value := loss(&s)
	if s.Err != nil {
		return 0, s.Err
	}
	return number(value, shares)
}

// PrefixLosses returns the loss of a CMLM batch as it is, with zeros in place of
// the vectors of the first sentences, and with those of other sentences of the
// batch: what the model knows of the first sentence is the difference.
func (t *Trainer) PrefixLosses(batch *objective.CMLMBatch) (original, zero, swapped float64, err error) {
	o, ok := t.config.Objectives[objective.CMLMName].(*objective.CMLM)
	if !ok {
		return 0, 0, 0, notMadeFor(objective.CMLMName)
	}
	if len(batch.Others) != batch.A.Count {
		return 0, 0, 0, fmt.Errorf("%d other sentences for %d pairs", len(batch.Others), batch.A.Count)
	}
	var variants [3]float64
	for variant, compute := range losses.LossesWithPrefixes(t.network, o, batch) {
		variants[variant], err = t.evaluate(func(s *native.Scope) *ts.Tensor {
			defer native.Begin()()
			return compute(s)
		}, nil)
		if err != nil {
			return 0, 0, 0, err
		}
	}
	return variants[0], variants[1], variants[2], nil
}
