//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// Linear are the weight and the bias of a linear layer or of a LayerNorm; the bias may be nil.
type Linear struct{ Weight, Bias *ts.Tensor }

// keepTensor adds the tensor that C++ has made, or the error of its message.
func (s *Scope) keepTensor(tensor *unsafe.Pointer, message *C.char) *ts.Tensor {
	return s.Keep(tensorOf(tensor, message))
}

func tensorOf(tensor *unsafe.Pointer, message *C.char) (*ts.Tensor, error) {
	if err := failure(message); err != nil {
		return nil, err
	}
	return ts.FromCtensor(*tensor), nil
}

// Scale returns x times a number.
func (s *Scope) Scale(x *ts.Tensor, factor float64) *ts.Tensor {
	if s.Err != nil || factor == 1 {
		return x
	}
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_scale(x.Ctensor(), C.double(factor), &y))
}

// Normalize returns the rows of x divided by their norms, which are taken to be at least 1e-12.
func (s *Scope) Normalize(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_normalize(x.Ctensor(), 1e-12, &y))
}

// activations are those of C by their names in config.json.
var activations = map[string]C.int{
	model.GELU: C.SENTWEAVE_GELU, model.GELUNew: C.SENTWEAVE_GELU_TANH,
	model.LayerReLU: C.SENTWEAVE_RELU, model.LayerTanh: C.SENTWEAVE_TANH,
}

// Activate returns what an activation, by its name in config.json, makes of x.
func (s *Scope) Activate(x *ts.Tensor, activation string) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_activated(x.Ctensor(), activations[activation], &y))
}

// LinearActivated is what an activation makes of x W^T + b.
func (s *Scope) LinearActivated(x *ts.Tensor, l Linear, activation string) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive([]*ts.Tensor{x, l.Weight, l.Bias})
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_linear_activated(x.Ctensor(), l.Weight.Ctensor(), handle(l.Bias), activations[activation], &y))
}

// Quantized returns the weight of a linear layer for products in int8 on the CPU, without gradients: Layer and LinearActivated take it
// in the place of the weight. Numbers are rounded to 127 steps of the greatest one, of a row of x and of an output's weights, and sums
// of their products are exact, so that a row of the result depends on that row of x alone.
func Quantized(weight *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(weight)
	var q unsafe.Pointer
	return tensorOf(&q, C.sentweave_quantized(weight.Ctensor(), &q))
}

// Prepacked returns the weight of a linear layer for products on the CPU in the precision that is in use, without gradients: Layer and
// LinearActivated take it in the place of the weight. The weight is in the order in which the processor reads it, so that products need not
// bring it there. It is nil on a GPU, and where this libtorch or this processor has no such products.
func Prepacked(weight *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(weight)
	var packed unsafe.Pointer
	message := C.sentweave_prepacked(weight.Ctensor(), &packed)
	if message == nil && packed == nil {
		return nil, nil
	}
	return tensorOf(&packed, message)
}

// CheckQuantized returns what keeps this processor, or this libtorch, from products in int8.
func CheckQuantized() error { return failure(C.sentweave_check_quantized()) }

// Product is the product of two matrices, in float32.
func (s *Scope) Product(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive([]*ts.Tensor{x, y})
	var z unsafe.Pointer
	return s.keepTensor(&z, C.sentweave_product(x.Ctensor(), y.Ctensor(), &z))
}

// Float32 returns x as float32, whatever the precision of products.
func (s *Scope) Float32(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil || x.DType() == gotch.Float {
		return x
	}
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_exact(x.Ctensor(), &y))
}

// CrossEntropy is the mean over the rows of logits of the negative log
// likelihood of their targets, in float32.
func (s *Scope) CrossEntropy(logits, targets *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive([]*ts.Tensor{logits, targets})
	var loss unsafe.Pointer
	return s.keepTensor(&loss, C.sentweave_cross_entropy(logits.Ctensor(), targets.Ctensor(), &loss))
}

// LayerNorm has the type of x. Its statistics are in float32.
func (s *Scope) LayerNorm(x *ts.Tensor, n Linear, epsilon float64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive([]*ts.Tensor{x, n.Weight, n.Bias})
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_layer_norm(x.Ctensor(), n.Weight.Ctensor(), handle(n.Bias), C.double(epsilon), &y))
}
