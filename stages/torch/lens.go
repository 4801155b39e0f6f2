//go:build libtorch

package torch

import (
	"fmt"
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/schemas"
	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var lensLoss = define(objective.LensName, lensParameters, newLens)

// lensClassifier begins the names of the classifier's layers.
const lensClassifier = "lens_classifier"

// gateOf is the GatedConv of an objective as a folder has it.
func gateOf(o *objective.Lens) model.GatedConv {
	if o.Gate == 0 {
		return model.GatedConv{}
	}
	return model.GatedConv{Size: o.Gate, Layers: o.Layers, Width: o.Width, Skip: o.Skip}
}

func lensParameters(f *model.Folder, o *objective.Lens) (list []parameter, err error) {
	for _, s := range lensShapes(f.Config, o.Size, gateOf(o)) {
		list = append(list, parameter{shape: s, shared: true})
	}
	if o.Head == objective.LensClassifier {
		size, hidden, classes := int64(4*o.Size), int64(o.Hidden), int64(len(schemas.Labels()))
		if len(o.Dimensions) > 0 { // the folder has the size of one of them
			size = int64(4 * f.Config.HiddenSize)
		}
		list = append(list,
			parameter{shape: shape{lensClassifier + ".0.weight", []int64{hidden, size}}}, parameter{shape: shape{lensClassifier + ".0.bias", []int64{hidden}}},
			parameter{shape: shape{lensClassifier + ".1.weight", []int64{classes, hidden}}}, parameter{shape: shape{lensClassifier + ".1.bias", []int64{classes}}})
	}
	return list, nil
}

// newLens trains a lens by the classes of inference, or by the margin to the hardest other
// sentence of the batch, in both directions and summed (Kiros 2020, section 3; Faghri et al.
// 2018, equation 6). Excluded candidates count in neither.
func newLens(n network, o *objective.Lens) func(*scope, *objective.LensBatch) *ts.Tensor {
	frozen := newBERT(n.config, n.weights) // which never has dropout
	lens := newLensLayers(n.weights, gateOf(o))
	encode := func(s *scope, q *objective.Sequences, states []float32) *ts.Tensor {
		p := packAll(q, 0)
		var x *ts.Tensor
		if states != nil {
			x = s.floats(p.states(q, states, n.config.HiddenSize), int64(len(p.ids)), int64(n.config.HiddenSize))
		} else {
			x = frozen.through(s, p.embed(s, frozen), p, nil)
		}
		if n.trains {
			x = s.dropout(x, o.Dropout)
		}
		return p.pool(s, lens.values(s, x, p.groups), model.Lens)
	}
	sentences := func(s *scope, q *objective.Sequences, states []float32) *ts.Tensor {
		return n.prefix(s, knownVectors{lensName, q}, func() *ts.Tensor { return encode(s, q, states) })
	}
	return func(s *scope, batch *objective.LensBatch) *ts.Tensor {
		if s.err = checkLens(n.config, o, batch); s.err != nil {
			return nil
		}
		u, v := sentences(s, &batch.A, batch.StatesA), sentences(s, &batch.B, batch.StatesB)
		if o.Head == objective.LensRanker {
			return ranked(s, u, v, batch.Excluded, o.Margin)
		}
		features := s.concatenate(1, u, v, s.multiply(u, v), s.absolute(s.subtract(u, v)))
		hidden := s.relu(s.linear(features, n.weights.linear(lensClassifier+".0")))
		return s.crossEntropy(s.linear(hidden, n.weights.linear(lensClassifier+".1")), s.classes(batch.Labels))
	}
}

// ranked is the sum over both sides of max(0, margin + the cosine of the hardest other one −
// that of the own one).
func ranked(s *scope, u, v *ts.Tensor, excluded []bool, margin float64) *ts.Tensor {
	u, v = s.normalize(u), s.normalize(v)
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
	negatives := s.add(s.product(u, s.transpose(v, 0, 1)), s.floats(offsets, size, size))
	positives := s.subtract(s.float32(s.sum(s.multiply(u, v), 1, false)), s.floats(margins, size))
	loss := func(dimension int64) *ts.Tensor {
		return s.sum(s.relu(s.subtract(s.maximum(negatives, dimension), positives)), 0, false)
	}
	return s.add(loss(1), loss(0))
}

// states are the vectors of the tokens of the list, given those of padded sequences.
func (p packed) states(q *objective.Sequences, padded []float32, size int) []float32 {
	list := make([]float32, len(p.ids)*size)
	for i, start := range p.starts {
		copy(list[int(start)*size:], padded[i*q.Length*size:][:int(q.Lengths[i])*size])
	}
	return list
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
