package model

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/transforms/tokens/wordpiece"
)

// files are the files of a folder by name.
type files map[string]string

const (
	configJSON = `{"model_type": "bert", "vocab_size": 12, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
 "intermediate_size": 16, "max_position_embeddings": 10, "type_vocab_size": 2, "unknown_key": [1]}`
	modulesJSON = `[
 {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
 {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]`
	meanJSON       = `{"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true}`
	vocabularyText = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\nA\n中\né\ne\n"
)

// plain is the folder of a BERT, sentence that of sentence-transformers.
func plain() files { return files{"config.json": configJSON, VocabularyName: vocabularyText} }

func sentence() files {
	return plain().with(files{"modules.json": modulesJSON, "1_Pooling/config.json": meanJSON})
}

// with returns the files with others in their place; an empty one is left out.
func (f files) with(others files) files {
	all := maps.Clone(f)
	maps.Copy(all, others)
	maps.DeleteFunc(all, func(_, content string) bool { return content == "" })
	return all
}

// stored writes the files into a new folder.
func (f files) stored(t testing.TB) string {
	t.Helper()
	return storagetest.WriteFiles(t, t.TempDir(), f)
}

func opened(t testing.TB, f files) *Folder {
	t.Helper()
	folder, err := Open(f.stored(t))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestOpen(t *testing.T) {
	path := sentence().stored(t)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Folder{
		Path: path,
		// What config.json leaves out is BERT's, as in transformers.
		Config: Config{
			VocabularySize: 12, HiddenSize: 8, Layers: 1, Heads: 2, IntermediateSize: 16, MaxPositions: 10, TokenTypes: 2,
			LayerNormEpsilon: 1e-12, HiddenDropout: .1, AttentionDropout: .1, InitializerRange: .02, Activation: "gelu", ModelType: "bert",
		},
		Pooling: Mean, Normalize: true, MaxTokens: 10, Tokenizer: wordpiece.Uncased,
	}
	if !reflect.DeepEqual(*f, want) {
		t.Errorf("%+v, want %+v", *f, want)
	}
	if f = opened(t, plain()); f.Pooling != "" || f.Normalize || f.MaxTokens != 10 {
		t.Errorf("a plain BERT has pooling %q, normalize %v, %d tokens", f.Pooling, f.Normalize, f.MaxTokens)
	}
}

func TestPooling(t *testing.T) {
	for _, test := range []struct {
		text string
		want Pooling // "" is not supported
	}{
		{`{"pooling_mode_mean_tokens": true}`, Mean},
		{`{"pooling_mode_max_tokens": true}`, Max},
		{`{"pooling_mode_cls_token": true}`, CLS},
		{`{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false}`,
			CLS},
		{`{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}`, "max+mean"},
		{`{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`, "cls+mean"},
		{`{"pooling_mode_mean_sqrt_len_tokens": true}`, MeanSqrt},
		{`{"pooling_mode_weightedmean_tokens": true}`, WeightedMean},
		{`{"pooling_mode_lasttoken": true}`, LastToken},
		{`{"pooling_mode_mean_tokens": true, "pooling_mode_lasttoken": true}`, "mean+lasttoken"},
		{`{}`, ""},
		// As sentence-transformers 6 writes it.
		{`{"embedding_dimension": 8, "pooling_mode": "mean", "include_prompt": true}`, Mean},
		{`{"pooling_mode": "max"}`, Max},
		{`{"pooling_mode": "cls"}`, CLS},
		{`{"pooling_mode": ["cls"]}`, CLS},
		{`{"pooling_mode": ["mean", "cls"]}`, "mean+cls"},
		{`{"pooling_mode": []}`, ""},
		{`{"pooling_mode": "lasttoken"}`, LastToken},
		{`{"pooling_mode": "cls+mean"}`, ""},
		{`{"pooling_mode": ["cls", 1]}`, ""},
		{`{"pooling_mode": "lens"}`, ""},
		{`{"pooling_mode": "Mean"}`, ""},
		{`{"pooling_mode": 1}`, ""},
		// It is above the switches.
		{`{"pooling_mode": "cls", "pooling_mode_mean_tokens": true}`, CLS},
		{`{"pooling_mode": "lasttoken", "pooling_mode_mean_tokens": true}`, LastToken},
	} {
		f, err := Open(sentence().with(files{"1_Pooling/config.json": test.text}).stored(t))
		if test.want == "" {
			if f != nil || err == nil || !strings.Contains(err.Error(), "its pooling is not supported, only cls, max, mean") {
				t.Errorf("%s: error %v", test.text, err)
			}
		} else if err != nil || f.Pooling != test.want {
			t.Errorf("%s: %+v, error %v, want %s", test.text, f, err, test.want)
		}
	}
}

func TestModules(t *testing.T) {
	module := func(path, kind string) string { return `{"path": "` + path + `", "type": "` + kind + `"}` }
	list := func(modules ...string) string { return "[" + strings.Join(modules, ", ") + "]" }
	const prefix = "sentence_transformers.models."
	transformer, pooling, normalize := module("", prefix+"Transformer"), module("1_Pooling", prefix+"Pooling"),
		module("2_Normalize", prefix+"Normalize")
	for _, test := range []struct {
		name, text, reason string
	}{
		{"all", list(transformer, pooling, normalize), ""},
		{"without Normalize", list(transformer, pooling), ""},
		{"names of sentence-transformers 6", list(module("", "sentence_transformers.base.modules.transformer.Transformer"),
			module("1_Pooling", "sentence_transformers.sentence_transformer.modules.pooling.Pooling"),
			module("", "sentence_transformers.base.modules.normalize.Normalize")), ""},
		{"a point for the folder", list(module(".", prefix+"Transformer"), pooling), ""},
		{"Pooling first", list(pooling, transformer),
			"module 0 is a Pooling, which is not supported: only Transformer, Pooling, Dense and Normalize, in that order"},
		{"Normalize before Pooling", list(transformer, normalize, pooling), "module 1 is a Normalize, which is not supported"},
		{"Transformer twice", list(transformer, transformer), "module 1 is a Transformer"},
		{"Pooling twice", list(transformer, pooling, pooling), "module 2 is a Pooling"},
		{"Normalize twice", list(transformer, pooling, normalize, normalize), "module 3 is a Normalize"},
		{"Dense after Normalize", list(transformer, pooling, normalize, module("3_Dense", prefix+"Dense")), "module 3 is a Dense"},
		{"Dense before Pooling", list(transformer, module("1_Dense", prefix+"Dense"), pooling), "module 1 is a Dense"},
		{"Dense that is missing", list(transformer, pooling, module("2_Dense", prefix+"Dense")), filepath.Join("2_Dense", "config.json")},
		{"no type", list(`{"path": ""}`), "module 0 is a , which"},
		{"no list", `{}`, "modules.json: json: cannot unmarshal object"},
		{"no JSON", `[`, "modules.json: unexpected end of JSON input"},
		{"Transformer in a folder that is not there", list(module("0_BERT", prefix+"Transformer"), pooling),
			filepath.Join("0_BERT", "config.json")},
		{"Transformer in another folder", list(module("bert/0", prefix+"Transformer"), pooling),
			`the Transformer is in "bert/0": it must be in the folder itself, or in one such as 0_Transformer`},
		{"Pooling that is missing", list(transformer, module("pooling", prefix+"Pooling")), filepath.Join("pooling", "config.json")},
		{"parent", list(transformer, module("../1_Pooling", prefix+"Pooling")), `module "../1_Pooling" is outside of the folder`},
		{"parent of a folder below", list(transformer, module("1_Pooling/../../x", prefix+"Pooling")),
			`module "1_Pooling/../../x" is outside of the folder`},
		{"absolute", list(transformer, module("/etc", prefix+"Pooling")), `module "/etc" is outside of the folder`},
		{"parent of the Transformer", list(module("..", prefix+"Transformer")), `the Transformer is in ".."`},
		{"parent of the Normalize", list(transformer, pooling, module("../..", prefix+"Normalize")),
			`module "../.." is outside of the folder`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(sentence().with(files{"modules.json": test.text}).stored(t))
			wantFault(t, err, test.reason)
			if (f == nil) != (err != nil) {
				t.Errorf("%+v came with error %v", f, err)
			}
			if f != nil && (f.Pooling != Mean || f.Normalize != strings.Contains(test.text, "Normalize")) {
				t.Errorf("pooling %q, normalize %v", f.Pooling, f.Normalize)
			}
		})
	}
}

