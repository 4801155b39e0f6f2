//go:build libtorch

package torch

import (
	"errors"
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var mseLoss = define(objective.MSEName, mseParameters, newMSE)

// Names of the projection's parameters. The network has two matrices, with batch norm
// between them.
const (
	mseProjection = "mse.projection"
	mseNorm       = mseProjection + ".BatchNorm"
)

func mseParameters(f *model.Folder, o *objective.MSE) ([]parameter, error) {
	h, d := int64(f.Config.HiddenSize), int64(o.Dimension)
	if d < 1 {
		return nil, errors.New("mse: the teacher's vectors have no size: the configuration is not prepared")
	}
	switch {
	case o.Projection == objective.ProjectionNetwork:
		ones := make([]float32, d)
		for i := range ones {
			ones[i] = 1
		}
		return []parameter{
			{shape: shape{mseProjection + ".0.weight", []int64{d, h}}}, // the norm has a bias
			{shape: shape{mseNorm + ".weight", []int64{d}}}, {shape: shape{mseNorm + ".bias", []int64{d}}},
			{shape: shape{mseNorm + ".running_mean", []int64{d}}, state: true}, {shape: shape{mseNorm + ".running_var", []int64{d}}, initial: ones, state: true},
			{shape: shape{mseProjection + ".1.weight", []int64{d, d}}}, {shape: shape{mseProjection + ".1.bias", []int64{d}}},
		}, nil
	case o.Projection == objective.ProjectionLinear, h != d:
		return []parameter{{shape: shape{mseProjection + ".weight", []int64{d, h}}}, {shape: shape{mseProjection + ".bias", []int64{d}}}}, nil
	}
	return nil, nil
}

// newMSE is the mean over all numbers of the squared differences between the student's
// vectors, as they are encoded and then projected, and the teacher's (Reimers and
// Gurevych 2020, equation 1).
func newMSE(n network, o *objective.MSE) func(*scope, *objective.MSEBatch) *ts.Tensor {
	return func(s *scope, batch *objective.MSEBatch) *ts.Tensor {
		if s.err = checkMSE(n.config, o, batch); s.err != nil {
			return nil
		}
		x := n.sentences(s, &batch.Texts, model.Pooling(o.Pooling))
		if n.folder.Normalize {
			x = s.normalize(x)
		}
		if x = n.project(s, x); s.err != nil {
			return nil
		}
		if x = s.keep(exact(x)); s.err != nil {
			return nil
		}
		vectors := s.floats(batch.Vectors, int64(batch.Texts.Count), int64(batch.Dimension))
		if s.err != nil {
			return nil
		}
		const mean = 1
		return s.keep(x.MseLoss(vectors, mean, false))
	}
}

// project sends vectors through the projection that there is.
func (n network) project(s *scope, x *ts.Tensor) *ts.Tensor {
	if n.weights.tensors[mseProjection+".weight"] != nil {
		return s.linear(x, n.weights.linear(mseProjection))
	}
	first := n.weights.tensors[mseProjection+".0.weight"]
	if first == nil {
		return x
	}
	x = s.batchNorm(s.product(x, s.transpose(first, 0, 1)), n.weights, mseNorm)
	return s.linear(s.relu(x), n.weights.linear(mseProjection+".1"))
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

func checkMSE(c model.Config, o *objective.MSE, b *objective.MSEBatch) error {
	if err := checkSequences(c, "the batch", &b.Texts, 0); err != nil {
		return err
	}
	if b.Dimension != o.Dimension || len(b.Vectors) != b.Texts.Count*b.Dimension {
		return fmt.Errorf("%d sentences with %d numbers of vectors of %d, the teacher's have %d", b.Texts.Count, len(b.Vectors), b.Dimension, o.Dimension)
	}
	if o.Projection == objective.ProjectionNetwork && b.Texts.Count < 2 {
		return errors.New("mse: a batch of one sentence has no variance, which the batch norm of the projection needs: raise batch_size")
	}
	return nil
}
