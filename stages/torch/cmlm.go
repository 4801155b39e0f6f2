//go:build libtorch

package torch

import (
	"fmt"
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Names of the parameters beside the encoder.
const (
	transformName  = model.HeadName + "transform.dense"
	transformNorm  = model.HeadName + "transform.LayerNorm"
	vocabularyBias = model.HeadName + "bias"
	projectionName = "cmlm.projection."
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

// cmlm is the conditional masked language model (Yang et al. 2021, section 2):
// the vector of a first sentence becomes several, which stand before the masked
// second sentence in the same encoder.
type cmlm struct {
	config     objective.CMLM
	bert       *bert
	projection [3]linear
	transform  linear
	norm       linear
	bias       *ts.Tensor
}

// cmlmShapes lists the parameters of the heads.
func cmlmShapes(c model.Config, o objective.CMLM) []shape {
	h := int64(c.HiddenSize)
	list := headShapes(c)
	if o.Vectors > 1 {
		sizes := []int64{h, h * int64(o.Widths[0]), h * int64(o.Widths[1]), h * int64(o.Vectors-1)}
		for i := range 3 {
			name := fmt.Sprint(projectionName, i)
			list = append(list, shape{name + ".weight", []int64{sizes[i+1], sizes[i]}}, shape{name + ".bias", []int64{sizes[i+1]}})
		}
	}
	return list
}

func newCMLM(o objective.CMLM, b *bert, w *weights) *cmlm {
	c := &cmlm{config: o, bert: b, transform: w.linear(transformName), norm: w.linear(transformNorm), bias: w.tensors[vocabularyBias]}
	for i := range c.projection {
		c.projection[i] = w.linear(fmt.Sprint(projectionName, i))
	}
	return c
}

// project returns N vectors for each sentence vector, [count, N, hidden]: the
// vector itself and those of the projection.
func (c *cmlm) project(s *scope, v *ts.Tensor, count, hidden int64) *ts.Tensor {
	first := s.reshape(v, count, 1, hidden)
	if c.config.Vectors == 1 {
		return first
	}
	x := s.relu(s.linear(v, c.projection[0]))
	x = s.relu(s.linear(x, c.projection[1]))
	x = s.reshape(s.linear(x, c.projection[2]), count, int64(c.config.Vectors-1), hidden)
	return s.concatenate(1, first, x)
}

// prefix says what stands before the second sentence.
type prefix int

const (
	ownPrefix prefix = iota
	// zeroPrefix are zeros, otherPrefix is the vector of another sentence of the
	// batch: both tell what the model has of the first sentence.
	zeroPrefix
	otherPrefix
)

// loss returns the mean negative log likelihood of the masked tokens.
func (c *cmlm) loss(s *scope, batch *objective.CMLMBatch, with prefix) *ts.Tensor {
	h, n, count := int64(c.bert.config.HiddenSize), int64(c.config.Vectors), int64(batch.B.Count)
	v := c.bert.sentences(s, &batch.A, model.Pooling(c.config.Pooling))
	if c.config.DetachVector && s.err == nil {
		v = s.keep(v.Detach(false))
	}
	vectors := c.vectors(s, c.project(s, v, count, h), with)

	first := 0
	if c.config.PrefixPositions == "own" {
		first = c.config.Vectors
	}
	p := pad(s, &batch.B, first, c.config.Vectors)
	tokens := s.reshape(p.embed(s, c.bert), count, p.length, h)
	width := n + p.length
	x := s.reshape(s.concatenate(1, vectors, tokens), count*width, h)
	for _, l := range c.bert.layers {
		x = c.bert.forward(s, l, x, p.layout(width))
	}
	positions, targets := make([]int64, len(batch.Positions)), make([]int64, len(batch.Targets))
	for i, at := range batch.Positions {
		row := int64(at) / p.length
		positions[i] = row*width + n + int64(at)%p.length
		targets[i] = int64(batch.Targets[i])
	}
	x = s.rows(x, s.integers(positions, int64(len(positions))))
	x = s.layerNorm(s.gelu(s.linear(x, c.transform)), c.norm, c.bert.config.LayerNormEpsilon)
	logits := s.linear(x, linear{c.bert.words, c.bias})
	return s.crossEntropy(logits, s.integers(targets, int64(len(targets))))
}

// vectors gives the projected vectors what the configuration wants them to have
// of token embeddings.
func (c *cmlm) vectors(s *scope, x *ts.Tensor, with prefix) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	switch with {
	case zeroPrefix:
		x = s.keep(x.ZerosLike(false))
	case otherPrefix:
		x = s.keep(x.Roll([]int64{1}, []int64{0}, false))
	}
	switch c.config.PrefixPositions {
	case "own":
		x = s.add(x, s.narrow(c.bert.positions, 0, 0, int64(c.config.Vectors)))
	case "shared":
		x = s.add(x, s.pick(c.bert.positions, 0, 0))
	}
	if c.config.PrefixNorm {
		x = s.dropout(s.layerNorm(x, c.bert.norm, c.bert.config.LayerNormEpsilon), c.bert.dropout)
	}
	return x
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