// The rules are those of sentence-transformers: max_seq_length is above
// model_max_length, and neither above the number of positions, 10 here.
func TestMaxTokens(t *testing.T) {
	for _, test := range []struct {
		name, sentence, tokenizer string
		want                      int // 0 is an error
		reason                    string
	}{
		{"neither", ``, ``, 10, ""},
		{"empty files", `{}`, `{}`, 10, ""},
		{"null", `{"max_seq_length": null}`, `{"model_max_length": null}`, 10, ""},
		{"sentence", `{"max_seq_length": 7}`, ``, 7, ""},
		{"tokenizer, as sentence-transformers 6 writes it", `{"transformer_task": "feature-extraction"}`, `{"model_max_length": 7}`, 7, ""},
		{"sentence below tokenizer", `{"max_seq_length": 5}`, `{"model_max_length": 7}`, 5, ""},
		{"sentence above tokenizer", `{"max_seq_length": 7}`, `{"model_max_length": 5}`, 7, ""},
		{"sentence above positions", `{"max_seq_length": 512}`, `{"model_max_length": 5}`, 10, ""},
		{"no limit of transformers", ``, `{"model_max_length": 1000000000000000019884624838656}`, 10, ""},
		{"least", `{"max_seq_length": 3}`, ``, 3, ""},
		{"no room for a token", `{"max_seq_length": 2}`, ``, 0, "sentence_bert_config.json: max_seq_length is 2, it must be at least 3"},
		{"zero", `{"max_seq_length": 0}`, ``, 0, "sentence_bert_config.json: max_seq_length is 0"},
		{"negative", ``, `{"model_max_length": -1}`, 0, "tokenizer_config.json: model_max_length is -1, it must be at least 3"},
		{"text", `{"max_seq_length": "7"}`, ``, 0, "sentence_bert_config.json: json: cannot unmarshal string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Open(sentence().with(
				files{"sentence_bert_config.json": test.sentence, "tokenizer_config.json": test.tokenizer}).stored(t))
			wantFault(t, err, test.reason)
			if err == nil && f.MaxTokens != test.want {
				t.Errorf("%d tokens, want %d", f.MaxTokens, test.want)
			}
		})
	}
}

