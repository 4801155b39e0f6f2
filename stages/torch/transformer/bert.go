//go:build libtorch

package transformer

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// BERT are the layers of an encoder (Devlin et al. 2019), over parameters that
// belong to somebody else. Tokens stand in one list, whatever the sentences they
// are of: only attention looks at the layout.
type BERT struct {
	Config                    model.Config
	Words, Positions, Kinds   *ts.Tensor
	Norm                      native.Linear
	layers                    []native.Layer
	Trains                    bool
	Dropout, AttentionDropout float64
	// Recompute has layers keep nothing but their input for their gradients.
	Recompute bool
}

// Shapes lists the parameters of an encoder by their names at Hugging Face.
func Shapes(c model.Config) []Shape {
	h, f := int64(c.HiddenSize), int64(c.IntermediateSize)
	list := []Shape{
		{"embeddings.word_embeddings.weight", []int64{int64(c.VocabularySize), h}},
		{"embeddings.position_embeddings.weight", []int64{int64(c.MaxPositions), h}},
		{"embeddings.token_type_embeddings.weight", []int64{int64(c.TokenTypes), h}},
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
	return b.EmbedKinds(s, p, s.Pick(b.Kinds, 0, 0))
}

// EmbedKinds is Embed, given the vectors of the tokens' kinds.
func (b *BERT) EmbedKinds(s *native.Scope, p Packed, kinds *ts.Tensor) *ts.Tensor {
	words := s.Embedding(b.Words, s.Integers(p.IDs, int64(len(p.IDs))))
	positions := s.Embedding(b.Positions, s.Integers(p.Positions, int64(len(p.Positions))))
	x := s.LayerNorm(s.Add(s.Add(words, positions), kinds), b.Norm, b.Config.LayerNormEpsilon)
	return s.Dropout(x, p.Keys(s, b.Dropout), b.Dropout)
}

// settings are those of the layers.
func (b *BERT) settings() native.LayerSettings {
	return native.LayerSettings{Heads: b.Config.Heads, Epsilon: b.Config.LayerNormEpsilon, Dropout: b.Dropout,
		AttentionDropout: b.AttentionDropout, Recompute: b.Recompute}
}

// SecondName begins the names of the weights of the second encoder, which is saved as a
// part of the model.
const SecondName = "quickthought.second."
