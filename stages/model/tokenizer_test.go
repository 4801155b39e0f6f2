package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"

	"google.golang.org/protobuf/encoding/protowire"
)

const tokenizerJSONText = `{
 "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}, "padding": null,
 "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}, {"id": 4, "content": "[MASK]", "special": true}],
 "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": false},
 "pre_tokenizer": {"type": "BertPreTokenizer"},
 "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]},
 "decoder": {"type": "WordPiece"},
 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
  "vocab": {"a": 5, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "b": 6, "##b": 7, "A": 8, "中": 9, "é": 10, "e": 11}}}`

// serialized is a folder whose vocabulary is in tokenizer.json alone.
func serialized() files {
	return sentence().with(files{VocabularyName: "", formats.SerializedName: tokenizerJSONText})
}

// A folder without vocab.txt, as transformers 5 saves it, is read by its
// tokenizer.json; what decides of the settings is what decides in transformers.
func TestSerialized(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(tokenizerJSONText) }
	for _, test := range []struct {
		name   string
		change files
		want   wordpiece.Options
		ids    []int32 // of "A é ab 中"
	}{
		{"alone", files{}, wordpiece.Options{KeepAccents: true, MaxCharacters: 100}, []int32{2, 8, 10, 5, 7, 9, 3}},
		{"alone, uncased", files{formats.SerializedName: replace(`"lowercase": false`, `"lowercase": true`)},
			wordpiece.Options{Lowercase: true, MaxCharacters: 100}, []int32{2, 5, 11, 5, 7, 9, 3}},
		{"without the type, as once", files{formats.SerializedName: replace(`"type": "WordPiece", "unk`, `"unk`)},
			wordpiece.Options{KeepAccents: true, MaxCharacters: 100}, []int32{2, 8, 10, 5, 7, 9, 3}},
		{"a class of its own", files{"tokenizer_config.json": `{"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true}`},
			wordpiece.Options{KeepAccents: true, MaxCharacters: 100}, []int32{2, 8, 10, 5, 7, 9, 3}},
		{"BERT's class", files{"tokenizer_config.json": `{"tokenizer_class": "BertTokenizer", "do_lower_case": true}`}, wordpiece.Uncased,
			[]int32{2, 5, 11, 5, 7, 9, 3}},
		{"no class", files{"tokenizer_config.json": `{"tokenize_chinese_chars": false}`},
			wordpiece.Options{Lowercase: true, JoinIdeographs: true}, []int32{2, 5, 11, 5, 7, 9, 3}},
		{"BERT's class takes no other normalizer",
			files{formats.SerializedName: replace(`"BertNormalizer"`, `"NFKC"`),
				"tokenizer_config.json": `{"tokenizer_class": "BertTokenizerFast", "do_lower_case": false}`}, wordpiece.Cased,
			[]int32{2, 8, 10, 5, 7, 9, 3}},
		{"ModernBERT's, whatever its class", files{"tokenizer_config.json": `{"tokenizer_class": "BertTokenizer", "do_lower_case": true}`,
			"config.json": strings.Replace(configJSON, `"bert"`, `"modernbert", "pad_token_id": 0`, 1)},
			wordpiece.Options{KeepAccents: true, MaxCharacters: 100}, []int32{2, 8, 10, 5, 7, 9, 3}},
		{"another vocab.txt beside it", files{VocabularyName: "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nA\né\n"},
			wordpiece.Options{KeepAccents: true, MaxCharacters: 100}, []int32{2, 8, 10, 5, 7, 9, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := opened(t, serialized().with(test.change))
			s, err := f.Sequencer()
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Append(nil, "A é ab 中"); f.Tokenizer != test.want || f.MaxTokens != 10 || !slices.Equal(got, test.ids) {
				t.Errorf("%+v, %d tokens, %v; want %+v, %v", f.Tokenizer, f.MaxTokens, got, test.want, test.ids)
			}
		})
	}
	for _, test := range []struct {
		name   string
		change files
		reason string
	}{
		{"words", files{formats.SerializedName: replace(`"type": "WordPiece", "unk`, `"type": "WordLevel", "unk`)},
			"tokenizer.json: model.type is WordLevel: only WordPiece, Unigram and BPE are supported"},
		{"Unigram, a list", files{formats.SerializedName: `{"model": {"type": "Unigram", "vocab": [["a", -1.5]]}}`},
			"model.unk_id is not one of the 1 pieces"},
		{"no model", files{formats.SerializedName: `{}`}, "model.type is none"},
		{"another prefix", files{formats.SerializedName: replace(`_prefix": "##"`, `_prefix": "@@"`)},
			`model.continuing_subword_prefix is "@@"`},
		{"a gap", files{formats.SerializedName: replace(`"e": 11`, `"e": 12`)}, `"e" has the id 12, though there are 12 pieces`},
		{"one id twice", files{formats.SerializedName: replace(`"e": 11`, `"e": 10`)}, `"e" and "é" have the id 10`},
		{"below 0", files{formats.SerializedName: replace(`"e": 11`, `"e": -1`)}, `"e" has the id -1`},
		{"one token, two ids", files{formats.SerializedName: replace(`"id": 0`, `"id": 3`, `"content": "[PAD]"`, `"content": "a"`)},
			`"a" has the ids 5 and 3`},
		{"an added token", files{formats.SerializedName: replace(`"[MASK]", "special": true`, `"[MASK]", "special": false`)},
			`the added token "[MASK]" is not a special one`},
		{"a list of pieces", files{formats.SerializedName: replace(`{"a": 5,`, `["a"], "x": {`)},
			"model.vocab: json: cannot unmarshal array"},
		{"another normalizer", files{formats.SerializedName: replace(`"BertNormalizer"`, `"NFKC"`)},
			"tokenizer.json: its normalizer NFKC is not supported"},
		{"another pre-tokenizer", files{formats.SerializedName: replace(`"BertPreTokenizer"`, `"Whitespace"`)},
			"its pre_tokenizer is not supported"},
		{"nothing put around", files{formats.SerializedName: replace(`"TemplateProcessing"`, `"ByteLevel"`)},
			"its post_processor is not supported"},
		{"of another kind", files{formats.SerializedName: replace(`"A", "type_id": 0`, `"A", "type_id": 1`)}, "all of the kind 0"},
		{"another id around", files{formats.SerializedName: replace(`"type_id": 0}}]}`,
			`"type_id": 0}}], "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [5]}}}`)},
			"puts the ids [5] around a text for [CLS], whose id is 2"},
		{"BertProcessing with another id", files{formats.SerializedName: replace(`"type": "TemplateProcessing"`,
			`"sep": ["[SEP]", 4], "cls": ["[CLS]", 2], "type": "BertProcessing"`)},
			"puts the ids [4] around a text for [SEP], whose id is 3"},
		{"cut on the left", files{formats.SerializedName: replace(`"Right"`, `"Left"`)}, "truncation_side left is not supported"},
		{"cut on the left by the settings", files{"tokenizer_config.json": `{"truncation_side": "left"}`},
			"truncation_side left is not supported"},
		{"no JSON", files{formats.SerializedName: "[PAD]\n"}, "tokenizer.json: invalid character"},
		{"long", files{formats.SerializedName: tokenizerJSONText + strings.Repeat(" ", formats.MaxFile)},
			"tokenizer.json is longer than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(serialized().with(test.change).stored(t))
			wantFault(t, err, test.reason)
		})
	}
	f := opened(t, serialized().with(files{"config.json": strings.Replace(configJSON, `"vocab_size": 12`, `"vocab_size": 11`, 1)}))
	_, err := f.Vocabulary()
	wantFault(t, err, "tokenizer.json has 12 pieces, config.json has a vocab_size of 11")
}