func TestTokenizerSettings(t *testing.T) {
	for _, test := range []struct {
		name, tokenizer, sentence string
		want                      wordpiece.Options
	}{
		{"no file", ``, ``, wordpiece.Uncased},
		{"no settings", `{}`, ``, wordpiece.Uncased},
		{"uncased", `{"do_lower_case": true}`, ``, wordpiece.Uncased},
		{"cased", `{"do_lower_case": false}`, ``, wordpiece.Cased},
		{"null", `{"do_lower_case": null, "strip_accents": null, "tokenize_chinese_chars": null}`, ``, wordpiece.Uncased},
		// Accents follow case where they are not set.
		{"cased, accents null", `{"do_lower_case": false, "strip_accents": null}`, ``, wordpiece.Cased},
		{"uncased, accents kept", `{"do_lower_case": true, "strip_accents": false}`, ``,
			wordpiece.Options{Lowercase: true, KeepAccents: true}},
		{"cased, accents stripped", `{"do_lower_case": false, "strip_accents": true}`, ``, wordpiece.Options{}},
		{"ideographs joined", `{"tokenize_chinese_chars": false}`, ``, wordpiece.Options{Lowercase: true, JoinIdeographs: true}},
		{"ideographs split", `{"tokenize_chinese_chars": true}`, ``, wordpiece.Uncased},
		// sentence-transformers lowercases before the tokenizer, which strips no
		// accents for that.
		{"cased, sentences lowered", `{"do_lower_case": false}`, `{"do_lower_case": true}`,
			wordpiece.Options{Lowercase: true, KeepAccents: true}},
		{"cased and stripped, sentences lowered", `{"do_lower_case": false, "strip_accents": true}`, `{"do_lower_case": true}`,
			wordpiece.Uncased},
		{"uncased, sentences lowered", `{}`, `{"do_lower_case": true}`, wordpiece.Uncased},
		{"uncased, sentences not lowered", `{}`, `{"do_lower_case": false}`, wordpiece.Uncased},
		{"token objects", `{"unk_token": {"content": "[UNK]", "lstrip": false}, "do_lower_case": false}`, ``, wordpiece.Cased},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := opened(t, sentence().with(files{"tokenizer_config.json": test.tokenizer, "sentence_bert_config.json": test.sentence}))
			if f.Tokenizer != test.want {
				t.Errorf("%+v, want %+v", f.Tokenizer, test.want)
			}
		})
	}
}

func TestOpenFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change files
		reason string
	}{
		{"no JSON", files{"config.json": "BERT"}, "config.json: invalid character 'B'"},
		{"list", files{"config.json": "[]"}, "config.json: json: cannot unmarshal array"},
		{"size of text", files{"config.json": `{"model_type": "bert", "vocab_size": "12"}`}, "config.json: json: cannot unmarshal string"},
		{"no type of model", files{"config.json": `{"architectures": ["BertweetModel"], "vocab_size": 12}`},
			`config.json: it has no model_type, and no architectures that tell one of bert`},
		{"type by its class", files{"config.json": `{"architectures": ["DistilBertForMaskedLM"], "n_layers": -1}`},
			"config.json: n_layers is -1"},
		{"type of model", files{"config.json": `{"model_type": "xlnet"}`},
			`config.json: model_type "xlnet" is not supported, only bert`},
		{"field of DistilBERT", files{"config.json": `{"model_type": "distilbert", "n_layers": -1}`}, `config.json: n_layers is -1`},
		{"decoder", files{"config.json": `{"model_type": "bert", "is_decoder": true}`}, `config.json: is_decoder is true`},
		{"activation", files{"config.json": `{"model_type": "bert", "hidden_act": "silu"}`},
			`config.json: hidden_act "silu" is not supported, only gelu`},
		{"tokenizer", files{"tokenizer_config.json": `{"do_lower_case": "yes"}`}, "tokenizer_config.json: json: cannot unmarshal string"},
		{"sentences", files{"sentence_bert_config.json": `{`}, "sentence_bert_config.json: unexpected end of JSON input"},
		{"pooling", files{"1_Pooling/config.json": `[]`}, filepath.Join("1_Pooling", "config.json") + ": json: cannot unmarshal array"},
		{"long JSON", files{"config.json": configJSON + strings.Repeat(" ", maxJSON)}, "config.json is longer than 16777216 bytes"},
		{"long modules", files{"modules.json": modulesJSON + strings.Repeat(" ", maxJSON)}, "modules.json is longer than 16777216 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := sentence().with(test.change).stored(t)
			f, err := Open(path)
			wantFault(t, err, test.reason)
			if f != nil || err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%+v came with error %v, want one that names the file", f, err)
			}
		})
	}
	if f := opened(t, plain().with(
		files{"config.json": configJSON + strings.Repeat(" ", maxJSON-len(configJSON))})); f.Config.HiddenSize != 8 {
		t.Errorf("config.json of the most bytes: hidden size %d", f.Config.HiddenSize)
	}
	for _, missing := range []string{"config.json", "1_Pooling/config.json"} {
		f, err := Open(sentence().with(files{missing: ""}).stored(t))
		if f != nil || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.FromSlash(missing)) {
			t.Errorf("without %s: %+v, error %v", missing, f, err)
		}
	}
	if f, err := Open(filepath.Join(t.TempDir(), "none")); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %+v, error %v", f, err)
	}
}

