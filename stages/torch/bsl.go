//go:build libtorch

package torch

import (
	"errors"
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var bslLoss = define(objective.BSLName, bslParameters, newBSL)

// Names of the predictor's layers, and what stands before the names of the target's
// weights.
const (
	bslPredictor = "bsl.predictor"
	bslTarget    = "bsl.target."
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

func bslParameters(f *model.Folder, o *objective.BSL) (list []parameter, err error) {
	for _, l := range predictorLayers(o, int64(f.Config.HiddenSize)) {
		list = append(list, parameter{shape: shape{l.name + ".weight", []int64{l.out, l.in}}})
		if l.norm { // it has a bias
			list = append(list, normParameters(l.name+".BatchNorm", l.out)...)
		} else {
			list = append(list, parameter{shape: shape{l.name + ".bias", []int64{l.out}}})
		}
	}
	if o.StopGradient {
		for _, s := range shapes(f.Config) {
			list = append(list, parameter{shape: shape{bslTarget + s.name, s.size}, follows: s.name, momentum: o.Momentum, shared: true})
		}
	}
	return list, nil
}

// newBSL is half of the negative cosine between what the predictor says of the one view
// and what the target says of the other one, in both directions, as a mean over the
// texts (Zhang et al. 2021, equations 1 and 2).
func newBSL(n network, o *objective.BSL) func(*scope, *objective.BSLBatch) *ts.Tensor {
	target := n.bert
	if o.StopGradient {
		target = newBERT(n.config, n.weights.below(bslTarget))
	}
	layers := predictorLayers(o, int64(n.config.HiddenSize))
	pooling := model.Pooling(o.Pooling)
	return func(s *scope, batch *objective.BSLBatch) *ts.Tensor {
		if s.err = checkSides(n.config, &batch.A, &batch.B, batch.A.Count); s.err == nil && batch.A.Count < 2 && len(layers) > 0 {
			s.err = errors.New("bsl: a batch of one text has no variance, which the batch norm of the predictor needs: raise batch_size")
		}
		if s.err != nil {
			return nil
		}
		if o.StopGradient {
			target.dropout, target.attentionDropout = 0, 0
			if o.TargetDropout {
				target.dropout, target.attentionDropout = n.dropout, n.attentionDropout
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
			h := n.prefix(s, knownVectors{bslTarget, q}, func() *ts.Tensor { return target.sentences(s, q, pooling) })
			return s.mean(s.float32(s.cosines(z, h)), 0)
		}
		first := towards(predict(&batch.A), &batch.B)
		second := towards(predict(&batch.B), &batch.A)
		return s.scale(s.add(first, second), -.5)
	}
}

// predictor sends vectors through a layer.
func (n network) predictor(s *scope, l predictorLayer, x *ts.Tensor) *ts.Tensor {
	if l.norm {
		x = s.batchNorm(s.product(x, s.transpose(n.weights.tensors[l.name+".weight"], 0, 1)), n.weights, l.name+".BatchNorm")
	} else {
		x = s.linear(x, n.weights.linear(l.name))
	}
	if l.re {
		x = s.relu(x)
	}
	return x
}
