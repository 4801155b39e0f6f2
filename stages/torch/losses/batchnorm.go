//go:build libtorch

package losses

import (
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"

	"github.com/sugarme/gotch/ts"
)

// normParameters lists what batch norm over columns has: scale and shift, and the
// running statistics, which no optimizer changes.
func normParameters(name string, columns int64) []Parameter {
	ones := make([]float32, columns)
	for i := range ones {
		ones[i] = 1
	}
	mean, variance := single(name+".running_mean", columns), single(name+".running_var", columns)
	mean.State, variance.State, variance.Initial = true, true, ones
	return []Parameter{single(name+".weight", columns), single(name+".bias", columns), mean, variance}
}

// batchNorm brings each column of x to the mean 0 and the variance 1 of the batch, and
// moves the running statistics by a tenth to these; where no gradient is asked for, it
// takes the running statistics. Then it scales and shifts.
func batchNorm(s *native.Scope, x *ts.Tensor, w *transformer.Weights, name string) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	trains, err := x.RequiresGrad()
	if err != nil {
		s.Err = err
		return nil
	}
	norm := w.Linear(name)
	const momentum, epsilon = .1, 1e-5
	return s.Keep(
		ts.BatchNorm(
			x,
			norm.Weight,
			norm.Bias,
			w.Tensors[name+".running_mean"],
			w.Tensors[name+".running_var"],
			trains,
			momentum,
			epsilon,
			false,
		),
	)
}