func TestVocabulary(t *testing.T) {
	for _, test := range []struct {
		name, text, reason string
	}{
		{"as many as vocab_size", vocabularyText, ""},
		{"fewer", strings.TrimSuffix(vocabularyText, "e\n"), ""}, // the rest of the embeddings is not used
		{"more", vocabularyText + "z\n", "vocab.txt has 13 pieces, config.json has a vocab_size of 12: they do not belong together"},
		{"repeated", "[PAD]\na\na\n", `vocab.txt: read vocabulary: line 3 repeats "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := opened(t, plain().with(files{VocabularyName: test.text})).Vocabulary()
			wantFault(t, err, test.reason)
			if (v == nil) != (err != nil) {
				t.Errorf("%v came with error %v", v, err)
			}
		})
	}
	padded := opened(t, plain())
	padded.Config.VocabularySize += mostPadding
	_, err := padded.Vocabulary()
	wantFault(t, err, "")
	padded.Config.VocabularySize++
	_, err = padded.Vocabulary()
	wantFault(t, err, "vocab.txt has 12 pieces, config.json has a vocab_size of 1037: it is cut, or they do not belong together")
	f := opened(t, plain().with(files{VocabularyName: ""}))
	if _, err := f.Vocabulary(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no vocabulary: error %v", err)
	}
	if _, err := f.Sequencer(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no vocabulary: error %v", err)
	}
}

func TestSequencer(t *testing.T) {
	// Pieces by id: [PAD] [UNK] [CLS] [SEP] [MASK] a b ##b A 中 é e.
	for _, test := range []struct {
		name, text string
		settings   string
		tokens     string // the limit
		want       []int32
	}{
		{"empty", "", `{}`, "10", []int32{2, 3}},
		{"words", "a b ab", `{}`, "10", []int32{2, 5, 6, 5, 7, 3}},
		{"uncased", "A é", `{}`, "10", []int32{2, 5, 11, 3}},
		{"cased", "A é", `{"do_lower_case": false}`, "10", []int32{2, 8, 10, 3}},
		{"unknown", "x", `{}`, "10", []int32{2, 1, 3}},
		{"ideographs", "中中", `{}`, "10", []int32{2, 9, 9, 3}},
		{"ideographs joined", "中中", `{"tokenize_chinese_chars": false}`, "10", []int32{2, 1, 3}},
		{"just fits", "a a a", `{}`, "5", []int32{2, 5, 5, 5, 3}},
		{"cut", "a a a b", `{}`, "5", []int32{2, 5, 5, 5, 3}},
		{"cut within a word", "a a abbbb", `{}`, "6", []int32{2, 5, 5, 5, 7, 3}},
		{"cut to one", "b a", `{}`, "3", []int32{2, 6, 3}},
		{"empty at the least", "", `{}`, "3", []int32{2, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := opened(t, sentence().with(
				files{"tokenizer_config.json": test.settings, "sentence_bert_config.json": `{"max_seq_length": ` + test.tokens +
					`}`})).Sequencer()
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Append(nil, test.text); !slices.Equal(got, test.want) {
				t.Errorf("%q: %v, want %v", test.text, got, test.want)
			}
			// What comes before stays, and does not count.
			before := []int32{9, 9, 9, 9, 9, 9, 9, 9}
			if got := s.Append(slices.Clone(before), test.text); !slices.Equal(got, append(before, test.want...)) {
				t.Errorf("%q behind others: %v, want %v", test.text, got, test.want)
			}
		})
	}
}

func TestSequencerFaults(t *testing.T) {
	f := opened(t, plain().with(files{VocabularyName: strings.Replace(vocabularyText, "[SEP]", "sep", 1)}))
	_, err := f.Sequencer()
	wantFault(t, err, `lacks "[SEP]"`)
	f = opened(t, plain())
	f.MaxTokens = 2
	_, err = f.Sequencer()
	wantFault(t, err, "the most tokens of a sentence are 2, they must be at least 3")
	f = opened(t, plain().with(files{VocabularyName: vocabularyText + "z\n"}))
	_, err = f.Sequencer()
	wantFault(t, err, "they do not belong together")
}

func BenchmarkAppend(b *testing.B) {
	s, err := opened(b, sentence().with(
		files{"config.json": strings.Replace(configJSON, `"max_position_embeddings": 10`, `"max_position_embeddings": 512`,
			1)})).Sequencer()
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("ab a 中 é ", 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var ids []int32
	for b.Loop() {
		ids = s.Append(ids[:0], text)
	}
}
