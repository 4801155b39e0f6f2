//go:build libtorch

package losses

import (
	"errors"
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var bslLoss = define(objective.BSLName, bslParameters, newBSL)

// Names of the predictor's layers, and what comes before the names of the target's
// weights.
const (
	bslPredictor = "bsl.predictor"
	BSLTarget    = "bsl.target."
)

// predictorLayer is a layer of a predictor: linear, then perhaps batch norm and ReLU.
type predictorLayer struct {
	name     string
	in, out  int64
	norm, re bool
}

// predictorLayers lists those of a predictor of vectors of a size.
func predictorLayers(o *objective.BSL, size int64) (list []predictorLayer) {
	networks, wide := 1, size*int64(o.Width)
	switch o.Predictor {
	case objective.PredictorNone:
		return nil
	case objective.PredictorRelease:
		networks = 3
	}
	for i := range networks {
		name := func(k int) string { return fmt.Sprintf("%s.%d.%d", bslPredictor, i, k) }
		list = append(list,
			predictorLayer{name(0), size, wide, true, true},
			predictorLayer{name(1), wide, wide, o.Predictor == objective.PredictorPaper, true},
			predictorLayer{name(2), wide, size, false, false})
	}
	return list
}

func bslParameters(f *model.Folder, o *objective.BSL) (list []Parameter, err error) {
	for _, l := range predictorLayers(o, int64(f.Config.HiddenSize)) {
		if l.norm { // it has a bias
			list = append(append(list, single(l.name+".weight", l.out, l.in)), normParameters(l.name+".BatchNorm", l.out)...)
		} else {
			list = append(list, layerParameters(l.name, l.out, l.in)...)
		}
	}
	if o.StopGradient {
		for _, s := range transformer.Shapes(f.Config) {
			list = append(list, followerOf(s, o.Momentum))
		}
	}
	return list, nil
}

// followerOf is a parameter of the target, one for all prefixes of vectors.
func followerOf(s transformer.Shape, momentum float64) Parameter {
	p := single(BSLTarget+s.Name, s.Size...)
	p.Follows, p.Momentum, p.shared = s.Name, momentum, true
	return p
}

// newBSL is half of the negative cosine between what the predictor says of the one view
// and what the target says of the other one, in both directions, as a mean over the
// texts (Zhang et al. 2021, equations 1 and 2).
func newBSL(n Network, o *objective.BSL) func(*native.Scope, *objective.BSLBatch) *ts.Tensor {
	target := n.BERT
	if o.StopGradient {
		target = transformer.NewBERT(n.Config, n.Weights.Below(BSLTarget))
	}
	layers := predictorLayers(o, int64(n.Config.HiddenSize))
	pooling := model.Pooling(o.Pooling)
	return func(s *native.Scope, batch *objective.BSLBatch) *ts.Tensor {
		if s.Err = checkSides(n.Config, &batch.A, &batch.B, batch.A.Count); s.Err == nil && batch.A.Count < 2 && len(layers) > 0 {
			s.Err = errors.New("bsl: a batch of one text has no variance, which the batch norm of the predictor needs: raise batch_size")
		}
		if s.Err != nil {
			return nil
		}
		if o.StopGradient {
			target.Dropouts = transformer.Dropouts{}
			if o.TargetDropout {
				target.Dropouts = n.Dropouts
			}
		}
		predict := func(q *objective.Sequences) *ts.Tensor {
			x := n.sentences(s, q, pooling)
			for _, l := range layers {
				x = n.predictor(s, l, x)
			}
			return x
		}
		towards := func(z *ts.Tensor, q *objective.Sequences) *ts.Tensor {
			h := n.prefix(s, knownVectors{BSLTarget, q}, func() *ts.Tensor { return n.encode(s, target, q, pooling) })
			return s.Mean(s.Float32(s.Cosines(z, h)), 0)
		}
		first := towards(predict(&batch.A), &batch.B)
		second := towards(predict(&batch.B), &batch.A)
		return s.Scale(s.Add(first, second), -.5)
	}
}

// predictor sends vectors through a layer.
func (n Network) predictor(s *native.Scope, l predictorLayer, x *ts.Tensor) *ts.Tensor {
	if l.norm {
		x = batchNorm(s, s.Product(x, s.Transpose(n.Weights.Tensors[l.name+".weight"], 0, 1)), n.Weights, l.name+".BatchNorm")
	} else {
		x = s.Linear(x, n.Weights.Linear(l.name))
	}
	if l.re {
		x = s.ReLU(x)
	}
	return x
}