// The ids are those of Hugging Face's tokenizers for every form of the file, in several
// scripts and for what is hard.
func TestSerializedIDs(t *testing.T) {
	interpreter := peertest.Python(t, "tokenizers==0.23.3")
	texts := append(sharedLines(t),
		"Élan vital, İstanbul ÇA VA? Größe STRAẞE", "Привет, мир! Ёлка й", "Καλημέρα ΌΣΟΣ", "שָׁלוֹם עולם", "مرحبا بالعالَم ١٢٣",
		"नमस्ते दुनिया क्षत्रिय", "สวัสดีชาวโลก", "日本語のテキスト、漢字とカナ。", "한국어 문장입니다", "中文句子。𠀀",
		"tab\tnew\nline\u00a0nbsp\u3000wide\u2028sep", "zero\u200bwidth\u200djoin\u00adsoft\x00nul\ufffd", "👩‍👩‍👧 emoji™ ½ ﬁ",
		"Tiếng Việt e\u0301\u0323", strings.Repeat("x", 101), strings.Repeat("é", 100), "")
	folder := t.TempDir()
	var answers map[string][][]int32
	peertest.Answer(t, texts, &answers, interpreter, filepath.Join("testdata", "serialized.py"), folder)
	config := strings.NewReplacer(`"vocab_size": 12`, `"vocab_size": 2048`, `"max_position_embeddings": 10`,
		`"max_position_embeddings": 100000`).Replace(configJSON)
	for name, want := range answers {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(folder, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := opened(t, files{"config.json": config, formats.SerializedName: string(content)}).Sequencer()
			if err != nil {
				t.Fatal(err)
			}
			differ := 0
			for i, text := range texts {
				if got := s.Append(nil, text); !slices.Equal(got, want[i]) {
					if differ++; differ <= 3 {
						t.Errorf("%.200q: %v, want %v", text, got, want[i])
					}
				}
			}
			t.Logf("%d of %d texts differ", differ, len(texts))
		})
	}
}

