//go:build libtorch

package torch

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// Encoder gives the vectors of sentences. It is used by one goroutine at a time;
// libtorch uses several threads for it, see SetThreads.
type Encoder struct {
	folder  *model.Folder
	weights *weights
	bert    *bert
	layer   int
}

// NewEncoder loads the weights of a folder as float32. Layer is the one whose
// output is pooled: from 0, the embeddings, to the number of layers; below 0 it
// is the last. The folder's pooling must be set.
func NewEncoder(folder *model.Folder, layer int) (*Encoder, error) {
	if layer < 0 {
		layer = folder.Config.Layers
	}
	if layer > folder.Config.Layers {
		return nil, fmt.Errorf("%s has %d layers, there is no layer %d", folder.Path, folder.Config.Layers, layer)
	}
	switch folder.Pooling {
	case model.Mean, model.Max, model.CLS:
	default:
		return nil, fmt.Errorf("%s does not say how its tokens are pooled: choose mean, max or cls", folder.Path)
	}
	w, err := load(filepath.Join(folder.Path, model.WeightsName), shapes(folder.Config), false)
	if err != nil {
		return nil, err
	}
	return &Encoder{folder: folder, weights: w, bert: newBERT(folder.Config, w), layer: layer}, nil
}

// Close frees the weights.
func (e *Encoder) Close() { e.weights.free() }

// Dimension is the size of a vector.
func (e *Encoder) Dimension() int { return e.folder.Config.HiddenSize }

// Encode writes the vectors of sentences, given by their ids, into dst: one row
// of Dimension numbers a sentence, in their order.
//
// There is no padding: the tokens of all sentences stand in one list, and
// attention takes those of equal length together. So a vector does not depend on
// its neighbours but for the last bits of the sums inside of libtorch. Memory is
// that of a batch of tokens.
func (e *Encoder) Encode(ctx context.Context, dst []float32, sentences [][]int32) error {
	if len(dst) != len(sentences)*e.Dimension() {
		return fmt.Errorf("room for %d numbers, %d sentences have %d", len(dst), len(sentences), len(sentences)*e.Dimension())
	}
	order := make([]int, len(sentences))
	for i, s := range sentences {
		order[i] = i
		if len(s) == 0 || len(s) > e.folder.Config.MaxPositions {
			return fmt.Errorf("sentence %d has %d tokens, it must have from 1 to %d", i, len(s), e.folder.Config.MaxPositions)
		}
		for _, id := range s {
			if id < 0 || int(id) >= e.folder.Config.VocabularySize {
				return fmt.Errorf("sentence %d holds the id %d, the model has %d", i, id, e.folder.Config.VocabularySize)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(sentences[a]), len(sentences[b])) })
	defer lockThread()()
	ts.MustGradSetEnabled(false)
	defer ts.MustGradSetEnabled(true)
	most := batchTokens()
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n, tokens := 0, 0
		for n < len(order) && (n == 0 || tokens+len(sentences[order[n]]) <= most) {
			tokens += len(sentences[order[n]])
			n++
		}
		if err := e.encode(dst, sentences, order[:n], tokens); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// batchTokens is about the number of tokens that run through the layers at once:
// enough for matrix products to be fast, few enough to stay in the caches of a CPU.
func batchTokens() int {
	if onCPU() {
		return 2 << 10
	}
	return 64 << 10
}

// encode runs one batch, which is sorted by length.
func (e *Encoder) encode(dst []float32, sentences [][]int32, batch []int, tokens int) error {
	ids, positions := make([]int64, 0, tokens), make([]int64, 0, tokens)
	var groups []group
	for _, i := range batch {
		for position, id := range sentences[i] {
			ids, positions = append(ids, int64(id)), append(positions, int64(position))
		}
		if length := int64(len(sentences[i])); len(groups) > 0 && groups[len(groups)-1].length == length {
			groups[len(groups)-1].count++
		} else {
			groups = append(groups, group{1, length})
		}
	}
	defer begin()()
	var outer scope
	defer outer.free()
	x := outer.take(e.embed(&outer, ids, positions))
	outer.free()
	for _, l := range e.bert.layers[:e.layer] {
		if outer.err != nil {
			break
		}
		y := outer.take(e.bert.forward(&outer, l, x, layout{groups: groups}))
		outer.free()
		x.MustDrop()
		x = y
	}
	if outer.err == nil {
		defer x.MustDrop()
	}
	pooled := e.pool(&outer, x, groups)
	if outer.err != nil {
		return outer.err
	}
	rows := make([]float32, len(batch)*e.Dimension())
	if err := floats(rows, pooled); err != nil {
		return err
	}
	for k, i := range batch {
		copy(dst[i*e.Dimension():(i+1)*e.Dimension()], rows[k*e.Dimension():])
	}
	return nil
}

func (e *Encoder) embed(s *scope, ids, positions []int64) *ts.Tensor {
	return e.bert.embed(s, s.integers(ids, int64(len(ids))), s.embedding(e.bert.positions, s.integers(positions, int64(len(positions)))))
}

// pool returns one vector a sentence.
func (e *Encoder) pool(s *scope, x *ts.Tensor, groups []group) *ts.Tensor {
	parts := make([]*ts.Tensor, len(groups))
	offset := int64(0)
	for i, g := range groups {
		tokens := s.reshape(s.narrow(x, 0, offset, g.count*g.length), g.count, g.length, int64(e.Dimension()))
		switch e.folder.Pooling {
		case model.Max:
			parts[i] = s.maximum(tokens, 1)
		case model.CLS:
			parts[i] = s.pick(tokens, 1, 0)
		default:
			parts[i] = s.mean(tokens, 1)
		}
		offset += g.count * g.length
	}
	pooled := s.concatenate(0, parts...)
	if e.folder.Normalize {
		pooled = s.normalize(pooled)
	}
	return pooled
}
