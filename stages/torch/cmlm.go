//go:build libtorch

package torch

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var cmlmLoss = define(objective.CMLMName, cmlmParameters, func(n network, o *objective.CMLM) func(*scope, *objective.CMLMBatch) *ts.Tensor {
	c := newCMLM(n, o)
	return func(s *scope, batch *objective.CMLMBatch) *ts.Tensor { return c.loss(s, batch, ownPrefix) }
})

// projectionName begins the names of the projection's parameters. skipName is the matrix
// through which the vectors beside outputs go into the head: it and the head's first one
// are the two parts of one matrix over both.
const (
	projectionName = "cmlm.projection."
	skipName       = "cmlm.skip.weight"
)

// cmlmParameters lists those of the head and of the projection.
func cmlmParameters(f *model.Folder, o *objective.CMLM) ([]parameter, error) {
	c := f.Config
	if o.PrefixPositions == "own" && o.Vectors+3 > c.MaxPositions {
		return nil, fmt.Errorf("cmlm: %d vectors with positions of their own leave no room in a model of %d positions", o.Vectors, c.MaxPositions)
	}
	list, err := headParameters(c, o.Unigrams)
	h := int64(c.HiddenSize)
	if o.Vectors > 1 {
		inputs := h
		for i := range len(o.Widths) + 1 {
			outputs := h * int64(o.Vectors-1)
			if i < len(o.Widths) {
				outputs = h * int64(o.Widths[i])
			}
			name := fmt.Sprint(projectionName, i)
			list = append(list, parameter{shape: shape{name + ".weight", []int64{outputs, inputs}}},
				parameter{shape: shape{name + ".bias", []int64{outputs}}})
			inputs = outputs
		}
	}
	if o.Skip {
		list = append(list, parameter{shape: shape{skipName, []int64{h, h * int64(o.Vectors)}}})
	}
	return list, err
}

// cmlm is the conditional masked language model (Yang et al. 2021, section 2):
// the vector of a first sentence becomes several, which stand before the masked
// second sentence in the same encoder.
type cmlm struct {
	network
	options    *objective.CMLM
	head       head
	projection []linear // the last has no ReLU
}

func newCMLM(n network, o *objective.CMLM) *cmlm {
	c := &cmlm{network: n, options: o, head: newHead(n)}
	for i := range len(o.Widths) + 1 {
		c.projection = append(c.projection, n.weights.linear(fmt.Sprint(projectionName, i)))
	}
	return c
}

// project returns N vectors for each sentence vector, [count, N, hidden]: the
// vector itself and those of the projection.
func (c *cmlm) project(s *scope, v *ts.Tensor, count, hidden int64) *ts.Tensor {
	first := s.reshape(v, count, 1, hidden)
	if c.options.Vectors == 1 {
		return first
	}
	x := v
	for i, l := range c.projection {
		if i > 0 {
			x = s.relu(x)
		}
		x = s.linear(x, l)
	}
	x = s.reshape(x, count, int64(c.options.Vectors-1), hidden)
	return s.concatenate(1, first, x)
}

// prefix says what stands before the second sentence.
type prefix int

const (
	ownPrefix prefix = iota
	// zeroPrefix are zeros, otherPrefix is the vector of another sentence of the
	// batch, in the same language where there is one: both tell what the model has of the first sentence.
	zeroPrefix
	otherPrefix
)

// loss returns the mean negative log likelihood of the masked tokens.
func (c *cmlm) loss(s *scope, batch *objective.CMLMBatch, variant prefix) *ts.Tensor {
	if s.err = checkCMLM(c.config, c.options, batch); s.err != nil {
		return nil
	}
	h, n, count := int64(c.config.HiddenSize), int64(c.options.Vectors), int64(batch.B.Count)
	v := c.sentences(s, &batch.A, model.Pooling(c.options.Pooling))
	if c.options.DetachVector && s.err == nil {
		v = s.keep(v.Detach(false))
	}
	projected := c.prefix(s, c.project(s, v, count, h), variant, batch.Others)
	vectors := c.vectors(s, projected)

	first := 0
	if c.options.PrefixPositions == "own" {
		first = c.options.Vectors
	}
	p := packAll(&batch.B, first)
	joined, order := p.after(c.options.Vectors)
	tokens := p.embed(s, c.bert)
	x := s.concatenate(0, s.like(s.reshape(vectors, count*n, h), tokens), tokens)
	x = s.arrange(x, s.arrangement(order, len(order)))
	rows := s.arrangement(joined.rows(&batch.B, batch.Positions), len(order))
	x = c.through(s, x, joined, &rows)
	if c.options.Skip {
		x = s.linear(x, c.head.transform)
		sentences := make([]int64, len(batch.Positions))
		for i, position := range batch.Positions {
			sentences[i] = int64(position) / int64(batch.B.Length)
		}
		shortcut := s.product(s.reshape(projected, count, n*h), s.transpose(c.weights.tensors[skipName], 0, 1))
		x = s.add(x, s.rows(shortcut, s.integers(sentences, int64(len(sentences)))))
		return c.head.transformed(s, s.gelu(x), batch.Targets)
	}
	return c.head.loss(s, x, batch.Targets)
}

// prefix returns the projected vectors, or what stands in their place.
func (c *cmlm) prefix(s *scope, x *ts.Tensor, variant prefix, indices []int32) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	switch variant {
	case zeroPrefix:
		return s.keep(x.ZerosLike(false))
	case otherPrefix:
		return s.rows(x, s.classes(indices))
	}
	return x
}

// vectors gives the projected vectors what the configuration wants them to have
// of token embeddings.
func (c *cmlm) vectors(s *scope, x *ts.Tensor) *ts.Tensor {
	switch c.options.PrefixPositions {
	case "own":
		x = s.add(x, s.narrow(c.positions, 0, 0, int64(c.options.Vectors)))
	case "shared":
		x = s.add(x, s.pick(c.positions, 0, 0))
	}
	if c.options.PrefixNorm {
		x = s.dropout(s.layerNorm(x, c.norm, c.config.LayerNormEpsilon), c.dropout)
	}
	return x
}

// PrefixLosses returns the loss of a CMLM batch as it is, with zeros in place of
// the vectors of the first sentences, and with those of other sentences of the
// batch: what the model knows of the first sentence is the difference.
func (t *Trainer) PrefixLosses(batch *objective.CMLMBatch) (original, zero, swapped float64, err error) {
	o, ok := t.config.Objectives[objective.CMLMName].(*objective.CMLM)
	if !ok {
		return 0, 0, 0, notMadeFor(objective.CMLMName)
	}
	if len(batch.Others) != batch.A.Count {
		return 0, 0, 0, fmt.Errorf("%d other sentences for %d pairs", len(batch.Others), batch.A.Count)
	}
	c := newCMLM(t.network, o)
	var losses [3]float64
	for variant := range losses {
		losses[variant], err = t.evaluate(func(s *scope) *ts.Tensor {
			defer begin()()
			return c.loss(s, batch, prefix(variant))
		}, nil)
		if err != nil {
			return 0, 0, 0, err
		}
	}
	return losses[ownPrefix], losses[zeroPrefix], losses[otherPrefix], nil
}
