package evaluate

import "testing"

// bertFolder writes an encoder without weights, with two layers and CLS as its pooling.
func bertFolder(t *testing.T) string {
	t.Helper()
	return write(t, t.TempDir(), map[string]string{
		"config.json":  `{"model_type":"bert","vocab_size":5,"hidden_size":4,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":8,"max_position_embeddings":16,"hidden_act":"gelu"}`,
		"vocab.txt":    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n",
		"modules.json": `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json": `{"word_embedding_dimension":4,"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false,
			"pooling_mode_max_tokens":false,"pooling_mode_mean_sqrt_len_tokens":false}`,
	})
}
