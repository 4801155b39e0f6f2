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
// whatever the sentences they are of: only attention looks at the layout. Positions and Kinds are nil where tokens have none.
type BERT struct {
	Config                  model.Config
	Words, Positions, Kinds *ts.Tensor
	distances               *ts.Tensor // of MPNet: biases of attention, [buckets, heads]
	Norm                    native.Linear
	layers                  []native.Layer
	last                    native.Linear // the norm after the last layer; without a weight where there is none
	Trains                  bool
	Dropouts                Dropouts
	// Recompute has layers keep nothing but their input for their gradients.
	Recompute bool
}

// Dropouts are those of embeddings, of what layers add and of the scores of attention.
type Dropouts struct{ Embeddings, Hidden, Attention float64 }

// distancesName is that of the biases of attention by distance.
const distancesName = "encoder.relative_attention_bias.weight"

// LastNorm is the name of the norm after the last layer of encoders that have one.
const LastNorm = "encoder.LayerNorm"

// jointName is that of the product that gives queries, keys and values together.
const jointName = "attention.self.query_key_value"

// Shapes lists the parameters of an encoder by the names that BERT's have at Hugging Face.
func Shapes(c model.Config) []Shape {
	h, f := int64(c.HiddenSize), int64(c.IntermediateSize)
	list := []Shape{{"embeddings.word_embeddings.weight", []int64{int64(c.VocabularySize), h}}}
	if !c.IsGated() {
		list = append(list, Shape{"embeddings.position_embeddings.weight", []int64{int64(c.MaxPositions), h}})
	}
	if c.TokenTypes > 0 {
		list = append(list, Shape{"embeddings.token_type_embeddings.weight", []int64{int64(c.TokenTypes), h}})
	}
	if c.Buckets > 0 {
		list = append(list, Shape{distancesName, []int64{int64(c.Buckets), int64(c.Heads)}})
	}
	add := func(name string, biased bool, size ...int64) { list = append(list, pair(name, biased, size...)...) }
	norms, attention, products := !c.IsGated() || c.NormBias, !c.IsGated() || c.AttentionBias, !c.IsGated() || c.ProductBias
	add("embeddings.LayerNorm", norms, h)
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		inner := f
		if c.IsGated() {
			add(p+jointName, attention, 3*h, h)
			inner = 2 * f // with gates
		} else {
			add(p+"attention.self.query", true, h, h)
			add(p+"attention.self.key", true, h, h)
			add(p+"attention.self.value", true, h, h)
		}
		add(p+"attention.output.dense", attention, h, h)
		if !c.IsGated() || i > 0 {
			add(p+"attention.output.LayerNorm", norms, h)
		}
		add(p+"intermediate.dense", products, inner, h)
		add(p+"output.dense", products, h, f)
		add(p+"output.LayerNorm", norms, h)
	}
	if c.IsGated() {
		add(LastNorm, norms, h)
	}
	return list
}

// pair lists a weight of a size and, where there is one, its bias.
func pair(name string, biased bool, size ...int64) []Shape {
	list := []Shape{{name + ".weight", size}}
	if biased {
		list = append(list, Shape{name + ".bias", size[:1:1]})
	}
	return list
}

// NewBERT binds the layers to parameters.
func NewBERT(c model.Config, w *Weights) *BERT {
	b := &BERT{
		Config: c, Words: w.Tensors["embeddings.word_embeddings.weight"], Positions: w.Tensors["embeddings.position_embeddings.weight"],
		Kinds: w.Tensors["embeddings.token_type_embeddings.weight"], Norm: w.Linear("embeddings.LayerNorm"),
		distances: w.Tensors[distancesName], last: w.Linear(LastNorm),
	}
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		l := native.Layer{
			Query: w.Linear(p + "attention.self.query"), Key: w.Linear(p + "attention.self.key"),
			Value:  w.Linear(p + "attention.self.value"),
			Output: w.Linear(p + "attention.output.dense"), AttentionNorm: w.Linear(p + "attention.output.LayerNorm"),
			Intermediate: w.Linear(p + "intermediate.dense"), Dense: w.Linear(p + "output.dense"),
			OutputNorm: w.Linear(p + "output.LayerNorm"),
		}
		if c.IsGated() {
			l.Query = w.Linear(p + jointName)
		}
		b.layers = append(b.layers, l)
	}
	return b
}

// Training turns dropout on, as the configuration has it, or off.
func (b *BERT) Training(enabled bool) {
	b.Trains, b.Dropouts = enabled, Dropouts{}
	if !enabled {
		return
	}
	b.Dropouts = Dropouts{b.Config.HiddenDropout, b.Config.HiddenDropout, b.Config.AttentionDropout}
	if b.Config.IsGated() {
		b.Dropouts.Embeddings = b.Config.EmbeddingDropout
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
	x := s.Embedding(b.Words, s.Integers(p.IDs, int64(len(p.IDs))))
	if b.Positions != nil {
		x = s.Add(x, s.Embedding(b.Positions, s.Integers(b.places(p), int64(len(p.Positions)))))
	}
	if kinds != nil {
		x = s.Add(x, kinds)
	}
	x = s.LayerNorm(x, b.Norm, b.Config.LayerNormEpsilon)
	return s.Dropout(x, p.Keys(s, b.Dropouts.Embeddings), b.Dropouts.Embeddings)
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

// settings are those of a layer.
func (b *BERT) settings(layer int) native.LayerSettings {
	l := native.LayerSettings{Heads: b.Config.Heads, Activation: b.Config.Activation, Epsilon: b.Config.LayerNormEpsilon,
		Dropout: b.Dropouts.Hidden, AttentionDropout: b.Dropouts.Attention, Window: b.Config.Window(layer), Recompute: b.Recompute}
	switch {
	case b.Config.IsGated():
		l.OutputDropout = b.Dropouts.Attention
	case b.Config.DropsAttention():
		l.OutputDropout = b.Dropouts.Hidden
	}
	return l
}

// SecondName begins the names of the weights of the second encoder, which is saved as a
// part of the model.
const SecondName = "quickthought.second."
