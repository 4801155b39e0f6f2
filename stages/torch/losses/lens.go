//go:build libtorch

package losses

import (
	"fmt"
	"math"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/schemas"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var lensLoss = define(objective.LensName, lensParameters, newLens)

// lensClassifier begins the names of the classifier's layers.
const lensClassifier = "lens_classifier"

// GateOf is the GatedConv of an objective as a folder has it.
func GateOf(o *objective.Lens) model.GatedConv {
	if o.Gate == 0 {
		return model.GatedConv{}
	}
	return model.GatedConv{Size: o.Gate, Layers: o.Layers, Width: o.Width, Skip: o.Skip}
}

func lensParameters(f *model.Folder, o *objective.Lens) (list []Parameter, err error) {
	for _, s := range transformer.LensShapes(f.Config, o.Size, GateOf(o)) {
		list = append(list, Parameter{Shape: s, shared: true})
	}
	if o.Head == objective.LensClassifier {
		size, hidden, classes := int64(4*o.Size), int64(o.Hidden), int64(len(schemas.Labels()))
		if len(o.Dimensions) > 0 { // the folder has the size of one of them
			size = int64(4 * f.Config.HiddenSize)
		}
		list = slices.Concat(list, layerParameters(lensClassifier+".0", hidden, size),
			layerParameters(lensClassifier+".1", classes, hidden))
	}
	return list, nil
}

// newLens trains a lens by the classes of inference, or by the margin to the hardest other
// sentence of the batch, in both directions and summed (Kiros 2020, section 3; Faghri et al.
// 2018, equation 6). Excluded candidates count in neither.
func newLens(n Network, o *objective.Lens) func(*native.Scope, *objective.LensBatch) *ts.Tensor {
	frozen := transformer.NewBERT(n.Config, n.Weights) // which never has dropout
	lens := transformer.NewLensLayers(n.Weights, GateOf(o))
	encode := func(s *native.Scope, q *objective.Sequences, states []float32) *ts.Tensor {
		return n.Cache.vectors(s, q, func(s *native.Scope, p transformer.Packed) *ts.Tensor {
			var x *ts.Tensor
			if states != nil {
				x = s.Floats(p.States(q, states, n.Config.HiddenSize), int64(len(p.IDs)), int64(n.Config.HiddenSize))
			} else {
				x = frozen.Through(s, frozen.Embed(s, p), p, nil)
			}
			if n.Trains {
				x = s.Dropout(x, p.Keys(s, o.Dropout), o.Dropout)
			}
			return s.Pool(lens.Values(s, x, p.Groups), p.Groups, model.Lens, 0)
		})
	}
	sentences := func(s *native.Scope, q *objective.Sequences, states []float32) *ts.Tensor {
		return n.prefix(s, knownVectors{transformer.LensName, q}, func() *ts.Tensor { return encode(s, q, states) })
	}
	return func(s *native.Scope, batch *objective.LensBatch) *ts.Tensor {
		if s.Err = checkLens(n.Config, o, batch); s.Err != nil {
			return nil
		}
		u, v := sentences(s, &batch.A, batch.StatesA), sentences(s, &batch.B, batch.StatesB)
		if o.Head == objective.LensRanker {
			return ranked(s, u, v, batch.Excluded, o.Margin)
		}
		features := s.Concatenate(1, u, v, s.Multiply(u, v), s.Absolute(s.Subtract(u, v)))
		hidden := s.ReLU(s.Linear(features, n.Weights.Linear(lensClassifier+".0")))
		return s.CrossEntropy(s.Linear(hidden, n.Weights.Linear(lensClassifier+".1")), s.Classes(batch.Labels))
	}
}

// ranked is the sum over both sides of max(0, margin + the cosine of the hardest other one −
// that of the own one).
func ranked(s *native.Scope, u, v *ts.Tensor, excluded []bool, margin float64) *ts.Tensor {
	u, v = s.Normalize(u), s.Normalize(v)
	n := int(math.Round(math.Sqrt(float64(len(excluded)))))
	offsets, margins := make([]float32, n*n), make([]float32, n)
	for i := range n {
		margins[i] = float32(margin)
		for j := range n {
			if i == j || excluded[i*n+j] {
				offsets[i*n+j] = float32(math.Inf(-1))
			}
		}
	}
	size := int64(n)
	negatives := s.Add(s.Product(u, s.Transpose(v, 0, 1)), s.Floats(offsets, size, size))
	positives := s.Subtract(s.Float32(s.Sum(s.Multiply(u, v), 1, false)), s.Floats(margins, size))
	loss := func(dimension int64) *ts.Tensor {
		return s.Sum(s.ReLU(s.Subtract(s.Maximum(negatives, dimension), positives)), 0, false)
	}
	return s.Add(loss(1), loss(0))
}

func checkLens(c model.Config, o *objective.Lens, b *objective.LensBatch) error {
	for _, side := range []struct {
		texts  objective.Sequences
		states []float32
	}{{b.A, b.StatesA}, {b.B, b.StatesB}} {
		if want := len(side.texts.IDs) * c.HiddenSize; side.states != nil && len(side.states) != want {
			return fmt.Errorf("the vectors of the tokens have %d numbers, want %d", len(side.states), want)
		}
	}
	if o.Head == objective.LensRanker {
		return checkBitext(c, &b.BitextBatch)
	}
	return checkNLI(c, &objective.NLIBatch{A: b.A, B: b.B, Labels: b.Labels})
}
