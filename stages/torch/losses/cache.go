//go:build libtorch

package losses

import (
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// Cache has the vectors of sequences computed a chunk at a time, and their gradients sent back likewise (gradient caching, Gao
// et al. 2021, section 3.2): first the vectors, of which nothing else is kept, then, when a loss has given them gradients,
// each chunk again, with the same dropout. So memory is that of a chunk, of the vectors and of the loss, and the time
// that of one more way forward. A nil Cache leaves batches whole.
type Cache struct {
	// Chunk is how many sequences are computed together.
	Chunk int
	parts []cachedPart
}

// cachedPart are the sequences of one side of a batch.
type cachedPart struct {
	chunks  []transformer.Packed
	encode  encoding
	vectors *ts.Tensor // of the scope of the loss
	drawn   uint64     // draws of dropout before
}

// encoding returns the vectors of the sequences of a list, in its order.
type encoding func(*native.Scope, transformer.Packed) *ts.Tensor

// vectors returns the vectors of sequences in the order of the batch.
func (c *Cache) vectors(s *native.Scope, q *objective.Sequences, encode encoding) *ts.Tensor {
	all := transformer.PackAll(q, 0)
	if c == nil || s.Err != nil {
		return all.Arranged(s, encode(s, all))
	}
	part := cachedPart{chunks: all.Chunks(c.Chunk), encode: encode, drawn: native.Drawn()}
	defer native.WithoutGradients()()
	var pieces native.Scope
	defer pieces.Free()
	var list []*ts.Tensor
	for i, p := range part.chunks {
		var inner native.Scope
		native.Redraw(part.drawn, i)
		y := encode(&inner, p)
		if pieces.Err = inner.Err; pieces.Err == nil {
			list = append(list, pieces.Keep(inner.Take(y), nil))
		}
		inner.Free()
		if pieces.Err != nil {
			break
		}
	}
	native.Redraw(native.Drawn(), 0)
	part.vectors = all.Arranged(&pieces, pieces.Concatenate(0, list...))
	if s.Err = pieces.Err; s.Err == nil {
		s.Err = native.RequireGradient(part.vectors)
	}
	if s.Err != nil {
		return nil
	}
	c.parts = append(c.parts, part)
	return s.Keep(pieces.Take(part.vectors), nil)
}

// Forget drops what a loss has left, whose scope is freed.
func (c *Cache) Forget() {
	if c != nil {
		c.parts = nil
	}
}

// Replay sends the gradients of the vectors, which the loss of a scope has given them, through what the vectors were
// made by. It frees the scope.
func (c *Cache) Replay(loss *native.Scope) error {
	if c == nil {
		return nil
	}
	var gradients native.Scope
	defer gradients.Free()
	var list []*ts.Tensor
	for _, part := range c.parts {
		list = append(list, gradients.Gradient(part.vectors))
	}
	if gradients.Err != nil {
		return gradients.Err
	}
	loss.Free()
	for k, part := range c.parts {
		for i, p := range part.chunks {
			native.Redraw(part.drawn, i)
			if more, err := part.replay(p, list[k]); err != nil {
				return err
			} else if !more {
				break
			}
		}
	}
	return nil
}

// replay sends gradients through a chunk. More says whether there is something that they change.
func (part cachedPart) replay(p transformer.Packed, gradient *ts.Tensor) (more bool, err error) {
	if gradient == nil {
		return false, nil
	}
	var s native.Scope
	defer s.Free()
	end := native.Begin()
	y := part.encode(&s, p)
	end()
	gradient = p.Listed(&s, gradient)
	if s.Err != nil {
		return false, s.Err
	}
	if more, err = y.RequiresGrad(); !more || err != nil {
		return false, err
	}
	return true, native.Backward(y, gradient)
}
