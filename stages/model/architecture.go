package model

import (
	"slices"
	"strings"
)

// architecture is a kind of encoder. All but the last have the layers of BERT, attention and two products with a norm after each,
// and differ in the names of their weights and settings and in what is added to tokens and to the scores of attention.
type architecture struct {
	// name is model_type of config.json, class that of transformers.
	name, class string
	// prefix begins the names of weights in files of a class with a head.
	prefix string
	// weights and fields are pairs: a part of a name as BERT has it, and what it is in files.
	weights, fields []string
	// afterPadding has positions count from the one behind the id of padding.
	afterPadding bool
	// padding and layers are those of a config.json that does not say; kinds says whether there are embeddings of kinds of tokens.
	padding, layers int
	kinds           bool
	// buckets are those of distances in the scores of attention, 0 for none.
	buckets int
	// plainHead has the exact GELU in the head of a masked language model, whatever the layers have.
	plainHead bool
	// bareAttention has no dropout of what attention adds; poolerless is without the layer that classifies.
	bareAttention, poolerless bool
	// base is the configuration where BERT's has too little in common with it; it is nil elsewhere.
	base *Config
}

// robertaHead are the names of RoBERTa's head of a masked language model.
var robertaHead = []string{
	HeadName + "transform.dense.", "lm_head.dense.", HeadName + "transform.LayerNorm.", "lm_head.layer_norm.",
	HeadName + "decoder.", "lm_head.decoder.", sharedBias, "lm_head.bias",
}

// architectures are those that encoders may have. The first one is that of new encoders if nothing else is said.
var architectures = []architecture{
	{name: "bert", class: "BertModel", prefix: "bert.", layers: 12, kinds: true},
	roberta("roberta", "RobertaModel"),
	roberta("xlm-roberta", "XLMRobertaModel"),
	roberta("camembert", "CamembertModel"),
	{
		name: "distilbert", class: "DistilBertModel", prefix: "distilbert.", layers: 6, bareAttention: true, poolerless: true,
		weights: []string{
			"encoder.layer.", "transformer.layer.", ".attention.self.query.", ".attention.q_lin.",
			".attention.self.key.", ".attention.k_lin.", ".attention.self.value.", ".attention.v_lin.",
			".attention.output.dense.", ".attention.out_lin.",
			".attention.output.LayerNorm.", ".sa_layer_norm.", ".intermediate.dense.", ".ffn.lin1.", ".output.dense.", ".ffn.lin2.",
			".output.LayerNorm.", ".output_layer_norm.", HeadName + "transform.dense.", "vocab_transform.",
			HeadName + "transform.LayerNorm.", "vocab_layer_norm.", HeadName + "decoder.", "vocab_projector.",
		},
		fields: []string{
			"hidden_size", "dim", "num_hidden_layers", "n_layers", "num_attention_heads", "n_heads", "intermediate_size", "hidden_dim",
			"hidden_dropout_prob", "dropout", "attention_probs_dropout_prob", "attention_dropout", "hidden_act", "activation",
		},
	},
	{
		name: "mpnet", class: "MPNetModel", prefix: "mpnet.", layers: 12, afterPadding: true, padding: mpnetPadding, buckets: 32,
		plainHead: true,
		weights: append([]string{
			".attention.self.query.", ".attention.attn.q.", ".attention.self.key.", ".attention.attn.k.",
			".attention.self.value.", ".attention.attn.v.", ".attention.output.dense.", ".attention.attn.o.",
			".attention.output.LayerNorm.", ".attention.LayerNorm.",
		}, robertaHead...),
	},
	modernBERT,
}

// mpnetPadding is the only id from which transformers counts the positions of an MPNet.
const mpnetPadding = 1

func roberta(name, class string) architecture {
	return architecture{name: name, class: class, prefix: "roberta.", layers: 12, afterPadding: true, padding: 1, kinds: true,
		plainHead: true, weights: robertaHead}
}

// Architectures are the values of model_type that an encoder may have.
func Architectures() (names []string) {
	for _, a := range architectures {
		names = append(names, a.name)
	}
	return names
}

// architectureOf returns the one of a model_type, false for one that is not supported.
func architectureOf(name string) (architecture, bool) {
	i := slices.IndexFunc(architectures, func(a architecture) bool { return a.name == name })
	if i < 0 {
		return architecture{}, false
	}
	return architectures[i], true
}

// typeOf is the model_type of the first class whose architecture is one of ours, such as BertForMaskedLM; "" for none.
func typeOf(classes []string) string {
	for _, class := range classes {
		for _, a := range architectures {
			head, ok := strings.CutPrefix(class, strings.TrimSuffix(a.class, "Model"))
			if ok && (head == "Model" || strings.HasPrefix(head, "For")) {
				return a.name
			}
		}
	}
	return ""
}

// field is the name in config.json of a setting that BERT calls so.
func (a architecture) field(name string) string { return renamed(name, a.fields, 1) }

// renamed replaces a name by the other one of its pair; side is 1 to go from BERT's names to those of files, 0 to go back.
func renamed(name string, pairs []string, side int) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1-side] == name {
			return pairs[i+side]
		}
	}
	return name
}

// StoredName is the name in files of a weight that BERT calls so.
func (c Config) StoredName(name string) string {
	a, _ := architectureOf(c.ModelType)
	return strings.NewReplacer(a.weights...).Replace(name)
}

// bertNames turn names of files into BERT's. Those that begin a name have a mark before them, as they may be parts of others.
var bertNames = func() *strings.Replacer {
	var pairs []string
	for _, a := range architectures {
		for i := 0; i < len(a.weights); i += 2 {
			if strings.HasPrefix(a.weights[i], ".") {
				pairs = append(pairs, a.weights[i+1], a.weights[i])
			} else {
				pairs = append(pairs, "^"+a.weights[i+1], a.weights[i])
			}
		}
	}
	return strings.NewReplacer(pairs...)
}()

// Canonical returns the name by which BERT knows a weight that a file of any architecture names so. Old files end names in gamma
// and beta.
func Canonical(name string) string {
	for _, a := range architectures {
		if stem, ok := strings.CutPrefix(name, a.prefix); ok {
			name = stem
			break
		}
	}
	name = strings.TrimPrefix(bertNames.Replace("^"+name), "^")
	if stem, ok := strings.CutSuffix(name, ".gamma"); ok {
		return stem + ".weight"
	}
	if stem, ok := strings.CutSuffix(name, ".beta"); ok {
		return stem + ".bias"
	}
	return name
}
