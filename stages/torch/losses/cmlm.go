//go:build libtorch

package losses

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var cmlmLoss = define(
	objective.CMLMName,
	cmlmParameters,
	func(n Network, o *objective.CMLM) func(*native.Scope, *objective.CMLMBatch) *ts.Tensor {
		c := newCMLM(n, o)
		return func(s *native.Scope, batch *objective.CMLMBatch) *ts.Tensor { return c.loss(s, batch, ownPrefix) }
	},
)

// ProjectionName begins the names of the projection's parameters. skipName is the matrix
// through which the vectors beside outputs go into the head: it and the head's first one
// are the two parts of one matrix over both.
const (
	ProjectionName = "cmlm.projection."
	skipName       = "cmlm.skip.weight"
)

// cmlmParameters lists those of the head and of the projection.
func cmlmParameters(f *model.Folder, o *objective.CMLM) ([]Parameter, error) {
	c := f.Config
	if o.PrefixPositions == "own" && o.Vectors+3 > c.MaxTokens() {
		return nil, fmt.Errorf(
			"cmlm: %d vectors with positions of their own leave no room in a model of %d positions",
			o.Vectors,
			c.MaxTokens(),
		)
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
			name := fmt.Sprint(ProjectionName, i)
			list = append(list, layerParameters(name, outputs, inputs)...)
			inputs = outputs
		}
	}
	if o.Skip {
		list = append(list, single(skipName, h, h*int64(o.Vectors)))
	}
	return list, err
}

// cmlm is the conditional masked language model (Yang et al. 2021, section 2):
// the vector of a first sentence becomes several, which come before the masked
// second sentence in the same encoder.
type cmlm struct {
	Network
	options    *objective.CMLM
	head       transformer.Head
	projection []native.Linear // the last has no ReLU
}

func newCMLM(n Network, o *objective.CMLM) *cmlm {
	c := &cmlm{Network: n, options: o, head: transformer.NewHead(n.BERT, n.Weights)}
	for i := range len(o.Widths) + 1 {
		c.projection = append(c.projection, n.Weights.Linear(fmt.Sprint(ProjectionName, i)))
	}
	return c
}

// project returns N vectors for each sentence vector, [count, N, hidden]: the
// vector itself and those of the projection.
func (c *cmlm) project(s *native.Scope, v *ts.Tensor, count, hidden int64) *ts.Tensor {
	first := s.Reshape(v, count, 1, hidden)
	if c.options.Vectors == 1 {
		return first
	}
	x := v
	for i, l := range c.projection {
		if i > 0 {
			x = s.ReLU(x)
		}
		x = s.Linear(x, l)
	}
	x = s.Reshape(x, count, int64(c.options.Vectors-1), hidden)
	return s.Concatenate(1, first, x)
}

// prefix says what comes before the second sentence.
type prefix int

const (
	ownPrefix prefix = iota
	// zeroPrefix are zeros, otherPrefix is the vector of another sentence of the
	// batch, in the same language where there is one: both tell what the model has of the first sentence.
	zeroPrefix
	otherPrefix
)

// loss returns the mean negative log likelihood of the masked tokens.
func (c *cmlm) loss(s *native.Scope, batch *objective.CMLMBatch, variant prefix) *ts.Tensor {
	if s.Err = checkCMLM(c.Config, c.options, batch); s.Err != nil {
		return nil
	}
	h, n, count := int64(c.Config.HiddenSize), int64(c.options.Vectors), int64(batch.B.Count)
	v := c.sentences(s, &batch.A, model.Pooling(c.options.Pooling))
	if c.options.DetachVector && s.Err == nil {
		v = s.Keep(v.Detach(false))
	}
	projected := c.prefix(s, c.project(s, v, count, h), variant, batch.Others)
	vectors := c.vectors(s, projected)

	first := 0
	if c.options.PrefixPositions == "own" {
		first = c.options.Vectors
	}
	p := transformer.PackAll(&batch.B, first)
	joined, order := p.After(c.options.Vectors)
	tokens := c.Embed(s, p)
	x := s.Concatenate(0, s.Like(s.Reshape(vectors, count*n, h), tokens), tokens)
	x = s.Arrange(x, s.Arrangement(order, len(order)))
	rows := s.Arrangement(joined.Rows(&batch.B, batch.Positions), len(order))
	x = c.Through(s, x, joined, &rows)
	if c.options.Skip {
		x = s.Linear(x, c.head.Transform)
		sentences := make([]int64, len(batch.Positions))
		for i, position := range batch.Positions {
			sentences[i] = int64(position) / int64(batch.B.Length)
		}
		shortcut := s.Product(s.Reshape(projected, count, n*h), s.Transpose(c.Weights.Tensors[skipName], 0, 1))
		x = s.Add(x, s.Rows(shortcut, s.Integers(sentences, int64(len(sentences)))))
		return c.head.Transformed(s, s.Activate(x, c.Config.HeadActivation()), batch.Targets)
	}
	return c.head.Loss(s, x, batch.Targets)
}

// prefix returns the projected vectors, or what is in their place.
func (c *cmlm) prefix(s *native.Scope, x *ts.Tensor, variant prefix, indices []int32) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	switch variant {
	case zeroPrefix:
		return s.Keep(x.ZerosLike(false))
	case otherPrefix:
		return s.Rows(x, s.Classes(indices))
	}
	return x
}

// vectors gives the projected vectors what the configuration wants them to have
// of token embeddings.
func (c *cmlm) vectors(s *native.Scope, x *ts.Tensor) *ts.Tensor {
	first := int64(c.Config.FirstPosition())
	switch {
	case c.Positions == nil: // attention has them of the list
	case c.options.PrefixPositions == "own":
		x = s.Add(x, s.Narrow(c.Positions, 0, first, int64(c.options.Vectors)))
	case c.options.PrefixPositions == "shared":
		x = s.Add(x, s.Pick(c.Positions, 0, first))
	}
	if c.options.PrefixNorm {
		x = s.Dropout(s.LayerNorm(x, c.Norm, c.Config.LayerNormEpsilon), nil, c.Dropouts.Embeddings)
	}
	return x
}

// LossesWithPrefixes are the loss of a batch as it is, with zeros in place of the vectors of the first
// sentences, and with those of other sentences of the batch.
func LossesWithPrefixes(n Network, o *objective.CMLM, batch *objective.CMLMBatch) (losses [3]func(*native.Scope) *ts.Tensor) {
	c := newCMLM(n, o)
	for variant := range losses {
		losses[variant] = func(s *native.Scope) *ts.Tensor { return c.loss(s, batch, prefix(variant)) }
	}
	return losses
}
