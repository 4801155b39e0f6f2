//go:build libtorch

package torch

// #include "native.h"
import "C"

import (
	"math"
	"runtime"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
)

// optimizer steps over the parameters of a model, with two moments each.
type optimizer struct {
	config        objective.Optimizer
	parameters    *pointers
	first, second *pointers
	moments       *weights   // "first.NAME" and "second.NAME"
	decay, rates  []C.double // rates are factors of the rate
	adapt         []C.uint8_t
	step          int64
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
func newOptimizer(config objective.Optimizer, w *weights, names []string, rates []float64) (*optimizer, error) {
	defer lockThread()()
	o := &optimizer{config: config, moments: newWeights()}
	var parameters []*ts.Tensor
	var lists [2][]*ts.Tensor
	for i, name := range names {
		o.rates = append(o.rates, C.double(rates[i]))
		parameters = append(parameters, w.tensors[name])
		for i, prefix := range []string{firstPrefix, secondPrefix} {
			zeros, err := w.tensors[name].ZerosLike(false)
			if err != nil {
				o.moments.free()
				return nil, err
			}
			// Zeros of a parameter are none themselves: gotch gives them no gradient.
			o.moments.put(prefix+name, zeros)
			lists[i] = append(lists[i], zeros)
		}
		decay, adapt := C.double(0), C.uint8_t(0)
		if decays(name) {
			decay, adapt = C.double(config.Decay), 1
		}
		o.decay, o.adapt = append(o.decay, decay), append(o.adapt, adapt)
	}
	o.parameters, o.first, o.second = newPointers(parameters), newPointers(lists[0]), newPointers(lists[1])
	return o, nil
}

func (o *optimizer) free() {
	o.parameters.free()
	o.first.free()
	o.second.free()
	o.moments.free()
}

// update clips the gradients, takes one step and drops the gradients. It returns
// their norm before clipping; if that is no number, no step is taken.
func (o *optimizer) update(rate float64) (norm float64, err error) {
	if norm, err = o.parameters.gradientNorm(); err != nil {
		return 0, err
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return norm, o.parameters.zeroGradients() // a step would spoil every parameter
	}
	if o.config.Clip > 0 && norm > o.config.Clip {
		// The small term is PyTorch's clip_grad_norm_, so that results agree.
		if err := o.parameters.scaleGradients(o.config.Clip / (norm + 1e-6)); err != nil {
			return 0, err
		}
	}
	o.step++
	defer runtime.KeepAlive(o)
	decay, rates, n := unsafe.SliceData(o.decay), unsafe.SliceData(o.rates), o.parameters.n()
	c := o.config
	if c.Name != "lamb" {
		decoupled := C.int(0)
		if c.Name == "adamw" {
			decoupled = 1
		}
		err = failure(C.sentweave_adam(o.parameters.list, o.first.list, o.second.list, decay, rates, decoupled, n, C.double(rate),
			C.double(c.Beta1), C.double(c.Beta2), C.double(c.Epsilon), C.int64_t(o.step)))
	} else {
		err = failure(C.sentweave_lamb(o.parameters.list, o.first.list, o.second.list, decay, rates, unsafe.SliceData(o.adapt), n, C.double(rate),
			C.double(c.Beta1), C.double(c.Beta2), C.double(c.Epsilon), C.int64_t(o.step)))
	}
	if err != nil {
		return 0, err
	}
	return norm, o.parameters.zeroGradients()
}
