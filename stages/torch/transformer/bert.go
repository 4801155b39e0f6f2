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
	layers                    []layer
	Trains                    bool
	Dropout, AttentionDropout float64
}

type layer struct {
	query, key, value, output native.Linear
	attentionNorm             native.Linear
	intermediate, dense       native.Linear
	outputNorm                native.Linear
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
		b.layers = append(b.layers, layer{
			query: w.Linear(p + "attention.self.query"), key: w.Linear(p + "attention.self.key"),
			value:  w.Linear(p + "attention.self.value"),
			output: w.Linear(p + "attention.output.dense"), attentionNorm: w.Linear(p + "attention.output.LayerNorm"),
			intermediate: w.Linear(p + "intermediate.dense"), dense: w.Linear(p + "output.dense"),
			outputNorm: w.Linear(p + "output.LayerNorm"),
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

// headSize is the number of values of one head of attention.
func (b *BERT) headSize() int { return b.Config.HiddenSize / b.Config.Heads }

// embed returns the vectors of tokens, [tokens, hidden], before the first layer,
// given their positions. All tokens are of the first kind.
func (b *BERT) embed(s *native.Scope, ids, positions *ts.Tensor) *ts.Tensor {
	return b.EmbedKinds(s, ids, positions, s.Pick(b.Kinds, 0, 0))
}

// EmbedKinds is embed, given the vectors of the tokens' kinds.
func (b *BERT) EmbedKinds(s *native.Scope, ids, positions, kinds *ts.Tensor) *ts.Tensor {
	x := s.Add(s.Add(s.Embedding(b.Words, ids), s.Embedding(b.Positions, positions)), kinds)
	return s.Dropout(s.LayerNorm(x, b.Norm, b.Config.LayerNormEpsilon), b.Dropout)
}

// forward runs one layer over [tokens, hidden]. The result has only the rows of an
// arrangement unless that is nil: after attention, tokens do not see each other.
func (b *BERT) forward(s *native.Scope, l layer, x *ts.Tensor, sequences native.Layout, rows *native.Arrangement) *ts.Tensor {
	o := s.Attention(x, native.Heads{
		Query: l.query, Key: l.key, Value: l.value, Count: b.Config.Heads, Dropout: b.AttentionDropout,
	}, sequences)
	if rows != nil {
		o, x = s.Arrange(o, *rows), s.Arrange(x, *rows)
	}
	x = s.AddNorm(o, x, b.residual(l.output, l.attentionNorm))
	return s.AddNorm(s.LinearGELU(x, l.intermediate), x, b.residual(l.dense, l.outputNorm))
}

func (b *BERT) residual(linear, norm native.Linear) native.Residual {
	return native.Residual{Linear: linear, Norm: norm, Epsilon: b.Config.LayerNormEpsilon, Dropout: b.Dropout}
}

// SecondName begins the names of the weights of the second encoder, which is saved as a
// part of the model.
const SecondName = "quickthought.second."
