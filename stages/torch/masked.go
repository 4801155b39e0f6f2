//go:build libtorch

package torch

import (
	"context"
	"errors"
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
	"sentweave/transforms/augment/infill"
)

// MaskedLM predicts masked pieces. It is used by one goroutine at a time; libtorch
// uses several threads for it, see SetThreads.
type MaskedLM struct {
	config    model.Config
	encoder   *transformer.Weights
	head      *transformer.Weights
	bert      *transformer.BERT
	transform native.Linear
	norm      native.Linear
	members   [][]int32
	// decoders are the rows of the vocabulary's matrix that belong to a class, [hidden,
	// members], and their biases.
	decoders []native.Linear
}

// NewMaskedLM loads an encoder and its head of a masked language model in the precision of NewEncoder,
// for predictions among the members of classes, given by their ids. The head stands
// where model.FindHead finds it.
func NewMaskedLM(folder *model.Folder, members [][]int32) (*MaskedLM, error) {
	c := folder.Config
	for class, ids := range members {
		for _, id := range ids {
			if id < 0 || int(id) >= c.VocabularySize {
				return nil, fmt.Errorf("class %d holds the id %d, the model has %d", class, id, c.VocabularySize)
			}
		}
	}
	h, err := model.FindHead(folder)
	if err != nil {
		return nil, err
	}
	m := &MaskedLM{config: c, members: members}
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	if m.encoder, err = loadEncoder(folder.WeightsPath(), c); err != nil {
		return nil, err
	}
	list := transformer.HeadShapes(c)
	list[len(list)-1].Name = h.Bias
	if h.Decoder != "" {
		list = append(list, transformer.Shape{Name: h.Decoder, Size: []int64{int64(c.VocabularySize), int64(c.HiddenSize)}})
	}
	if m.head, err = transformer.Load(h.Path, list, true); err != nil {
		return nil, err
	}
	m.bert = transformer.NewBERT(c, m.encoder)
	m.transform, m.norm = m.head.Linear(transformer.TransformName), m.head.Linear(transformer.TransformNorm)
	matrix := m.bert.Words
	if h.Decoder != "" {
		matrix = m.head.Tensors[h.Decoder]
	}
	err = m.decode(matrix, m.head.Tensors[h.Bias])
	return m, err
}

// decode cuts the rows of each class out of the vocabulary's matrix and bias.
func (m *MaskedLM) decode(matrix, bias *ts.Tensor) error {
	defer native.WithoutGradients()()
	var s native.Scope
	defer s.Free()
	for _, ids := range m.members {
		if len(ids) == 0 {
			m.decoders = append(m.decoders, native.Linear{})
			continue
		}
		indices := make([]int64, len(ids))
		for i, id := range ids {
			indices[i] = int64(id)
		}
		selection := s.Integers(indices, int64(len(ids)))
		weight, bias := s.Transpose(s.Rows(matrix, selection), 0, 1), s.Rows(bias, selection)
		if s.Err != nil {
			return s.Err
		}
		m.decoders = append(m.decoders, native.Linear{Weight: s.Take(weight), Bias: s.Take(bias)})
	}
	return s.Err
}

// Close frees the weights.
func (m *MaskedLM) Close() {
	for _, d := range m.decoders {
		if d.Weight != nil {
			d.Weight.MustDrop()
			d.Bias.MustDrop()
		}
	}
	m.decoders = nil
	for _, w := range []*transformer.Weights{m.encoder, m.head} {
		if w != nil {
			w.Free()
		}
	}
}

// Top returns the k likeliest members of the class of each mask, the likeliest first,
// with their logits: k candidates for each mask of the first sequence, then those of
// the second, and so on. Where a class has fewer members, the rest have no ID.
//
// Sequences are run as Encode runs them, but the last layer is finished, and logits
// are computed, at masks and for members only. Memory is that of a batch of tokens.
func (m *MaskedLM) Top(ctx context.Context, sequences [][]int32, masks [][]infill.Mask, k int) ([]infill.Candidate, error) {
	if len(masks) != len(sequences) || k < 1 {
		return nil, fmt.Errorf("masks of %d sequences for %d, and %d candidates each", len(masks), len(sequences), k)
	}
	starts, total := make([]int, len(masks)), 0
	for i, list := range masks {
		starts[i] = total
		total += len(list)
		for _, mask := range list {
			if mask.Position < 0 || mask.Position >= len(sequences[i]) || mask.Class < 0 || mask.Class >= len(m.members) {
				return nil, fmt.Errorf("sequence %d of %d tokens has a mask at %d of class %d; there are %d classes", i, len(sequences[i]),
					mask.Position, mask.Class, len(m.members))
			}
		}
	}
	candidates := make([]infill.Candidate, total*k)
	for i := range candidates {
		candidates[i].ID = -1
	}
	err := transformer.PackedBatches(ctx, m.config, sequences, transformer.LeastTokens, func(batch []int, p transformer.Packed) error {
		b := packedMasks{Packed: p, places: make([][]int, len(m.members)), byClass: make([][]int64, len(m.members))}
		offset := int64(0)
		for _, i := range batch {
			for j, mask := range masks[i] {
				b.places[mask.Class] = append(b.places[mask.Class], (starts[i]+j)*k)
				b.byClass[mask.Class] = append(b.byClass[mask.Class], int64(len(b.rows)))
				b.rows = append(b.rows, offset+int64(mask.Position))
			}
			offset += int64(len(sequences[i]))
		}
		if len(b.rows) == 0 {
			return nil
		}
		return m.batch(candidates, b, k)
	})
	return candidates, err
}

// packedMasks is a batch with the rows of its masks. Of each class byClass has the indices of its masks among the
// rows, and places where their candidates go.
type packedMasks struct {
	transformer.Packed
	rows    []int64
	byClass [][]int64
	places  [][]int
}

// batch sets the candidates of the masks of a batch, k of each.
func (m *MaskedLM) batch(candidates []infill.Candidate, b packedMasks, k int) error {
	defer native.Begin()()
	var s native.Scope
	defer s.Free()
	x := m.bert.Packed(&s, b.Packed, m.config.Layers, b.rows)
	x = s.LayerNorm(s.Activate(s.Linear(x, m.transform), m.config.HeadActivation()), m.norm, m.config.LayerNormEpsilon)
	for class, d := range m.decoders {
		n, k := len(b.places[class]), min(k, len(m.members[class]))
		if n == 0 || k == 0 {
			continue
		}
		y := s.Rows(x, s.Integers(b.byClass[class], int64(n)))
		logits, ids := s.Top(s.Add(s.Product(y, d.Weight), d.Bias), k)
		if s.Err != nil {
			return s.Err
		}
		// Ids are below 2²⁴ (model.Config): float32 has each of them exactly.
		values, indices := make([]float32, n*k), make([]float32, n*k)
		if err := errors.Join(native.Floats(values, logits), native.Floats(indices, ids)); err != nil {
			return err
		}
		for i, place := range b.places[class] {
			for j := range k {
				candidates[place+j] = infill.Candidate{ID: m.members[class][int(indices[i*k+j])], Logit: values[i*k+j]}
			}
		}
	}
	return s.Err
}
