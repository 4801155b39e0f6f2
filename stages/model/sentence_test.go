package model

import "testing"

// The settings of a Transformer count by any name that sentence-transformers reads, and those that would give other vectors are refused.
func TestSentenceSettings(t *testing.T) {
	const usual = "sentence_bert_config.json"
	for _, test := range []struct{ name, file, content, reason string }{
		{"by an older name", "sentence_roberta_config.json", `{"max_seq_length": 7, "do_lower_case": false}`, ""},
		{"as sentence-transformers 6 writes it", usual, `{"max_seq_length": 7, "transformer_task": "feature-extraction",
			"modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
			"module_output_name": "token_embeddings"}`, ""},
		{"arguments that decide nothing", usual,
			`{"max_seq_length": 7, "model_args": {"add_pooling_layer": false, "attn_implementation": "sdpa"}, "config_kwargs": {}}`, ""},
		{"of an older file", "sentence_xlm-roberta_config.json", `{"max_seq_length": 2}`,
			"sentence_xlm-roberta_config.json: max_seq_length is 2"},
		{"an argument of the settings", usual, `{"config_args": {"hidden_act": "relu"}}`,
			"the argument hidden_act is not supported, since it gives other vectors"},
		{"an argument of the tokenizer", usual, `{"processor_kwargs": {"model_max_length": 4}}`, "the argument model_max_length"},
		{"an argument of the weights", usual, `{"model_kwargs": {"subfolder": "onnx"}}`, "the argument subfolder"},
		{"another task", usual, `{"transformer_task": "fill-mask"}`, "transformer_task fill-mask is not supported"},
		{"another output", usual, `{"module_output_name": "sentence_embedding"}`, "module_output_name sentence_embedding"},
		{"the pooler", usual, `{"modality_config": {"text": {"method_output_name": "pooler_output"}}}`,
			"method_output_name pooler_output"},
		{"settings of the processor", usual, `{"processing_kwargs": {"text": {"max_length": 4}}}`, "processing_kwargs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(sentence().with(files{test.file: test.content}).stored(t))
			wantFault(t, err, test.reason)
			if err == nil && f.MaxTokens != 7 {
				t.Errorf("%d tokens, want 7", f.MaxTokens)
			}
		})
	}
	if decisive := Decisive(nil); !decisive("sentence_distilbert_config.json") || !decisive("added_tokens.json") || decisive("README.md") {
		t.Error("other files decide vectors")
	}
}
