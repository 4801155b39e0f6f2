// Package model reads and writes the folder of an encoder as Hugging Face and
// sentence-transformers keep it: config.json, the tokenizer's files, weights in
// safetensors, modules and pooling.
package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
)

// Config is config.json, with the names that BERT has for its fields; ParseConfig reads those of other architectures. Fields that
// do not matter here are not kept.
type Config struct {
	VocabularySize   int     `json:"vocab_size"`
	HiddenSize       int     `json:"hidden_size"`
	Layers           int     `json:"num_hidden_layers"`
	Heads            int     `json:"num_attention_heads"`
	IntermediateSize int     `json:"intermediate_size"`
	MaxPositions     int     `json:"max_position_embeddings"`
	TokenTypes       int     `json:"type_vocab_size,omitempty"`
	LayerNormEpsilon float64 `json:"layer_norm_eps"`
	HiddenDropout    float64 `json:"hidden_dropout_prob"`
	AttentionDropout float64 `json:"attention_probs_dropout_prob"`
	InitializerRange float64 `json:"initializer_range"`
	Activation       string  `json:"hidden_act"`
	ModelType        string  `json:"model_type"`
	PositionType     string  `json:"position_embedding_type,omitempty"`
	PadID            int     `json:"pad_token_id"`
	Decoder          bool    `json:"is_decoder,omitempty"`
	// Buckets are those of the distances of tokens that have a bias in attention, 0 where the architecture has none.
	Buckets int `json:"relative_attention_num_buckets,omitempty"`
	Gated
}

// Activations of layers, as config.json names them.
const (
	GELU      = "gelu"     // exact, by the error function
	GELUNew   = "gelu_new" // its approximation by tanh
	LayerReLU = "relu"
	LayerTanh = "tanh"
)

// otherNames are those that transformers has for these activations besides.
var otherNames = map[string]string{
	"gelu_python": GELU, "gelu_fast": GELUNew, "gelu_pytorch_tanh": GELUNew, "gelu_accurate": GELUNew, "gelu_python_tanh": GELUNew,
}

// DefaultConfig is BERT base: 12 layers of 768 (Devlin et al. 2019, section 3).
func DefaultConfig() Config {
	return Config{
		VocabularySize: 30522, HiddenSize: 768, Layers: 12, Heads: 12, IntermediateSize: 3072, MaxPositions: 512, TokenTypes: 2,
		LayerNormEpsilon: 1e-12, HiddenDropout: .1, AttentionDropout: .1, InitializerRange: .02, Activation: GELU, ModelType: "bert",
		PositionType: "absolute",
	}
}

// ConfigOf is that of base size of an architecture, one of Architectures, as transformers has it.
func ConfigOf(architecture string) Config {
	c := DefaultConfig()
	if a, ok := architectureOf(architecture); ok && a.base != nil {
		return *a.base
	} else if ok && architecture != c.ModelType {
		c.ModelType, c.PositionType = architecture, ""
		c.PadID, c.Layers, c.Buckets = a.padding, a.layers, a.buckets
		if !a.kinds {
			c.TokenTypes = 0
		}
	}
	return c
}

// ParseConfig reads the content of a config.json. What a file leaves out is as transformers has it for the architecture. Old files
// without a model_type have the one of the class that they name in architectures; a file with neither is an error.
func ParseConfig(data []byte) (Config, error) {
	c := DefaultConfig()
	kind := struct {
		ModelType string   `json:"model_type"`
		Classes   []string `json:"architectures"`
	}{}
	if err := jsonfile.Unmarshal(data, &kind); err != nil {
		return c, err
	}
	if kind.ModelType == "" {
		if kind.ModelType = typeOf(kind.Classes); kind.ModelType == "" {
			return c, fmt.Errorf(`it has no model_type, and no architectures that tell one of %s: write "model_type": "bert" into it, or what the model is`,
				strings.Join(Architectures(), ", "))
		}
	}
	a, ok := architectureOf(kind.ModelType)
	c = ConfigOf(kind.ModelType)
	c.PositionType = "" // files of old models leave out what then had one value only
	if len(a.fields) > 0 {
		var fields map[string]json.RawMessage
		if err := jsonfile.Unmarshal(data, &fields); err != nil {
			return c, err
		}
		bert := map[string]json.RawMessage{}
		for name, value := range fields {
			if _, both := fields[a.field(name)]; !both || a.field(name) == name { // its own name counts more
				bert[renamed(name, a.fields, 0)] = value
			}
		}
		var err error
		if data, err = json.Marshal(bert); err != nil {
			return c, err
		}
	}
	err := jsonfile.Unmarshal(data, &c)
	if err == nil && c.IsGated() {
		err = c.readTypes(data, c.Layers)
	}
	for _, activation := range []*string{&c.Activation, &c.ClassifierActivation} {
		*activation = cmp.Or(otherNames[*activation], *activation)
	}
	c.ModelType = kind.ModelType
	if ok && !a.kinds { // whatever the file says
		c.TokenTypes = 0
	}
	return c, err
}

