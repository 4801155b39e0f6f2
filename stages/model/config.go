// Package model reads and writes the folder of an encoder as Hugging Face and
// sentence-transformers keep it: config.json, the tokenizer's files, weights in
// safetensors, modules and pooling.
package model

import "sentweave/schemas/fault"

// Config is config.json of a BERT. Fields that do not matter here are not kept.
type Config struct {
	VocabularySize   int     `json:"vocab_size"`
	HiddenSize       int     `json:"hidden_size"`
	Layers           int     `json:"num_hidden_layers"`
	Heads            int     `json:"num_attention_heads"`
	IntermediateSize int     `json:"intermediate_size"`
	MaxPositions     int     `json:"max_position_embeddings"`
	TokenTypes       int     `json:"type_vocab_size"`
	LayerNormEpsilon float64 `json:"layer_norm_eps"`
	HiddenDropout    float64 `json:"hidden_dropout_prob"`
	AttentionDropout float64 `json:"attention_probs_dropout_prob"`
	InitializerRange float64 `json:"initializer_range"`
	Activation       string  `json:"hidden_act"`
	ModelType        string  `json:"model_type"`
	PositionType     string  `json:"position_embedding_type,omitempty"`
	PadID            int     `json:"pad_token_id"`
	Decoder          bool    `json:"is_decoder,omitempty"`
}

// DefaultConfig is BERT base: 12 layers of 768 (Devlin et al. 2019, section 3).
func DefaultConfig() Config {
	return Config{
		VocabularySize: 30522, HiddenSize: 768, Layers: 12, Heads: 12, IntermediateSize: 3072, MaxPositions: 512, TokenTypes: 2,
		LayerNormEpsilon: 1e-12, HiddenDropout: .1, AttentionDropout: .1, InitializerRange: .02, Activation: "gelu", ModelType: "bert",
		PositionType: "absolute",
	}
}

// otherTokenizers are those of models that are often taken for BERTs.
var otherTokenizers = map[string]string{
	"roberta": "byte-level BPE", "deberta": "byte-level BPE", "modernbert": "byte-level BPE",
	"xlm-roberta": "SentencePiece", "camembert": "SentencePiece", "albert": "SentencePiece", "deberta-v2": "SentencePiece",
}

// Validate returns all faults at once, also what this program cannot run.
func (c Config) Validate() error {
	var errs fault.List
	for _, size := range []struct {
		name       string
		value, max int
	}{
		{"vocab_size", c.VocabularySize, 1 << 24}, {"hidden_size", c.HiddenSize, 1 << 16},
		{"num_attention_heads", c.Heads, 1 << 10}, {"intermediate_size", c.IntermediateSize, 1 << 20},
		{"max_position_embeddings", c.MaxPositions, 1 << 20}, {"type_vocab_size", c.TokenTypes, 1 << 10},
	} {
		errs.Check(size.value >= 1 && size.value <= size.max, "%s is %d, it must be from 1 to %d", size.name, size.value, size.max)
	}
	if c.Layers < 0 || c.Layers > 1<<10 { // without layers it is a bag of embeddings
		errs.Addf("num_hidden_layers is %d, it must be from 0 to %d", c.Layers, 1<<10)
	}
	errs.Check(c.Heads <= 0 || c.HiddenSize%c.Heads == 0, "hidden_size %d is not a multiple of num_attention_heads %d", c.HiddenSize,
		c.Heads)
	errs.Check(c.PadID >= 0 && c.PadID < max(c.VocabularySize, 1), "pad_token_id is %d, it must be from 0 and below vocab_size %d", c.PadID,
		c.VocabularySize)
	for _, p := range []struct {
		name  string
		value float64
	}{{"hidden_dropout_prob", c.HiddenDropout}, {"attention_probs_dropout_prob", c.AttentionDropout}} {
		errs.Check(p.value >= 0 && p.value < 1, "%s is %v, it must be in [0, 1)", p.name, p.value)
	}
	errs.Check(c.LayerNormEpsilon > 0, "layer_norm_eps is %v, it must be above 0", c.LayerNormEpsilon)
	errs.Check(c.InitializerRange >= 0, "initializer_range is %v, it must not be negative", c.InitializerRange)
	errs.Check(c.Activation == "gelu", "hidden_act %q is not supported, only gelu", c.Activation)
	if tokenizer, ok := otherTokenizers[c.ModelType]; ok {
		errs.Addf("model_type %q is not supported, only bert: its tokenizer is %s, this program reads WordPiece", c.ModelType, tokenizer)
	} else if c.ModelType != "bert" {
		errs.Addf("model_type %q is not supported, only bert", c.ModelType)
	}
	errs.Check(c.PositionType == "" || c.PositionType == "absolute", "position_embedding_type %q is not supported, only absolute",
		c.PositionType)
	errs.Check(!c.Decoder, "is_decoder is true: a decoder, whose tokens see only those before them, is not supported")
	return errs.Err()
}
