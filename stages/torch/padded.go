//go:build libtorch

package torch

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// padded are sequences of one length with padding, as tensors of a scope.
type padded struct {
	count, length int64
	first         int64      // the position of the first token
	ids           *ts.Tensor // [count × length]
	// real is 1 for tokens and 0 for padding, [count, length, 1]; nil without padding.
	real *ts.Tensor
	// mask is 0 for tokens and -Inf for padding, [count, 1, 1, length]; nil without
	// padding.
	mask *ts.Tensor
	// lengths is [count, 1].
	lengths *ts.Tensor
}

// pad makes tensors of sequences. Positions count from first; prefix tokens
// without padding stand before every sequence in the mask.
func pad(s *scope, q *objective.Sequences, first, prefix int) *padded {
	p := &padded{count: int64(q.Count), length: int64(q.Length), first: int64(first)}
	ids := make([]int64, len(q.IDs))
	for i, id := range q.IDs {
		ids[i] = int64(id)
	}
	whole := true
	for _, l := range q.Lengths {
		whole = whole && int(l) == q.Length
	}
	p.ids = s.integers(ids, p.count*p.length)
	if whole {
		return p
	}
	width := prefix + q.Length
	real, mask, lengths := make([]float32, q.Count*q.Length), make([]float32, q.Count*width), make([]float32, q.Count)
	negative := float32(math.Inf(-1))
	for i, l := range q.Lengths {
		lengths[i] = float32(l)
		for k := range q.Length {
			if k < int(l) {
				real[i*q.Length+k] = 1
			} else {
				mask[i*width+prefix+k] = negative
			}
		}
	}
	p.real = s.floats(real, p.count, p.length, 1)
	p.mask = s.floats(mask, p.count, 1, 1, int64(width))
	p.lengths = s.floats(lengths, p.count, 1)
	return p
}

// embed returns the vectors of the tokens, [count × length, hidden], before the
// first layer. The positions are a slice of their table, spread over the sequences:
// to look them up one by one would cost more than the sum.
func (p *padded) embed(s *scope, b *bert) *ts.Tensor { return b.embed(s, p.ids, p.positions(s, b)) }

// positions returns the vectors of the positions of all tokens.
func (p *padded) positions(s *scope, b *bert) *ts.Tensor {
	return s.spread(s.narrow(b.positions, 0, p.first, p.length), p.count, p.length, int64(b.config.HiddenSize))
}

// layout is that of sequences of width tokens each.
func (p *padded) layout(width int64) layout {
	return layout{[]group{{p.count, width}}, p.mask}
}

// pool returns the vectors of the sequences, [count, hidden], from those of their
// tokens, [count × length, hidden].
func (p *padded) pool(s *scope, x *ts.Tensor, pooling model.Pooling, hidden int64) *ts.Tensor {
	x = s.reshape(x, p.count, p.length, hidden)
	switch {
	case pooling == model.CLS:
		return s.pick(x, 1, 0)
	case pooling == model.Max && p.real == nil:
		return s.maximum(x, 1)
	case pooling == model.Max:
		return s.maximum(s.add(x, s.reshape(p.mask, p.count, p.length, 1)), 1)
	case p.real == nil:
		return s.mean(x, 1)
	}
	return s.divide(s.sum(s.multiply(x, p.real), 1, false), p.lengths)
}

// sentences returns the vectors of whole sequences.
func (b *bert) sentences(s *scope, q *objective.Sequences, pooling model.Pooling) *ts.Tensor {
	p := pad(s, q, 0, 0)
	x := p.embed(s, b)
	for _, l := range b.layers {
		x = b.forward(s, l, x, p.layout(p.length))
	}
	return p.pool(s, x, pooling, int64(b.config.HiddenSize))
}
