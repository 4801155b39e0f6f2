//go:build libtorch

package transformer

import (
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// Names of the parameters of the head of a masked language model.
const (
	TransformName  = model.HeadName + "transform.dense"
	TransformNorm  = model.HeadName + "transform.LayerNorm"
	VocabularyBias = model.HeadName + "bias"
)

// HeadShapes lists the parameters of the head of a masked language model, whose
// matrix is that of the word embeddings; the bias is the last.
func HeadShapes(c model.Config) []Shape {
	h := int64(c.HiddenSize)
	list := append(pair(TransformName, !c.IsGated() || c.ClassifierBias, h, h), pair(TransformNorm, !c.IsGated() || c.NormBias, h)...)
	return append(list, Shape{VocabularyBias, []int64{int64(c.VocabularySize)}})
}

// Head predicts tokens from vectors.
type Head struct {
	Transform, norm native.Linear
	decoder         native.Linear
	epsilon         float64
	activation      string
}

// NewHead binds the head of an encoder to weights.
func NewHead(b *BERT, w *Weights) Head {
	return Head{
		w.Linear(TransformName),
		w.Linear(TransformNorm),
		native.Linear{Weight: b.Words, Bias: w.Tensors[VocabularyBias]},
		b.Config.LayerNormEpsilon,
		b.Config.HeadActivation(),
	}
}

// Loss returns the mean negative log likelihood of the targets, given the vectors of
// masked tokens, [targets, hidden].
func (h Head) Loss(s *native.Scope, x *ts.Tensor, targets []int32) *ts.Tensor {
	return h.Transformed(s, s.LinearActivated(x, h.Transform, h.activation), targets)
}

// Transformed is Loss, given what the head's first matrix and its activation have made of the vectors.
func (h Head) Transformed(s *native.Scope, x *ts.Tensor, targets []int32) *ts.Tensor {
	return s.CrossEntropy(s.Linear(s.LayerNorm(x, h.norm, h.epsilon), h.decoder), s.Classes(targets))
}
