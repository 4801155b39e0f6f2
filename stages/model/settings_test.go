package model

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/tokens/wordpiece"
)

func vocabulary(t testing.TB, text string) *wordpiece.Vocabulary {
	t.Helper()
	v, err := wordpiece.ReadVocabulary(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// settings returns a folder of valid settings, of no default value where there is
// a choice.
func settings() Folder {
	return Folder{
		Config: Config{
			VocabularySize: 13, HiddenSize: 6, Layers: 3, Heads: 2, IntermediateSize: 5, MaxPositions: 9, TokenTypes: 1,
			LayerNormEpsilon: 1e-5, HiddenDropout: .25, AttentionDropout: 0, InitializerRange: .5, Activation: "gelu", ModelType: "bert",
			PositionType: "absolute", PadID: 4,
		},
		Pooling: Mean, MaxTokens: 7, Tokenizer: wordpiece.Uncased,
	}
}

func TestWriteSettings(t *testing.T) {
	v := vocabulary(t, vocabularyText)
	for _, test := range []struct {
		name   string
		change func(*Folder)
	}{
		{"mean", func(*Folder) {}},
		{"max", func(f *Folder) { f.Pooling = Max }},
		{"cls", func(f *Folder) { f.Pooling = CLS }},
		{"normalized", func(f *Folder) { f.Normalize = true }},
		{"Dense", func(f *Folder) { f.Dense = []Dense{{DensePath(0), 6, 9, true, Tanh}} }},
		{"two of Dense, normalized", func(f *Folder) {
			f.Normalize, f.Dense = true, []Dense{{DensePath(0), 6, 9, true, ReLU}, {DensePath(1), 9, 4, false, Identity}}
		}},
		{"lens", func(f *Folder) { f.Pooling, f.LensSize = Lens, 4 }},
		{"second encoder", func(f *Folder) { f.Pooling, f.Second, f.Normalize = Max, true, true }},
		{"gated lens", func(f *Folder) {
			f.Pooling, f.LensSize, f.Gate = Lens, 4, GatedConv{Size: 5, Layers: 2, Width: 3, Skip: SkipEncoder}
		}},
		{"cased", func(f *Folder) { f.Tokenizer = wordpiece.Cased }},
		{"lowercase only", func(f *Folder) { f.Tokenizer = wordpiece.Options{Lowercase: true, KeepAccents: true} }},
		{"strip only", func(f *Folder) { f.Tokenizer = wordpiece.Options{} }},
		{"ideographs joined", func(f *Folder) { f.Tokenizer.JoinIdeographs = true }},
		{"most tokens", func(f *Folder) { f.MaxTokens = 9 }},
		{"least tokens", func(f *Folder) { f.MaxTokens = 3 }},
		{"no type of positions", func(f *Folder) { f.Config.PositionType = "" }},
		{"RoBERTa", func(f *Folder) { f.Config, f.Config.VocabularySize, f.MaxTokens = ConfigOf("roberta"), 13, 510 }},
		{"DistilBERT", func(f *Folder) {
			f.Config, f.Config.VocabularySize, f.Config.Activation = ConfigOf("distilbert"), 13, GELUNew
		}},
		{"MPNet", func(f *Folder) { f.Config, f.Config.VocabularySize = ConfigOf("mpnet"), 13 }},
		{"ModernBERT", func(f *Folder) {
			f.Config, f.Config.VocabularySize, f.Config.PadID, f.Config.NormBias = ConfigOf("modernbert"), 13, 4, true
		}},
		{"BERT base", func(f *Folder) { f.Config, f.Config.VocabularySize, f.MaxTokens = DefaultConfig(), 13, 512 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := settings()
			test.change(&want)
			v := v
			if want.Config.FirstPosition() > 0 { // whose padding has the id 1
				v = vocabulary(t, "[UNK]\n[PAD]"+strings.TrimPrefix(vocabularyText, "[PAD]\n[UNK]"))
			}
			want.Path = t.TempDir()
			if err := want.WriteSettings(want.Path, v); err != nil {
				t.Fatal(err)
			}
			got, err := Open(want.Path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("%+v, want %+v", *got, want)
			}
			read, err := got.Vocabulary()
			if err != nil || !slices.Equal(read.Pieces(), v.Pieces()) {
				t.Errorf("error %v: another vocabulary", err)
			}
		})
	}
}

// Other settings are written over those of before.
func TestWriteSettingsAgain(t *testing.T) {
	path := t.TempDir()
	first, second := settings(), settings()
	first.Normalize, first.Pooling = true, CLS
	second.Path, second.Tokenizer = path, wordpiece.Cased
	for _, f := range []Folder{first, second} {
		if err := f.WriteSettings(path, vocabulary(t, vocabularyText)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Open(path); err != nil || !reflect.DeepEqual(*got, second) {
		t.Errorf("%+v, error %v, want %+v", got, err, second)
	}
}

// TestWrittenFiles compares with what transformers and sentence-transformers read,
// by their documentation and the files of published models.
func TestWrittenFiles(t *testing.T) {
	path := t.TempDir()
	f := settings()
	f.Normalize = true
	if err := f.WriteSettings(path,
		vocabulary(t, strings.NewReplacer("[PAD]", "<pad>", "[UNK]", "<unk>", "[CLS]", "<cls>", "[SEP]", "<sep>", "[MASK]",
			"<mask>").Replace(vocabularyText))); err != nil {
		t.Fatal(err)
	}
	const special = `"unk_token": "<unk>", "sep_token": "<sep>", "pad_token": "<pad>", "cls_token": "<cls>", "mask_token": "<mask>"`
	want := files{
		"config.json": `{"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 13, "hidden_size": 6, "num_hidden_layers": 3,
 "num_attention_heads": 2, "intermediate_size": 5, "max_position_embeddings": 9, "type_vocab_size": 1, "layer_norm_eps": 1e-5,
 "hidden_dropout_prob": 0.25, "attention_probs_dropout_prob": 0, "initializer_range": 0.5, "hidden_act": "gelu",
 "position_embedding_type": "absolute", "pad_token_id": 4}`,
		"modules.json": modulesJSON,
		"1_Pooling/config.json": `{"word_embedding_dimension": 6, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true,
 "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false, "pooling_mode_weightedmean_tokens": false, "pooling_mode_lasttoken": false}`,
		"sentence_bert_config.json": `{"max_seq_length": 7, "do_lower_case": false, "model_args": {"add_pooling_layer": false}}`,
		"tokenizer_config.json": `{"do_lower_case": true, "tokenize_chinese_chars": true, "strip_accents": true, "model_max_length": 7,
 "tokenizer_class": "BertTokenizer", ` + special + `}`,
		"special_tokens_map.json": `{` + special + `}`,
		VocabularyName:            "<pad>\n<unk>\n<cls>\n<sep>\n<mask>\na\nb\n##b\nA\n中\né\ne\n",
	}
	got := files{}
	err := filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		name, _ = filepath.Rel(path, name)
		got[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("files %q, want %q", g, w)
	}
	for name, text := range want {
		if !strings.HasSuffix(name, ".json") {
			if got[name] != text {
				t.Errorf("%s: %q, want %q", name, got[name], text)
			}
			continue
		}
		var g, w any
		if err := json.Unmarshal([]byte(got[name]), &g); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s: %v, want %v", name, g, w)
		}
	}
}

// TestWrittenIDs: without them ModernBertConfig of transformers has those of its published vocabulary, 50281 and 50282.
func TestWrittenIDs(t *testing.T) {
	path := t.TempDir()
	f := settings()
	vocabularySize := f.Config.VocabularySize
	f.Config = ConfigOf("modernbert")
	f.Config.VocabularySize, f.Config.PadID = vocabularySize, 4
	v := vocabulary(t, vocabularyText)
	if err := f.WriteSettings(path, v); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(path, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for name, piece := range map[string]string{
		"cls_token_id": "[CLS]", "bos_token_id": "[CLS]", "sep_token_id": "[SEP]", "eos_token_id": "[SEP]",
	} {
		if want := slices.Index(v.Pieces(), piece); got[name] != float64(want) {
			t.Errorf("%s: %v, want %d", name, got[name], want)
		}
	}
}

func TestWriteSettingsFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Folder)
		reason string
	}{
		{"no pooling", func(f *Folder) { f.Pooling = "" }, `pooling "" is not one of mean, max, cls`},
		{"unknown pooling", func(f *Folder) { f.Pooling = "last" }, `pooling "last" is not one of mean, max, cls`},
		{"no tokens", func(f *Folder) { f.MaxTokens = 0 },
			"the most tokens of a sentence are 0, they must be from 3 to the 9 positions"},
		{"no room for a token", func(f *Folder) { f.MaxTokens = 2 }, "the most tokens of a sentence are 2"},
		{"more tokens than positions", func(f *Folder) { f.MaxTokens = 10 }, "the most tokens of a sentence are 10"},
		{"controls", func(f *Folder) { f.Tokenizer.KeepControls = true },
			"BERT's tokenizer has no settings for keep_controls and max_characters"},
		{"characters", func(f *Folder) { f.Tokenizer.MaxCharacters = 50 }, "BERT's tokenizer has no settings for"},
		{"configuration", func(f *Folder) { f.Config.Heads = 4 }, "hidden_size 6 is not a multiple of num_attention_heads 4"},
		{"vocabulary", func(f *Folder) { f.Config.VocabularySize = 11 },
			"the vocabulary has 12 pieces, vocab_size is 11: they do not belong together"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, path := settings(), t.TempDir()
			test.change(&f)
			err := f.WriteSettings(path, vocabulary(t, vocabularyText))
			wantFault(t, err, test.reason)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v does not name the folder", err)
			}
			if entries, err := os.ReadDir(path); err != nil || len(entries) != 0 {
				t.Errorf("%v was written, error %v", entries, err)
			}
		})
	}
	f := settings()
	f.Tokenizer.MaxCharacters = wordpiece.MaxCharacters // what BERT's tokenizer has
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	if err := f.WriteSettings(filepath.Join(t.TempDir(), "none"), vocabulary(t, vocabularyText)); !os.IsNotExist(err) {
		t.Errorf("no folder: error %v", err)
	}
}

func TestValidateReportsAllFaults(t *testing.T) {
	f := settings()
	f.Pooling, f.MaxTokens, f.Config.Layers, f.Config.ModelType = "", 0, -1, ""
	f.Tokenizer = wordpiece.Options{KeepControls: true, MaxCharacters: -1}
	err := f.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, reason := range []string{"num_hidden_layers is -1", `model_type ""`, "max_characters -1", `pooling ""`, "the most tokens",
		"keep_controls"} {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("%q is not reported: %v", reason, err)
		}
	}
}
