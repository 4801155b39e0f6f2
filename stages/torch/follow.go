//go:build libtorch

package torch

import (
	"github.com/sugarme/gotch/ts"

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

// begin makes them equal to what they follow. Those of parameters that do not change stay equal, and are not moved
// again; the others change, too.
func (f *followers) begin(changes map[*ts.Tensor]bool) error {
	ones := make([]float64, len(f.rates))
	for i := range ones {
		ones[i] = 1
	}
	if err := f.move(ones); err != nil {
		return err
	}
	var them, ahead []*ts.Tensor
	var rates []float64
	for i, t := range f.ahead.Tensors {
		if changes[t] {
			them, ahead, rates = append(them, f.them.Tensors[i]), append(ahead, t), append(rates, f.rates[i])
			changes[f.them.Tensors[i]] = true
		}
	}
	f.free()
	f.them, f.ahead, f.rates = native.NewPointers(them), native.NewPointers(ahead), rates
	return nil
}

// step moves them after a step of the optimizer.
func (f *followers) step() error { return f.move(f.rates) }

func (f *followers) move(rates []float64) error {
	if len(rates) == 0 {
		return nil
	}
	return f.them.Follow(f.ahead, rates)
}
