//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// scaled returns x times a factor.
func scaled(x *ts.Tensor, factor float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_scale(x.Ctensor(), C.double(factor), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// normalized returns the rows of x over their norms, which are at least the minimum.
func normalized(x *ts.Tensor, minimum float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_normalize(x.Ctensor(), C.double(minimum), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// gelu returns the exact one of each element, by the error function.
func gelu(x *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_gelu(x.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// product returns the product of two matrices, in float32.
func product(x, y *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, y})
	var z unsafe.Pointer
	if err := failure(C.sentweave_product(x.Ctensor(), y.Ctensor(), &z)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(z), nil
}

// exact returns x in float32.
func exact(x *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_exact(x.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// crossEntropy is that of Scope.
func crossEntropy(logits, targets *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{logits, targets})
	var loss unsafe.Pointer
	if err := failure(C.sentweave_cross_entropy(logits.Ctensor(), targets.Ctensor(), &loss)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(loss), nil
}

// layerNorm is that of Scope.
func layerNorm(x *ts.Tensor, n Linear, epsilon float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, n.Weight, n.Bias})
	var y unsafe.Pointer
	if err := failure(C.sentweave_layer_norm(x.Ctensor(), n.Weight.Ctensor(), n.Bias.Ctensor(), C.double(epsilon), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// addNorm is that of Scope.
func addNorm(x, residual *ts.Tensor, r Residual) (*ts.Tensor, error) {
	l, n := r.Linear, r.Norm
	defer runtime.KeepAlive([]*ts.Tensor{x, l.Weight, l.Bias, residual, n.Weight, n.Bias})
	var y unsafe.Pointer
	err := failure(
		C.sentweave_add_norm(
			x.Ctensor(),
			l.Weight.Ctensor(),
			l.Bias.Ctensor(),
			residual.Ctensor(),
			n.Weight.Ctensor(),
			n.Bias.Ctensor(),
			C.double(r.Epsilon),
			C.double(r.Dropout),
			&y,
		),
	)
	if err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// linearGELU is that of Scope.
func linearGELU(x *ts.Tensor, l Linear) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, l.Weight, l.Bias})
	var y unsafe.Pointer
	if err := failure(C.sentweave_linear_gelu(x.Ctensor(), l.Weight.Ctensor(), l.Bias.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}
