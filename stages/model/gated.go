package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
)

// Gated are the settings that only encoders of ModernBERT's kind have (Warner et al. 2024): norms come before what they are of, the
// first product of a layer makes values and as many gates, places are angles by which queries and keys are turned (Su et al. 2021), and
// most layers let tokens see those near them only. They are zero for other encoders.
type Gated struct {
	// EmbeddingDropout is that of the embeddings; HiddenDropout is that between both products of a layer, and AttentionDropout is also that
	// of what attention adds.
	EmbeddingDropout float64 `json:"embedding_dropout,omitempty"`
	// Of norms, of the products of attention and of both other products of a layer: whether they have a bias; and of the first product
	// of the head of a masked language model.
	NormBias       bool `json:"norm_bias,omitempty"`
	AttentionBias  bool `json:"attention_bias,omitempty"`
	ProductBias    bool `json:"mlp_bias,omitempty"`
	ClassifierBias bool `json:"classifier_bias,omitempty"`
	// ClassifierActivation is that of the head of a masked language model.
	ClassifierActivation string `json:"classifier_activation,omitempty"`
	// GlobalEvery is the number of layers of which the first lets tokens see all others.
	GlobalEvery int `json:"global_attn_every_n_layers,omitempty"`
	// LocalTokens is the width of what a token of another layer sees, half of it on either side.
	LocalTokens int `json:"local_attention,omitempty"`
	// GlobalTheta and LocalTheta are the bases of the angles.
	GlobalTheta float64 `json:"global_rope_theta,omitempty"`
	LocalTheta  float64 `json:"local_rope_theta,omitempty"`
}

var modernBERT = architecture{
	name: "modernbert", class: "ModernBertModel", prefix: "model.", poolerless: true,
	base: &Config{
		VocabularySize: 50368, HiddenSize: 768, Layers: 22, Heads: 12, IntermediateSize: 1152, MaxPositions: 8192, LayerNormEpsilon: 1e-5,
		InitializerRange: .02, Activation: GELU, ModelType: "modernbert", PadID: 50283,
		Gated: Gated{ClassifierActivation: GELU, GlobalEvery: 3, LocalTokens: 128, GlobalTheta: 160_000, LocalTheta: 10_000},
	},
	weights: []string{
		"encoder.layer.", "layers.", ".attention.self.query_key_value.", ".attn.Wqkv.", ".attention.output.dense.", ".attn.Wo.",
		".attention.output.LayerNorm.", ".attn_norm.", ".intermediate.dense.", ".mlp.Wi.", ".output.dense.", ".mlp.Wo.",
		".output.LayerNorm.", ".mlp_norm.", "encoder.LayerNorm.", "final_norm.",
		"embeddings.word_embeddings.", "embeddings.tok_embeddings.", "embeddings.LayerNorm.", "embeddings.norm.",
		HeadName + "transform.dense.", "head.dense.", HeadName + "transform.LayerNorm.", "head.norm.", HeadName + "decoder.", "decoder.",
	},
	fields: []string{
		"hidden_act", "hidden_activation", "layer_norm_eps", "norm_eps", "hidden_dropout_prob", "mlp_dropout",
		"attention_probs_dropout_prob", "attention_dropout",
	},
}

// IsGated says whether the encoder is of ModernBERT's kind.
func (c Config) IsGated() bool {
	a, _ := architectureOf(c.ModelType)
	return a.base != nil
}

// SetDropout sets all shares of dropout.
func (c *Config) SetDropout(share float64) {
	c.HiddenDropout, c.AttentionDropout = share, share
	if c.IsGated() {
		c.EmbeddingDropout = share
	}
}

// Window is the greatest distance of tokens that see each other in a layer, from 0; 0 for any.
func (g Gated) Window(layer int) int {
	if g.GlobalEvery == 0 || layer%g.GlobalEvery == 0 {
		return 0
	}
	return g.LocalTokens / 2
}

const fullAttention, slidingAttention = "full_attention", "sliding_attention"

// readTypes takes what transformers 5 writes in the place of GlobalEvery and of both thetas.
func (g *Gated) readTypes(config []byte, layers int) error {
	type rope struct {
		Theta *float64 `json:"rope_theta"`
		Type  string   `json:"rope_type"`
		Old   string   `json:"type"` // what transformers 4 called the type
	}
	var file struct {
		Types   []string                   `json:"layer_types"`
		Rope    map[string]json.RawMessage `json:"rope_parameters"`
		Scaling any                        `json:"rope_scaling"`
		Local   json.RawMessage            `json:"local_rope_theta"`
	}
	if err := jsonfile.Unmarshal(config, &file); err != nil {
		return err
	}
	if file.Scaling != nil {
		return errors.New("rope_scaling is not supported")
	}
	if string(file.Local) == "null" {
		g.LocalTheta = g.GlobalTheta
	}
	for _, name := range slices.Sorted(maps.Keys(file.Rope)) {
		if name != fullAttention && name != slidingAttention {
			return fmt.Errorf("rope_parameters has %q, and %s and %s are what layers have", name, fullAttention, slidingAttention)
		}
	}
	for name, theta := range map[string]*float64{fullAttention: &g.GlobalTheta, slidingAttention: &g.LocalTheta} {
		var r rope
		if value := file.Rope[name]; value != nil {
			if err := jsonfile.Unmarshal(value, &r); err != nil {
				return fmt.Errorf("rope_parameters: %s: %w", name, err)
			}
		}
		if kind := cmp.Or(r.Type, r.Old, "default"); kind != "default" {
			return fmt.Errorf("the rope_type %q is not supported, only default", kind)
		}
		if r.Theta != nil {
			*theta = *r.Theta
		}
	}
	if file.Types == nil || g.LocalTokens < 2 { // which is another fault
		return nil
	}
	for g.GlobalEvery = 1; g.GlobalEvery <= max(1, layers); g.GlobalEvery++ {
		types := make([]string, layers)
		for i := range types {
			if types[i] = slidingAttention; g.Window(i) == 0 {
				types[i] = fullAttention
			}
		}
		if slices.Equal(types, file.Types) {
			return nil
		}
	}
	return fmt.Errorf("layer_types are not supported unless there are %d, of which the first and each n-th after it are %s and the others %s",
		layers, fullAttention, slidingAttention)
}

// validate returns all faults at once.
func (g Gated) validate(c Config, field func(name string) string) error {
	var errs fault.List
	errs.Check(c.Layers != 0, "%s of a modernbert is 0, it must be at least 1: transformers opens none without layers", field("num_hidden_layers"))
	errs.Check(c.Heads <= 0 || c.HiddenSize/c.Heads%2 == 0, "%s %d over %s %d is odd: values are turned in pairs",
		field("hidden_size"), c.HiddenSize, field("num_attention_heads"), c.Heads)
	errs.Check(g.GlobalEvery >= 1, "global_attn_every_n_layers is %d, it must be at least 1", g.GlobalEvery)
	errs.Check(g.LocalTokens >= 2, "local_attention is %d, it must be at least 2", g.LocalTokens)
	errs.Check(g.GlobalTheta > 0 && g.LocalTheta > 0, "global_rope_theta and local_rope_theta are %v and %v, they must be above 0",
		g.GlobalTheta, g.LocalTheta)
	checkActivation(&errs, "classifier_activation", g.ClassifierActivation)
	return errs.Err()
}