// file is the content of config.json.
func (c Config) file() (any, error) {
	a, _ := architectureOf(c.ModelType)
	bert := struct {
		Architectures []string `json:"architectures"`
		Config
	}{[]string{a.class}, c}
	if len(a.fields) == 0 {
		return bert, nil
	}
	data, err := json.Marshal(bert)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := jsonfile.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	file := map[string]any{}
	for name, value := range fields {
		file[a.field(name)] = value
	}
	return file, nil
}

// FirstPosition is the row of the embeddings of positions that a text's first token has.
func (c Config) FirstPosition() int {
	if a, _ := architectureOf(c.ModelType); a.afterPadding {
		return c.PadID + 1
	}
	return 0
}

// MaxTokens is the most tokens for which there are positions.
func (c Config) MaxTokens() int { return c.MaxPositions - c.FirstPosition() }

// HeadActivation is that of the head of a masked language model.
func (c Config) HeadActivation() string {
	if a, _ := architectureOf(c.ModelType); a.plainHead {
		return GELU
	}
	return cmp.Or(c.ClassifierActivation, c.Activation)
}

// DropsAttention says whether what attention adds to its input has dropout in training.
func (c Config) DropsAttention() bool {
	a, _ := architectureOf(c.ModelType)
	return !a.bareAttention
}

// Validate returns all faults at once, also what this program cannot run.
func (c Config) Validate() error { return c.ValidateAs(func(string) string { return "" }) }

// ValidateAs is Validate where settings, by the names that BERT's config.json has for them, have other names, or "" for those of the
// architecture's own config.json.
func (c Config) ValidateAs(named func(field string) string) error {
	var errs fault.List
	a, supported := architectureOf(c.ModelType)
	field := func(name string) string { return cmp.Or(named(name), a.field(name)) }
	least, buckets := 1, c.Buckets
	if supported {
		buckets = a.buckets
	}
	if supported && !a.kinds {
		least = 0
	}
	for _, size := range []struct {
		name            string
		value, min, max int
	}{
		{"vocab_size", c.VocabularySize, 1, 1 << 24}, {"hidden_size", c.HiddenSize, 1, 1 << 16},
		{"num_attention_heads", c.Heads, 1, 1 << 10}, {"intermediate_size", c.IntermediateSize, 1, 1 << 20},
		{"max_position_embeddings", c.MaxPositions, 1 + c.FirstPosition(), 1 << 20}, {"type_vocab_size", c.TokenTypes, least, least << 10},
		{"num_hidden_layers", c.Layers, 0, 1 << 10}, // without layers it is a bag of embeddings
		{"relative_attention_num_buckets", c.Buckets, buckets, buckets},
	} {
		errs.Check(size.value >= size.min && size.value <= size.max, "%s is %d, it must be %s", field(size.name), size.value,
			interval(size.min, size.max))
	}
	errs.Check(c.Heads <= 0 || c.HiddenSize%c.Heads == 0, "%s %d is not a multiple of %s %d", field("hidden_size"), c.HiddenSize,
		field("num_attention_heads"), c.Heads)
	errs.Check(c.PadID >= 0 && c.PadID < max(c.VocabularySize, 1), "pad_token_id is %d, it must be from 0 and below vocab_size %d", c.PadID,
		c.VocabularySize)
	errs.Check(c.ModelType != "mpnet" || c.PadID == mpnetPadding, "pad_token_id of an mpnet is %d, it must be %d: padding is the second piece of its vocabulary",
		c.PadID, mpnetPadding)
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"hidden_dropout_prob", c.HiddenDropout}, {"attention_probs_dropout_prob", c.AttentionDropout},
		{"embedding_dropout", c.EmbeddingDropout},
	} {
		errs.Check(p.value >= 0 && p.value < 1, "%s is %v, it must be in [0, 1)", field(p.name), p.value)
	}
	errs.Check(c.LayerNormEpsilon > 0, "%s is %v, it must be above 0", field("layer_norm_eps"), c.LayerNormEpsilon)
	errs.Check(c.InitializerRange >= 0, "%s is %v, it must not be negative", field("initializer_range"), c.InitializerRange)
	checkActivation(&errs, field("hidden_act"), c.Activation)
	if c.IsGated() {
		errs.Add(c.Gated.validate(c, field))
	}
	errs.Check(supported, "model_type %q is not supported, only %s: encode texts with such a model elsewhere, and measure its vectors",
		c.ModelType, strings.Join(Architectures(), ", "))
	errs.Check(c.PositionType == "" || c.PositionType == "absolute", "position_embedding_type %q is not supported, only absolute",
		c.PositionType)
	errs.Check(!c.Decoder, "is_decoder is true: a decoder, whose tokens see only those before them, is not supported")
	return errs.Err()
}

func checkActivation(errs *fault.List, name, activation string) {
	switch activation {
	case GELU, GELUNew, LayerReLU, LayerTanh:
	default:
		errs.Addf("%s %q is not supported, only %s, %s, %s and %s", name, activation, GELU, GELUNew, LayerReLU, LayerTanh)
	}
}

// interval names the whole numbers from one to another.
func interval(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("from %d to %d", least, most)
}
