//go:build libtorch

package torch

import (
	"errors"
	"fmt"
	"slices"

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
		return slices.Concat(
			[]parameter{{shape: shape{mseProjection + ".0.weight", []int64{d, h}}}}, // the norm has a bias
			normParameters(mseNorm, d),
			[]parameter{{shape: shape{mseProjection + ".1.weight", []int64{d, d}}}, {shape: shape{mseProjection + ".1.bias", []int64{d}}}},
		), nil
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
		x := s.float32(n.project(s, n.vectors(s, &batch.Texts, o.Pooling)))
		return s.squaredError(x, s.floats(batch.Vectors, int64(batch.Texts.Count), int64(batch.Dimension)))
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
