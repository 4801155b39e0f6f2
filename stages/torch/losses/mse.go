//go:build libtorch

package losses

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var mseLoss = define(objective.MSEName, mseParameters, newMSE)

// Names of the projection's parameters. The network has two matrices, with batch norm
// between them.
const (
	MSEProjection = "mse.projection"
	MSENorm       = MSEProjection + ".BatchNorm"
)

func mseParameters(f *model.Folder, o *objective.MSE) ([]Parameter, error) {
	h, d := int64(f.Config.HiddenSize), int64(o.Dimension)
	if d < 1 {
		return nil, errors.New("mse: the teacher's vectors have no size: the configuration is not prepared")
	}
	switch {
	case o.Projection == objective.ProjectionNetwork:
		first := single(MSEProjection+".0.weight", d, h) // the norm has a bias
		return slices.Concat([]Parameter{first}, normParameters(MSENorm, d), layerParameters(MSEProjection+".1", d, d)), nil
	case o.Projection == objective.ProjectionLinear, h != d:
		return layerParameters(MSEProjection, d, h), nil
	}
	return nil, nil
}

// newMSE is the mean over all numbers of the squared differences between the student's
// vectors, as they are encoded and then projected, and the teacher's (Reimers and
// Gurevych 2020, equation 1).
func newMSE(n Network, o *objective.MSE) func(*native.Scope, *objective.MSEBatch) *ts.Tensor {
	return func(s *native.Scope, batch *objective.MSEBatch) *ts.Tensor {
		if s.Err = checkMSE(n.Config, o, batch); s.Err != nil {
			return nil
		}
		x := s.Float32(n.project(s, n.vectors(s, &batch.Texts, o.Pooling)))
		return s.SquaredError(x, s.Floats(batch.Vectors, int64(batch.Texts.Count), int64(batch.Dimension)))
	}
}

// project sends vectors through the projection that there is.
func (n Network) project(s *native.Scope, x *ts.Tensor) *ts.Tensor {
	if n.Weights.Tensors[MSEProjection+".weight"] != nil {
		return s.Linear(x, n.Weights.Linear(MSEProjection))
	}
	first := n.Weights.Tensors[MSEProjection+".0.weight"]
	if first == nil {
		return x
	}
	x = batchNorm(s, s.Product(x, s.Transpose(first, 0, 1)), n.Weights, MSENorm)
	return s.Linear(s.ReLU(x), n.Weights.Linear(MSEProjection+".1"))
}

func checkMSE(c model.Config, o *objective.MSE, b *objective.MSEBatch) error {
	if err := checkSequences(c, "the batch", &b.Texts, 0); err != nil {
		return err
	}
	if b.Dimension != o.Dimension || len(b.Vectors) != b.Texts.Count*b.Dimension {
		return fmt.Errorf(
			"%d sentences with %d numbers of vectors of %d, the teacher's have %d",
			b.Texts.Count,
			len(b.Vectors),
			b.Dimension,
			o.Dimension,
		)
	}
	if o.Projection == objective.ProjectionNetwork && b.Texts.Count < 2 {
		return errors.New("mse: a batch of one sentence has no variance, which the batch norm of the projection needs: raise batch_size")
	}
	return nil
}
