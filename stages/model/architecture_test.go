package model

import "testing"

// What is stored under the names of an architecture is found by BERT's.
func TestStoredNames(t *testing.T) {
	for _, test := range []struct{ architecture, name, stored string }{
		{"bert", "encoder.layer.11.attention.output.LayerNorm.bias", "encoder.layer.11.attention.output.LayerNorm.bias"},
		{"roberta", "embeddings.token_type_embeddings.weight", "embeddings.token_type_embeddings.weight"},
		{"xlm-roberta", HeadName + "transform.LayerNorm.weight", "lm_head.layer_norm.weight"},
		{"camembert", sharedBias, "lm_head.bias"},
		{"distilbert", "encoder.layer.1.attention.self.query.weight", "transformer.layer.1.attention.q_lin.weight"},
		{"distilbert", "encoder.layer.1.attention.output.dense.bias", "transformer.layer.1.attention.out_lin.bias"},
		{"distilbert", "encoder.layer.1.attention.output.LayerNorm.bias", "transformer.layer.1.sa_layer_norm.bias"},
		{"distilbert", "encoder.layer.1.intermediate.dense.bias", "transformer.layer.1.ffn.lin1.bias"},
		{"distilbert", "encoder.layer.1.output.dense.weight", "transformer.layer.1.ffn.lin2.weight"},
		{"distilbert", "encoder.layer.1.output.LayerNorm.weight", "transformer.layer.1.output_layer_norm.weight"},
		{"distilbert", decoderBias, "vocab_projector.bias"},
		{"mpnet", "encoder.layer.1.attention.self.value.weight", "encoder.layer.1.attention.attn.v.weight"},
		{"mpnet", "encoder.layer.1.attention.output.dense.bias", "encoder.layer.1.attention.attn.o.bias"},
		{"mpnet", "encoder.layer.1.attention.output.LayerNorm.bias", "encoder.layer.1.attention.LayerNorm.bias"},
		{"mpnet", "encoder.relative_attention_bias.weight", "encoder.relative_attention_bias.weight"},
		{"modernbert", "encoder.layer.1.attention.self.query_key_value.weight", "layers.1.attn.Wqkv.weight"},
		{"modernbert", "encoder.layer.1.attention.output.dense.weight", "layers.1.attn.Wo.weight"},
		{"modernbert", "encoder.layer.1.attention.output.LayerNorm.weight", "layers.1.attn_norm.weight"},
		{"modernbert", "encoder.layer.1.output.LayerNorm.weight", "layers.1.mlp_norm.weight"},
		{"modernbert", "encoder.layer.1.intermediate.dense.weight", "layers.1.mlp.Wi.weight"},
		{"modernbert", "encoder.layer.1.output.dense.weight", "layers.1.mlp.Wo.weight"},
		{"modernbert", "encoder.LayerNorm.weight", "final_norm.weight"},
		{"modernbert", "embeddings.LayerNorm.weight", "embeddings.norm.weight"},
		{"modernbert", HeadName + "transform.LayerNorm.weight", "head.norm.weight"},
		{"modernbert", decoderBias, "decoder.bias"},
	} {
		if got := ConfigOf(test.architecture).StoredName(test.name); got != test.stored {
			t.Errorf("%s: %s is stored as %s, want %s", test.architecture, test.name, got, test.stored)
		}
		a, _ := architectureOf(test.architecture)
		for _, stored := range []string{test.stored, a.prefix + test.stored, test.name} {
			if got := Canonical(stored); got != test.name {
				t.Errorf("%s: %s is %s, want %s", test.architecture, stored, got, test.name)
			}
		}
	}
	if got := Canonical("bert.embeddings.LayerNorm.gamma"); got != "embeddings.LayerNorm.weight" {
		t.Errorf("an old name is %s", got)
	}
}
