//go:build libtorch

package torch

import "github.com/sugarme/gotch/ts"

import (
	"sentweave/stages/torch/losses"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// followers are parameters that follow others.
type followers struct {
	names       []string
	them, ahead *native.Pointers
	rates       []float64 // 1 − momentum
}

func newFollowers(list []losses.Parameter, w *transformer.Weights) *followers {
	f := &followers{}
	var them, ahead []*ts.Tensor
	for _, p := range list {
		if p.Follows != "" {
			f.names = append(f.names, p.Name)
			them, ahead = append(them, w.Tensors[p.Name]), append(ahead, w.Tensors[p.Follows])
			f.rates = append(f.rates, 1-p.Momentum)
		}
	}
	f.them, f.ahead = native.NewPointers(them), native.NewPointers(ahead)
	return f
}

func (f *followers) free() {
	f.them.Free()
	f.ahead.Free()
}

// begin makes them equal to what they follow.
func (f *followers) begin() error {
	ones := make([]float64, len(f.rates))
	for i := range ones {
		ones[i] = 1
	}
	return f.move(ones)
}

// step moves them after a step of the optimizer.
func (f *followers) step() error { return f.move(f.rates) }

func (f *followers) move(rates []float64) error {
	if len(rates) == 0 {
		return nil
	}
	return f.them.Follow(f.ahead, rates)
}
