//go:build libtorch

package torch

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// Encoder gives the vectors of sentences. It is used by one goroutine at a time;
// libtorch uses several threads for it, see SetThreads.
type Encoder struct {
	folder  *model.Folder
	weights *transformer.Weights
	bert    *transformer.BERT
	layer   int
	skipped int64
	lens    transformer.LensLayers // of a folder that has one
	dense   []transformer.Dense
	second  *transformer.BERT // of a folder that has one
	least   int               // tokens of a list, from which on each has the same bits
}

// NewEncoder loads the weights of a folder as float32, or those of layers as int8 where that is the precision. Layer is the one whose
// output is pooled: from 0, the embeddings, to the number of layers; below 0 it
// is the last. The folder's pooling must be set.
func NewEncoder(folder *model.Folder, layer int) (*Encoder, error) {
	if layer < 0 {
		layer = folder.Config.Layers
	}
	if layer > folder.Config.Layers {
		return nil, fmt.Errorf("%s has %d layers, there is no layer %d", folder.Path, folder.Config.Layers, layer)
	}
	switch {
	case folder.Pooling == model.Lens:
		if layer != folder.Config.Layers {
			return nil, fmt.Errorf("%s has a lens on its last layer, %d: there is none on layer %d", folder.Path, folder.Config.Layers,
				layer)
		}
	case !folder.Pooling.Known():
		return nil, fmt.Errorf("%s does not say how its tokens are pooled: choose mean, max or cls", folder.Path)
	}
	if len(folder.Dense) > 0 && layer != folder.Config.Layers {
		return nil, fmt.Errorf("%s has Dense layers on what its last layer, %d, gives: there are none on layer %d", folder.Path,
			folder.Config.Layers, layer)
	}
	w, err := loadEncoder(folder.WeightsPath(), folder.Config)
	if err != nil {
		return nil, err
	}
	e := &Encoder{folder: folder, weights: w, bert: transformer.NewBERT(folder.Config, w), layer: layer, least: transformer.LeastTokens}
	if folder.Pooling == model.Lens {
		l, err := transformer.Load(filepath.Join(folder.Path, model.LensWeightsName),
			transformer.LensShapes(folder.Config, folder.LensSize, folder.Gate), false)
		if err != nil {
			w.Free()
			return nil, err
		}
		for _, name := range l.Names {
			w.Put(name, l.Tensors[name])
		}
		e.lens = transformer.NewLensLayers(w, folder.Gate)
	}
	if folder.Second {
		second, err := loadEncoder(filepath.Join(folder.Path, filepath.FromSlash(model.SecondWeightsName)), folder.Config)
		if err != nil {
			w.Free()
			return nil, err
		}
		for _, name := range second.Names {
			w.Put(transformer.SecondName+name, second.Tensors[name])
		}
		e.second = transformer.NewBERT(folder.Config, w.Below(transformer.SecondName))
	}
	if e.dense, err = transformer.LoadDense(folder, w); err == nil && folder.Pooling != model.Lens { // whose products have other sizes
		e.least, err = e.bert.LeastTokens()
	}
	if err != nil {
		w.Free()
		return nil, err
	}
	return e, nil
}

// PoolFrom leaves the first n tokens of each sentence out of the pooling, those of a
// prompt. The last token of a sentence always stays.
func (e *Encoder) PoolFrom(n int) { e.skipped = int64(n) }

// Close frees the weights.
func (e *Encoder) Close() { e.weights.Free() }

// Dimension is the size of a vector.
func (e *Encoder) Dimension() int { return e.folder.Dimension() }

// Encode writes the vectors of sentences, given by their ids, into dst: one row
// of Dimension numbers a sentence, in their order.
//
// There is no padding: the tokens of all sentences are in one list, and
// attention takes those of equal length together. So a vector does not depend on
// its neighbours. To the last bit that holds on a CPU, as libtorch computes each row of a large
// matrix alike: too few tokens are computed with others, which are
// dropped. How many are too few is tried when the encoder is opened. Memory is that of a batch of tokens.
func (e *Encoder) Encode(ctx context.Context, dst []float32, sentences [][]int32) error {
	if len(dst) != len(sentences)*e.Dimension() {
		return fmt.Errorf("room for %d numbers, %d sentences have %d", len(dst), len(sentences), len(sentences)*e.Dimension())
	}
	return transformer.PackedBatches(ctx, e.folder.Config, sentences, e.least,
		func(batch []int, p transformer.Packed) error { return e.encode(dst, batch, p) })
}

// States returns the vectors of the tokens of sentences, given by their ids, one after another: HiddenSize numbers
// a token, of the layer, before they are pooled. As with Encode, they do not depend on the neighbours but for the last
// bits. Memory is that of the vectors and of a batch of tokens.
func (e *Encoder) States(ctx context.Context, sentences [][]int32) ([]float32, error) {
	size, starts, total := e.folder.Config.HiddenSize, make([]int, len(sentences)), 0
	for i, ids := range sentences {
		starts[i] = total
		total += len(ids) * size
	}
	states := make([]float32, total)
	err := transformer.PackedBatches(ctx, e.folder.Config, sentences, e.least, func(batch []int, p transformer.Packed) error {
		defer native.Begin()()
		var s native.Scope
		defer s.Free()
		x := e.bert.Packed(&s, p, e.layer, nil)
		if s.Err != nil {
			return s.Err
		}
		rows := make([]float32, len(p.IDs)*size)
		if err := native.Floats(rows, x); err != nil {
			return err
		}
		for _, i := range batch {
			rows = rows[copy(states[starts[i]:][:len(sentences[i])*size], rows):]
		}
		return nil
	})
	return states, err
}

// encode runs one batch.
func (e *Encoder) encode(dst []float32, batch []int, p transformer.Packed) error {
	defer native.Begin()()
	var s native.Scope
	defer s.Free()
	pooled := e.pool(&s, e.bert, p)
	if e.second != nil && s.Err == nil {
		first := s.Take(pooled)
		s.Free() // for packed
		pooled = e.pool(&s, e.second, p)
		s.Tensors = append(s.Tensors, first)
		pooled = s.Concatenate(1, first, pooled)
	}
	if e.folder.Normalize {
		pooled = s.Normalize(pooled)
	}
	if e.folder.Truncate > 0 {
		pooled = s.Narrow(pooled, 1, 0, int64(e.Dimension()))
	}
	pooled = s.Narrow(pooled, 0, 0, int64(len(batch))) // without what fills the list
	if s.Err != nil {
		return s.Err
	}
	return native.Rows(dst, pooled, batch)
}

// pool returns one vector a sentence by one of the encoders, before it is normalized.
func (e *Encoder) pool(s *native.Scope, b *transformer.BERT, p transformer.Packed) *ts.Tensor {
	if e.folder.Pooling == model.Lens {
		x := e.lens.Values(s, b.Packed(s, p, e.layer, nil), p.Groups)
		return e.through(s, transformer.Pool(s, x, p.Groups, model.Lens, e.skipped), p, e.folder.LensSize)
	}
	pooled := b.PackedPooled(s, p, e.layer, e.folder.Pooling, e.skipped)
	return e.through(s, pooled, p, e.folder.Config.HiddenSize*len(e.folder.Pooling.Parts()))
}

// through sends the pooled vectors of a list, of that size, through the Dense layers.
func (e *Encoder) through(s *native.Scope, pooled *ts.Tensor, p transformer.Packed, size int) *ts.Tensor {
	return transformer.ThroughDense(s, pooled, e.dense, int64(len(p.Starts)), int64(size))
}
