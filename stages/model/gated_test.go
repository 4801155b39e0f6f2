package model

import (
	"strings"
	"testing"
)

// What transformers 4 and 5 write of ModernBERT is the same; what is not run is refused by name.
func TestParseModernBERT(t *testing.T) {
	for _, test := range []struct {
		name, fields, want string // the error
		change             func(*Config)
	}{
		{"nothing but the type", ``, "", func(*Config) {}},
		{"of transformers 4", `"hidden_activation": "relu", "norm_eps": 0.5, "layer_norm_eps": 0.25, "mlp_dropout": 0.125,
			"attention_dropout": 0.25, "embedding_dropout": 0.5, "global_attn_every_n_layers": 2, "local_attention": 64,
			"global_rope_theta": 7.0, "local_rope_theta": 8, "norm_bias": true, "position_embedding_type": "absolute",
			"deterministic_flash_attn": false, "classifier_pooling": "mean"`, "", func(c *Config) {
			c.Activation, c.LayerNormEpsilon, c.HiddenDropout, c.AttentionDropout, c.PositionType = LayerReLU, .5, .125, .25, "absolute"
			c.Gated = Gated{EmbeddingDropout: .5, NormBias: true, ClassifierActivation: GELU, GlobalEvery: 2, LocalTokens: 64,
				GlobalTheta: 7, LocalTheta: 8}
		}},
		{"of transformers 5", `"num_hidden_layers": 3, "layer_types": ["full_attention", "sliding_attention", "full_attention"],
			"rope_parameters": {"full_attention": {"rope_theta": 7, "rope_type": "default"}, "sliding_attention": {"rope_theta": 8.0}}`, "",
			func(c *Config) { c.Layers, c.GlobalEvery, c.GlobalTheta, c.LocalTheta = 3, 2, 7, 8 }},
		{"all see all", `"num_hidden_layers": 2, "layer_types": ["full_attention", "full_attention"]`, "",
			func(c *Config) { c.Layers, c.GlobalEvery = 2, 1 }},
		{"the first alone", `"num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]`, "",
			func(c *Config) { c.Layers, c.GlobalEvery = 2, 2 }},
		{"local at first", `"num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]`,
			"layer_types are not supported unless there are 2", nil},
		{"too few", `"num_hidden_layers": 2, "layer_types": ["full_attention"]`, "layer_types are not supported", nil},
		{"other angles", `"rope_parameters": {"full_attention": {"rope_type": "yarn"}}`,
			`the rope_type "yarn" is not supported`, nil},
		{"other angles, as of old", `"rope_parameters": {"sliding_attention": {"type": "linear", "factor": 4, "rope_theta": 8}}`,
			`the rope_type "linear" is not supported`, nil},
		{"angles of no layers", `"rope_parameters": {"rope_type": "default", "rope_theta": 8}`, "and full_attention and", nil},
		{"one angle for all", `"global_rope_theta": 7, "local_rope_theta": null`, "",
			func(c *Config) { c.GlobalTheta, c.LocalTheta = 7, 7 }},
		{"scaled angles", `"rope_scaling": {"type": "linear", "factor": 2}`, "rope_scaling", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := ParseConfig([]byte(strings.TrimSuffix(`{"model_type": "modernbert", `+test.fields, ", ") + "}"))
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
				return
			}
			want := ConfigOf("modernbert")
			test.change(&want)
			if err != nil || c != want || c.Validate() != nil {
				t.Errorf("%+v, want %+v; errors %v, %v", c, want, err, c.Validate())
			}
		})
	}
}
