//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// ElementType is a type of elements as native.h numbers them.
type ElementType C.int

const (
	Float32s  ElementType = C.SENTWEAVE_FLOAT32
	Float16s  ElementType = C.SENTWEAVE_FLOAT16
	BFloat16s ElementType = C.SENTWEAVE_BFLOAT16
	Float64s  ElementType = C.SENTWEAVE_FLOAT64
	int64s    ElementType = C.SENTWEAVE_INT64
	int32s    ElementType = C.SENTWEAVE_INT32
)

// NewTensor returns a tensor of a copy of the data, on the device, which holds the elements of
// the shape in row-major order.
func NewTensor(data unsafe.Pointer, shape []int64, elements ElementType) (*ts.Tensor, error) {
	var tensor unsafe.Pointer
	return tensorOf(&tensor, C.sentweave_tensor(data, (*C.int64_t)(unsafe.SliceData(shape)), C.int(len(shape)), C.int(elements), &tensor))
}

// Floats copies the elements of a tensor, whatever its type, into dst.
func Floats(dst []float32, t *ts.Tensor) error {
	defer runtime.KeepAlive(t)
	return failure(C.sentweave_floats(t.Ctensor(), (*C.float)(unsafe.SliceData(dst)), C.int64_t(len(dst))))
}

// Finite says whether no element of a tensor of floats is NaN or infinite. It reads the tensor once, without a copy.
func Finite(t *ts.Tensor) (bool, error) {
	defer runtime.KeepAlive(t)
	var finite C.int
	err := failure(C.sentweave_finite(t.Ctensor(), &finite))
	return finite != 0, err
}

// Rows copies the rows of a matrix, whatever its type, to their places among the rows of dst. Those whose places lie behind
// its end are dropped.
func Rows(dst []float32, t *ts.Tensor, places []int) error {
	defer runtime.KeepAlive(t)
	return failure(C.sentweave_rows(t.Ctensor(), (*C.float)(unsafe.SliceData(dst)), C.int64_t(len(dst)),
		(*C.int64_t)(unsafe.Pointer(unsafe.SliceData(places))), C.int64_t(len(places)))) // libtorch has processors of 64 bits alone
}

// DrawNormal fills data with normal numbers of the generator.
func DrawNormal(data []float32, deviation float64) error {
	return failure(C.sentweave_normal((*C.float)(unsafe.SliceData(data)), C.int64_t(len(data)), C.double(deviation)))
}

// RequireGradient makes a tensor a parameter.
func RequireGradient(t *ts.Tensor) error {
	defer runtime.KeepAlive(t)
	return failure(C.sentweave_require_gradient(t.Ctensor()))
}

// Gradient returns the gradient of a leaf, nil if there is none.
func (s *Scope) Gradient(leaf *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	g := s.Keep(leaf.Grad(false))
	if s.Err != nil {
		return nil
	}
	isDefined, err := g.Defined()
	if s.Err = err; err != nil || !isDefined {
		return nil
	}
	return g
}

// Backward sends the gradient of y to all leaves that y was made of.
func Backward(y, gradient *ts.Tensor) error {
	defer runtime.KeepAlive([]*ts.Tensor{y, gradient})
	return failure(C.sentweave_backward(y.Ctensor(), gradient.Ctensor()))
}
