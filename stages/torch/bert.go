//go:build libtorch

package torch

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// bert are the layers of an encoder (Devlin et al. 2019), over parameters that
// belong to somebody else. Tokens stand in one list, whatever the sentences they
// are of: only attention looks at the layout.
type bert struct {
	config                    model.Config
	words, positions, kinds   *ts.Tensor
	norm                      linear
	layers                    []layer
	trains                    bool
	dropout, attentionDropout float64
}

type layer struct {
	query, key, value, output linear
	attentionNorm             linear
	intermediate, dense       linear
	outputNorm                linear
}

// shapes lists the parameters of an encoder by their names at Hugging Face.
func shapes(c model.Config) []shape {
	h, f := int64(c.HiddenSize), int64(c.IntermediateSize)
	list := []shape{
		{"embeddings.word_embeddings.weight", []int64{int64(c.VocabularySize), h}},
		{"embeddings.position_embeddings.weight", []int64{int64(c.MaxPositions), h}},
		{"embeddings.token_type_embeddings.weight", []int64{int64(c.TokenTypes), h}},
	}
	dense := func(name string, outputs, inputs int64) {
		list = append(list, shape{name + ".weight", []int64{outputs, inputs}}, shape{name + ".bias", []int64{outputs}})
	}
	norm := func(name string) {
		list = append(list, shape{name + ".weight", []int64{h}}, shape{name + ".bias", []int64{h}})
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

// newBERT binds the layers to parameters.
func newBERT(c model.Config, w *weights) *bert {
	b := &bert{
		config: c, words: w.tensors["embeddings.word_embeddings.weight"], positions: w.tensors["embeddings.position_embeddings.weight"],
		kinds: w.tensors["embeddings.token_type_embeddings.weight"], norm: w.linear("embeddings.LayerNorm"),
	}
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		b.layers = append(b.layers, layer{
			query: w.linear(p + "attention.self.query"), key: w.linear(p + "attention.self.key"), value: w.linear(p + "attention.self.value"),
			output: w.linear(p + "attention.output.dense"), attentionNorm: w.linear(p + "attention.output.LayerNorm"),
			intermediate: w.linear(p + "intermediate.dense"), dense: w.linear(p + "output.dense"), outputNorm: w.linear(p + "output.LayerNorm"),
		})
	}
	return b
}

// training turns dropout on, as the configuration has it, or off.
func (b *bert) training(enabled bool) {
	b.trains, b.dropout, b.attentionDropout = enabled, 0, 0
	if enabled {
		b.dropout, b.attentionDropout = b.config.HiddenDropout, b.config.AttentionDropout
	}
}

// headSize is the number of values of one head of attention.
func (b *bert) headSize() int { return b.config.HiddenSize / b.config.Heads }

// embed returns the vectors of tokens, [tokens, hidden], before the first layer,
// given their positions. All tokens are of the first kind.
func (b *bert) embed(s *scope, ids, positions *ts.Tensor) *ts.Tensor {
	return b.embedKinds(s, ids, positions, s.pick(b.kinds, 0, 0))
}

// embedKinds is embed, given the vectors of the tokens' kinds.
func (b *bert) embedKinds(s *scope, ids, positions, kinds *ts.Tensor) *ts.Tensor {
	x := s.add(s.add(s.embedding(b.words, ids), s.embedding(b.positions, positions)), kinds)
	return s.dropout(s.layerNorm(x, b.norm, b.config.LayerNormEpsilon), b.dropout)
}

// forward runs one layer over [tokens, hidden]. The result has only the rows of an
// arrangement unless that is nil: after attention, tokens do not see each other.
func (b *bert) forward(s *scope, l layer, x *ts.Tensor, sequences layout, rows *arrangement) *ts.Tensor {
	o := s.attention(x, l.query, l.key, l.value, sequences, b.config.Heads, b.attentionDropout)
	if rows != nil {
		o, x = s.arrange(o, *rows), s.arrange(x, *rows)
	}
	x = s.addNorm(o, l.output, x, l.attentionNorm, b.config.LayerNormEpsilon, b.dropout)
	return s.addNorm(s.linearGELU(x, l.intermediate), l.dense, x, l.outputNorm, b.config.LayerNormEpsilon, b.dropout)
}