// A folder of RoBERTa's kind from before there was a tokenizer.json has its tokenizer in two files, and is written with one.
func TestMerges(t *testing.T) {
	pieces := map[string]int{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4, "Ġa": 5}
	hidden := rune(256) // characters that stand for bytes which are not seen
	for c := range rune(256) {
		if c <= ' ' || c >= 0x7f && c <= 0xa0 || c == 0xad {
			c, hidden = hidden, hidden+1
		}
		pieces[string(c)] = len(pieces)
	}
	data, err := json.Marshal(pieces)
	if err != nil {
		t.Fatal(err)
	}
	config := strings.Replace(configJSON, `"vocab_size": 12`, `"vocab_size": 262`, 1)
	f := opened(t, sentence().with(files{"config.json": config, VocabularyName: "", "vocab.json": string(data),
		"merges.txt": "#version: 0.2\nĠ a\n", "tokenizer_config.json": `{"add_prefix_space": true, "model_max_length": 7}`}))
	s, err := f.Sequencer()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Append(nil, "a a!"), []int32{0, 5, 5, int32(pieces["!"]), 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	v, err := f.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir()
	if err := f.WriteSettings(path, v); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written, err := again.Vocabulary()
	if err != nil || written.Content() != v.Content() || written.FileName() != formats.SerializedName {
		t.Errorf("%v: another vocabulary of %s", err, written.FileName())
	}
}

// A folder with a file of SentencePiece is written with that file and the class that says what its ids are.
func TestSentencePiece(t *testing.T) {
	var file []byte
	for i, name := range []string{"<unk>", "<s>", "</s>", "▁a", "▁", "a", "b"} {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), []uint64{2, 3, 3, 1, 1, 1, 1}[i])
		file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), piece)
	}
	f := opened(t, sentence().with(files{VocabularyName: "", unigram.OtherModelName: string(file),
		"tokenizer_config.json": `{"tokenizer_class": "CamembertTokenizer"}`}))
	s, err := f.Sequencer()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Append(nil, "a b"), []int32{5, 7, 8, 10, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	v, err := f.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir()
	if err := f.WriteSettings(path, v); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := again.Vocabulary(); err != nil || written.Content() != v.Content() || written.FileName() != unigram.ModelName {
		t.Errorf("%v: another vocabulary", err)
	}
}
