//go:build libtorch

package transformer

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// BERT are the layers of an encoder (Devlin et al. 2019) of one of the architectures that differ
// in what is around them, over parameters that belong to somebody else. Tokens are in one list,
// whatever the sentences they are of: only attention looks at the layout. Kinds is nil where tokens have none.
type BERT struct {
	Config                    model.Config
	Words, Positions, Kinds   *ts.Tensor
	distances                 *ts.Tensor // of MPNet: biases of attention, [buckets, heads]
	Norm                      native.Linear
	layers                    []native.Layer
	Trains                    bool
	Dropout, AttentionDropout float64
	// Recompute has layers keep nothing but their input for their gradients.
	Recompute bool
}

// distancesName is that of the biases of attention by distance.
const distancesName = "encoder.relative_attention_bias.weight"

// Shapes lists the parameters of an encoder by the names that BERT's have at Hugging Face.
func Shapes(c model.Config) []Shape {
	h, f := int64(c.HiddenSize), int64(c.IntermediateSize)
	list := []Shape{
		{"embeddings.word_embeddings.weight", []int64{int64(c.VocabularySize), h}},
		{"embeddings.position_embeddings.weight", []int64{int64(c.MaxPositions), h}},
	}
	if c.TokenTypes > 0 {
		list = append(list, Shape{"embeddings.token_type_embeddings.weight", []int64{int64(c.TokenTypes), h}})
	}
	if c.Buckets > 0 {
		list = append(list, Shape{distancesName, []int64{int64(c.Buckets), int64(c.Heads)}})
	}
	dense := func(name string, outputs, inputs int64) {
		list = append(list, Shape{name + ".weight", []int64{outputs, inputs}}, Shape{name + ".bias", []int64{outputs}})
	}
	norm := func(name string) {
		list = append(list, Shape{name + ".weight", []int64{h}}, Shape{name + ".bias", []int64{h}})
	}
	norm("embeddings.LayerNorm")
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		dense(p+"attention.self.query", h, h)
		dense(p+"attention.self.key", h, h)
		dense(p+"attention.self.value", h, h)
		dense(p+"attention.output.dense", h, h)
		norm(p + "attention.output.LayerNorm")
		dense(p+"intermediate.dense", f, h)
		dense(p+"output.dense", h, f)
		norm(p + "output.LayerNorm")
	}
	return list
}

// NewBERT binds the layers to parameters.
func NewBERT(c model.Config, w *Weights) *BERT {
	b := &BERT{
		Config: c, Words: w.Tensors["embeddings.word_embeddings.weight"], Positions: w.Tensors["embeddings.position_embeddings.weight"],
		Kinds: w.Tensors["embeddings.token_type_embeddings.weight"], Norm: w.Linear("embeddings.LayerNorm"),
		distances: w.Tensors[distancesName],
	}
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		b.layers = append(b.layers, native.Layer{
			Query: w.Linear(p + "attention.self.query"), Key: w.Linear(p + "attention.self.key"),
			Value:  w.Linear(p + "attention.self.value"),
			Output: w.Linear(p + "attention.output.dense"), AttentionNorm: w.Linear(p + "attention.output.LayerNorm"),
			Intermediate: w.Linear(p + "intermediate.dense"), Dense: w.Linear(p + "output.dense"),
			OutputNorm: w.Linear(p + "output.LayerNorm"),
		})
	}
	return b
}

// Training turns dropout on, as the configuration has it, or off.
func (b *BERT) Training(enabled bool) {
	b.Trains, b.Dropout, b.AttentionDropout = enabled, 0, 0
	if enabled {
		b.Dropout, b.AttentionDropout = b.Config.HiddenDropout, b.Config.AttentionDropout
	}
}

// Embed returns the vectors of the tokens of a list, [tokens, hidden], before the first layer. All tokens are of the first kind.
func (b *BERT) Embed(s *native.Scope, p Packed) *ts.Tensor {
	if b.Kinds == nil {
		return b.EmbedKinds(s, p, nil)
	}
	return b.EmbedKinds(s, p, s.Pick(b.Kinds, 0, 0))
}

// EmbedKinds is Embed, given the vectors of the tokens' kinds, or nil where they have none.
func (b *BERT) EmbedKinds(s *native.Scope, p Packed, kinds *ts.Tensor) *ts.Tensor {
	words := s.Embedding(b.Words, s.Integers(p.IDs, int64(len(p.IDs))))
	x := s.Add(words, s.Embedding(b.Positions, s.Integers(b.places(p), int64(len(p.Positions)))))
	if kinds != nil {
		x = s.Add(x, kinds)
	}
	x = s.LayerNorm(x, b.Norm, b.Config.LayerNormEpsilon)
	return s.Dropout(x, p.Keys(s, b.Dropout), b.Dropout)
}

// places are the rows of the embeddings of positions that the tokens of a list have.
func (b *BERT) places(p Packed) []int64 {
	first := int64(b.Config.FirstPosition())
	if first == 0 {
		return p.Positions
	}
	list := make([]int64, len(p.Positions))
	for i, position := range p.Positions {
		list[i] = first + position
	}
	return list
}

// settings are those of the layers.
func (b *BERT) settings() native.LayerSettings {
	l := native.LayerSettings{Heads: b.Config.Heads, Activation: b.Config.Activation, Epsilon: b.Config.LayerNormEpsilon,
		Dropout: b.Dropout, AttentionDropout: b.AttentionDropout, Recompute: b.Recompute}
	if b.Config.DropsAttention() {
		l.OutputDropout = b.Dropout
	}
	return l
}

// SecondName begins the names of the weights of the second encoder, which is saved as a
// part of the model.
const SecondName = "quickthought.second."
