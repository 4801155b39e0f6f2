//go:build libtorch

package native

// #include <stdlib.h>
// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Pointers is a list of tensors as C++ takes it. It is in C's memory,
// since Go's may not hold pointers into C while C looks at it. That memory is zeroed:
// when Go writes a pointer, its collector looks at what stood there before, and ends
// the program if that was an address in Go's memory that is free.
type Pointers struct {
	Tensors []*ts.Tensor
	list    *unsafe.Pointer
}

// NewPointers returns a list in memory of C, which Free gives back. Tensors may be nil.
func NewPointers(tensors []*ts.Tensor) *Pointers {
	p := &Pointers{Tensors: tensors, list: (*unsafe.Pointer)(C.calloc(C.size_t(max(1, len(tensors))), C.size_t(unsafe.Sizeof(uintptr(0)))))}
	for i, t := range tensors {
		unsafe.Slice(p.list, len(tensors))[i] = handle(t)
	}
	return p
}

// Free gives the list back, and leaves the tensors.
func (p *Pointers) Free() { C.free(unsafe.Pointer(p.list)) }

func (p *Pointers) n() C.int { return C.int(len(p.Tensors)) }

// ZeroGradients drops all gradients.
func (p *Pointers) ZeroGradients() error {
	defer runtime.KeepAlive(p.Tensors)
	return failure(C.sentweave_zero_gradients(p.list, p.n()))
}

// GradientNorm returns the norm of all gradients together.
func (p *Pointers) GradientNorm() (float64, error) {
	defer runtime.KeepAlive(p.Tensors)
	var norm C.double
	err := failure(C.sentweave_gradient_norm(p.list, p.n(), &norm))
	return float64(norm), err
}

// ScaleGradients multiplies all gradients by a factor.
func (p *Pointers) ScaleGradients(factor float64) error {
	defer runtime.KeepAlive(p.Tensors)
	return failure(C.sentweave_scale_gradients(p.list, p.n(), C.double(factor)))
}

// Optimized are parameters with their two moments. Each has a decay of its own and, in rates, a factor of the
// rate. LAMB adapts those for which adapt is not 0.
type Optimized struct {
	Parameters, First, Second *Pointers
	Decay, Rates              []float64
	Adapt                     []uint8
}

// OptimizerStep is a step of an optimizer. Its number counts from 1.
type OptimizerStep struct {
	Number                      int64
	Rate, Beta1, Beta2, Epsilon float64
}

// Adam takes a step of Adam, whose decay is a part of the gradient, or of AdamW, where it is decoupled from the
// gradient.
func (o *Optimized) Adam(step OptimizerStep, decoupled bool) error {
	defer runtime.KeepAlive(o)
	return failure(C.sentweave_adam(o.Parameters.list, o.First.list, o.Second.list, doubles(o.Decay), doubles(o.Rates), flag(decoupled),
		o.Parameters.n(), C.double(step.Rate), C.double(step.Beta1), C.double(step.Beta2), C.double(step.Epsilon),
		C.int64_t(step.Number)))
}

// Lamb takes a step of LAMB.
func (o *Optimized) Lamb(step OptimizerStep) error {
	defer runtime.KeepAlive(o)
	adapt := (*C.uint8_t)(unsafe.SliceData(o.Adapt))
	return failure(
		C.sentweave_lamb(o.Parameters.list, o.First.list, o.Second.list, doubles(o.Decay), doubles(o.Rates), adapt, o.Parameters.n(),
			C.double(step.Rate), C.double(step.Beta1), C.double(step.Beta2), C.double(step.Epsilon), C.int64_t(step.Number)),
	)
}

func doubles(list []float64) *C.double { return (*C.double)(unsafe.SliceData(list)) }

// Follow moves each tensor by its share of the way to another one, 1 being all of it.
func (p *Pointers) Follow(ahead *Pointers, shares []float64) error {
	defer LockThread()()
	defer runtime.KeepAlive([]*Pointers{p, ahead})
	return failure(C.sentweave_follow(p.list, ahead.list, doubles(shares), p.n()))
}

// ReducesProducts says whether products are in bfloat16.
func ReducesProducts() bool { return C.sentweave_reduced() != 0 }

// CopyReduced returns a copy of a parameter in bfloat16, with a gradient if the parameter has one. Rows are added until their
// number is a multiple of apart, and filled.
func CopyReduced(master *ts.Tensor, apart int64, fill float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(master)
	var pointer unsafe.Pointer
	return tensorOf(&pointer, C.sentweave_copy(master.Ctensor(), C.int64_t(apart), C.double(fill), &pointer))
}

// RefreshFrom gives copies the values of their parameters.
func (p *Pointers) RefreshFrom(masters *Pointers) error {
	defer LockThread()()
	defer runtime.KeepAlive([]*Pointers{p, masters})
	return failure(C.sentweave_refresh_copies(p.list, masters.list, p.n()))
}

// GatherInto adds the gradients of copies to those of their parameters, in float32, and drops them.
func (p *Pointers) GatherInto(masters *Pointers) error {
	defer runtime.KeepAlive([]*Pointers{p, masters})
	return failure(C.sentweave_gather_gradients(p.list, masters.list, p.n()))
}
