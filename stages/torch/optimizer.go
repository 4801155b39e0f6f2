//go:build libtorch

package torch

import (
	"math"
	"strings"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// optimizer steps over the parameters of a model, with two moments each.
type optimizer struct {
	native.Optimized
	config  objective.Optimizer
	moments *transformer.Weights // "first.NAME" and "second.NAME"
	step    int64
}

const (
	firstPrefix  = "first."
	secondPrefix = "second."
)

// decays says whether a parameter has weight decay, and is adapted by LAMB.
func decays(name string) bool {
	return !strings.HasSuffix(name, "bias") && !strings.Contains(name, "Norm.")
}

// newOptimizer returns one of the named parameters at its first step. Each has a factor
// of the rate.
func newOptimizer(config objective.Optimizer, w *transformer.Weights, names []string, rates []float64) (*optimizer, error) {
	defer native.LockThread()()
	o := &optimizer{config: config, moments: transformer.NewWeights()}
	var parameters []*ts.Tensor
	var lists [2][]*ts.Tensor
	for i, name := range names {
		o.Rates = append(o.Rates, rates[i])
		parameters = append(parameters, w.Tensors[name])
		for i, prefix := range []string{firstPrefix, secondPrefix} {
			zeros, err := w.Tensors[name].ZerosLike(false)
			if err != nil {
				o.moments.Free()
				return nil, err
			}
			// Zeros of a parameter are none themselves: gotch gives them no gradient.
			o.moments.Put(prefix+name, zeros)
			lists[i] = append(lists[i], zeros)
		}
		decay, adapt := 0., uint8(0)
		if decays(name) {
			decay, adapt = config.Decay, 1
		}
		o.Decay, o.Adapt = append(o.Decay, decay), append(o.Adapt, adapt)
	}
	o.Parameters, o.First, o.Second = native.NewPointers(parameters), native.NewPointers(lists[0]), native.NewPointers(lists[1])
	return o, nil
}

func (o *optimizer) free() {
	o.Parameters.Free()
	o.First.Free()
	o.Second.Free()
	o.moments.Free()
}

// update clips the gradients, takes one step and drops the gradients. It returns
// their norm before clipping; if that is not a number, no step is taken.
func (o *optimizer) update(rate float64) (norm float64, err error) {
	if norm, err = o.Parameters.GradientNorm(); err != nil {
		return 0, err
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return norm, o.Parameters.ZeroGradients() // a step would spoil every parameter
	}
	if o.config.Clip > 0 && norm > o.config.Clip {
		// The small term is PyTorch's clip_grad_norm_, so that results agree.
		if err := o.Parameters.ScaleGradients(o.config.Clip / (norm + 1e-6)); err != nil {
			return 0, err
		}
	}
	o.step++
	step := native.OptimizerStep{Number: o.step, Rate: rate, Beta1: o.config.Beta1, Beta2: o.config.Beta2, Epsilon: o.config.Epsilon}
	if o.config.Name == "lamb" {
		err = o.Lamb(step)
	} else {
		err = o.Adam(step, o.config.Name == "adamw")
	}
	if err != nil {
		return 0, err
	}
	return norm, o.Parameters.ZeroGradients()
}
