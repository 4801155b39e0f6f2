//go:build libtorch

package torch

import "github.com/sugarme/gotch/ts"

// normParameters lists what batch norm over columns has: scale and shift, and the
// running statistics, which no optimizer changes.
func normParameters(name string, columns int64) []parameter {
	ones := make([]float32, columns)
	for i := range ones {
		ones[i] = 1
	}
	size := []int64{columns}
	return []parameter{
		{shape: shape{name + ".weight", size}}, {shape: shape{name + ".bias", size}},
		{shape: shape{name + ".running_mean", size}, state: true}, {shape: shape{name + ".running_var", size}, initial: ones, state: true},
	}
}

// batchNorm brings each column of x to the mean 0 and the variance 1 of the batch, and
// moves the running statistics by a tenth to these; where no gradient is asked for, it
// takes the running statistics. Then it scales and shifts.
func (s *scope) batchNorm(x *ts.Tensor, w *weights, name string) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	trains, err := x.RequiresGrad()
	if err != nil {
		s.err = err
		return nil
	}
	norm := w.linear(name)
	const momentum, epsilon = .1, 1e-5
	return s.keep(ts.BatchNorm(x, norm.weight, norm.bias, w.tensors[name+".running_mean"], w.tensors[name+".running_var"], trains, momentum, epsilon, false))
}
