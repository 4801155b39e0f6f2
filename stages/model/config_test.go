package model

import (
	"math"
	"strings"
	"testing"
)

func TestConfigFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		reason string // "" is valid
	}{
		{"BERT base", func(*Config) {}, ""},
		{"no layers", func(c *Config) { c.Layers = 0 }, ""},
		{"no dropout", func(c *Config) { c.HiddenDropout, c.AttentionDropout = 0, 0 }, ""},
		{"no type of positions", func(c *Config) { c.PositionType = "" }, ""},
		{"last piece pads", func(c *Config) { c.PadID = c.VocabularySize - 1 }, ""},
		{"vocabulary", func(c *Config) { c.VocabularySize = 0 }, "vocab_size is 0, it must be from 1 to 16777216"},
		{"vocabulary of millions", func(c *Config) { c.VocabularySize = 1<<24 + 1 }, "vocab_size is 16777217"},
		{"hidden", func(c *Config) { c.HiddenSize = -12 }, "hidden_size is -12, it must be from 1 to 65536"},
		{"heads", func(c *Config) { c.Heads = 0 }, "num_attention_heads is 0, it must be from 1 to 1024"},
		{"intermediate", func(c *Config) { c.IntermediateSize = 1 << 21 }, "intermediate_size is 2097152, it must be from 1 to 1048576"},
		{"positions", func(c *Config) { c.MaxPositions = 0 }, "max_position_embeddings is 0, it must be from 1 to 1048576"},
		{"token types", func(c *Config) { c.TokenTypes = 0 }, "type_vocab_size is 0, it must be from 1 to 1024"},
		{"layers", func(c *Config) { c.Layers = -1 }, "num_hidden_layers is -1, it must be from 0 to 1024"},
		{"heads do not divide", func(c *Config) { c.Heads = 7 }, "hidden_size 768 is not a multiple of num_attention_heads 7"},
		{"padding below", func(c *Config) { c.PadID = -1 }, "pad_token_id is -1, it must be from 0 and below vocab_size 30522"},
		{"padding above", func(c *Config) { c.PadID = 30522 }, "pad_token_id is 30522, it must be from 0 and below vocab_size 30522"},
		{"hidden dropout", func(c *Config) { c.HiddenDropout = 1 }, "hidden_dropout_prob is 1, it must be in [0, 1)"},
		{"attention dropout", func(c *Config) { c.AttentionDropout = math.NaN() },
			"attention_probs_dropout_prob is NaN, it must be in [0, 1)"},
		{"epsilon", func(c *Config) { c.LayerNormEpsilon = 0 }, "layer_norm_eps is 0, it must be above 0"},
		{"epsilon NaN", func(c *Config) { c.LayerNormEpsilon = math.NaN() }, "layer_norm_eps is NaN"},
		{"initializer", func(c *Config) { c.InitializerRange = -.02 }, "initializer_range is -0.02, it must not be negative"},
		{"activation", func(c *Config) { c.Activation = "silu" }, `hidden_act "silu" is not supported, only gelu, gelu_new, relu and tanh`},
		{"type of model", func(c *Config) { c.ModelType = "albert" },
			`model_type "albert" is not supported, only bert, roberta, xlm-roberta, camembert, distilbert, mpnet, modernbert: encode`},
		{"RoBERTa", func(c *Config) { *c = ConfigOf("roberta") }, ""},
		{"RoBERTa without room", func(c *Config) { *c = ConfigOf("camembert"); c.MaxPositions = 2 },
			"max_position_embeddings is 2, it must be from 3 to 1048576"},
		{"kinds of DistilBERT", func(c *Config) { *c = ConfigOf("distilbert"); c.TokenTypes = 2 }, "type_vocab_size is 2, it must be 0"},
		{"heads of DistilBERT", func(c *Config) { *c = ConfigOf("distilbert"); c.Heads = 7 }, "dim 768 is not a multiple of n_heads 7"},
		{"buckets of MPNet", func(c *Config) { *c = ConfigOf("mpnet"); c.Buckets = 16 },
			"relative_attention_num_buckets is 16, it must be 32"},
		{"buckets of BERT", func(c *Config) { c.Buckets = 32 }, "relative_attention_num_buckets is 32, it must be 0"},
		{"ModernBERT", func(c *Config) { *c = ConfigOf("modernbert") }, ""},
		{"epsilon of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.LayerNormEpsilon = 0 },
			"norm_eps is 0, it must be above 0"},
		{"heads of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.Heads = 256 }, "768 over num_attention_heads 256 is odd"},
		{"window of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.LocalTokens = 1 },
			"local_attention is 1, it must be at least 2"},
		{"layers of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.GlobalEvery = 0 }, "global_attn_every_n_layers is 0"},
		{"angles of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.LocalTheta = math.NaN() },
			"global_rope_theta and local_rope_theta are"},
		{"no layers of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.Layers = 0 },
			"num_hidden_layers of a modernbert is 0"},
		{"head of ModernBERT", func(c *Config) { *c = ConfigOf("modernbert"); c.ClassifierActivation = "silu" },
			`classifier_activation "silu"`},
		{"padding of MPNet", func(c *Config) { *c = ConfigOf("mpnet"); c.PadID = 0 }, "pad_token_id of an mpnet is 0, it must be 1"},
		{"type of positions", func(c *Config) { c.PositionType = "relative_key" },
			`position_embedding_type "relative_key" is not supported, only absolute`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := DefaultConfig()
			test.change(&c)
			wantFault(t, c.Validate(), test.reason)
		})
	}
}

// wantFault checks that an error is the one of a reason and no other.
func wantFault(t *testing.T, err error, reason string) {
	t.Helper()
	switch {
	case reason == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case reason != "" && (err == nil || !strings.Contains(err.Error(), reason)):
		t.Errorf("error %v, want %q", err, reason)
	case err != nil && strings.Contains(err.Error(), "\n"):
		t.Errorf("more than one fault: %v", err)
	}
}

// The names that transformers has for an activation besides are read as the first one.
func TestActivationsByOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"model_type": "bert", "hidden_act": "gelu_pytorch_tanh"}`:                  GELUNew,
		`{"model_type": "distilbert", "activation": "gelu_fast"}`:                    GELUNew,
		`{"model_type": "modernbert", "hidden_activation": "gelu_python"}`:           GELU,
		`{"model_type": "modernbert", "classifier_activation": "gelu_pytorch_tanh"}`: GELU,
		`{"model_type": "bert", "hidden_act": "quick_gelu"}`:                         "quick_gelu",
	} {
		if c, err := ParseConfig([]byte(text)); err != nil || c.Activation != want {
			t.Errorf("%s has %q with error %v, want %q", text, c.Activation, err, want)
		}
	}
}

func TestConfigReportsAllFaults(t *testing.T) {
	err := Config{Layers: -1, PadID: -1, HiddenDropout: -1, AttentionDropout: -1, InitializerRange: -1, PositionType: "rotary"}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{
		"vocab_size", "hidden_size", "num_attention_heads", "intermediate_size", "max_position_embeddings", "type_vocab_size",
		"num_hidden_layers", "pad_token_id", "hidden_dropout_prob", "attention_probs_dropout_prob", "layer_norm_eps", "initializer_range",
		"hidden_act", "model_type", "position_embedding_type",
	} {
		if strings.Count("\n"+err.Error(), "\n"+name) != 1 {
			t.Errorf("%s is not reported once: %v", name, err)
		}
	}
}
