//go:build libtorch

package torch

import (
	"fmt"
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// Names of the parameters of the head of a masked language model.
const (
	transformName  = model.HeadName + "transform.dense"
	transformNorm  = model.HeadName + "transform.LayerNorm"
	vocabularyBias = model.HeadName + "bias"
)

// headShapes lists the parameters of the head of a masked language model, whose
// matrix is that of the word embeddings; the bias is the last.
func headShapes(c model.Config) []shape {
	h := int64(c.HiddenSize)
	return []shape{
		{transformName + ".weight", []int64{h, h}}, {transformName + ".bias", []int64{h}},
		{transformNorm + ".weight", []int64{h}}, {transformNorm + ".bias", []int64{h}},
		{vocabularyBias, []int64{int64(c.VocabularySize)}},
	}
}

// headParameters lists them for training. The bias begins with the logarithms of the
// frequencies of ids, if they are given.
func headParameters(c model.Config, unigrams []int64) (list []parameter, err error) {
	for _, s := range headShapes(c) {
		list = append(list, parameter{shape: s})
	}
	if unigrams != nil {
		if len(unigrams) != c.VocabularySize {
			return nil, fmt.Errorf("counts of %d ids for a vocabulary of %d", len(unigrams), c.VocabularySize)
		}
		list[len(list)-1].initial = logUnigrams(unigrams)
	}
	return list, nil
}

// logUnigrams returns the logarithms of smoothed frequencies.
func logUnigrams(counts []int64) []float32 {
	total := 0.
	for _, n := range counts {
		total += float64(n) + 1
	}
	logs := make([]float32, len(counts))
	for i, n := range counts {
		logs[i] = float32(math.Log((float64(n) + 1) / total))
	}
	return logs
}

// head predicts tokens from vectors.
type head struct {
	transform, norm linear
	decoder         linear
	epsilon         float64
}

func newHead(n network) head {
	return head{n.weights.linear(transformName), n.weights.linear(transformNorm), linear{n.words, n.weights.tensors[vocabularyBias]}, n.config.LayerNormEpsilon}
}

// loss returns the mean negative log likelihood of the targets, given the vectors of
// masked tokens, [targets, hidden].
func (h head) loss(s *scope, x *ts.Tensor, targets []int32) *ts.Tensor {
	return h.transformed(s, s.linearGELU(x, h.transform), targets)
}

// transformed is loss, given what the head's first matrix and its GELU have made of the vectors.
func (h head) transformed(s *scope, x *ts.Tensor, targets []int32) *ts.Tensor {
	x = s.layerNorm(x, h.norm, h.epsilon)
	ids := make([]int64, len(targets))
	for i, id := range targets {
		ids[i] = int64(id)
	}
	return s.crossEntropy(s.linear(x, h.decoder), s.integers(ids, int64(len(ids))))
}
