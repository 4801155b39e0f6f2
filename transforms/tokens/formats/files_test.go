package formats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"sentweave/transforms/tokens/bpe"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// sentencePieces is a file of SentencePiece.
func sentencePieces() string {
	var file []byte
	for i, name := range []string{"<unk>", "<s>", "</s>", "▁a", "▁"} {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), []uint64{2, 3, 3, 1, 1}[i])
		file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), piece)
	}
	return string(file)
}

// bytePieces is a vocab.json of bytes, RoBERTa's special tokens and some pieces.
func bytePieces(t *testing.T, list ...string) string {
	t.Helper()
	pieces := map[string]int{}
	for _, name := range append([]string{"<s>", "<pad>", "</s>", "<unk>", "<mask>", "madeupword0000"}, list...) {
		pieces[name] = len(pieces)
	}
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
	return string(data)
}

func TestRead(t *testing.T) {
	pieces := bytePieces(t, "Ġa", "ab")
	const merges = "#version: 0.2\nĠ a\na b\n"
	serialized, err := bpe.Serialize([]byte(pieces), []byte(merges), false)
	if err != nil {
		t.Fatal(err)
	}
	learned, err := unigram.Serialize([]unigram.Piece{{Text: "▁a", Score: -1}, {Text: "a", Score: -1}})
	if err != nil {
		t.Fatal(err)
	}
	unspaced := strings.ReplaceAll(string(learned), `"prepend_scheme":"always"`, `"prepend_scheme":"never"`)
	class := func(name string) string { return fmt.Sprintf(`{"tokenizer_class": %q}`, name) }
	const words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"
	const prefix = `{"tokenizer_class": "RobertaTokenizerFast", "add_prefix_space": true}`
	type files map[string]string
	for _, test := range []struct {
		name  string
		files files
		// want are the pieces of "a", or what an error holds.
		want string
	}{
		{"two files", files{bpe.PiecesName: pieces, bpe.MergesName: merges}, "a"},
		{"with a space", files{bpe.PiecesName: pieces, bpe.MergesName: merges, "tokenizer_config.json": prefix}, "Ġa"},
		{"without the merges", files{bpe.PiecesName: pieces}, bpe.MergesName},
		{"a cut line", files{bpe.PiecesName: pieces, bpe.MergesName: merges[:len(merges)-2]}, "makes none of 1 pieces"},
		{"a cut file", files{bpe.PiecesName: pieces, bpe.MergesName: "Ġ a\n"},
			`makes none of 1 pieces of vocab.json, of which "ab" is the first: it is cut`},
		{"of another vocabulary", files{bpe.PiecesName: pieces, bpe.MergesName: merges + "b c\n"}, `model.merges has "b" and "c"`},
		{"a file", files{SerializedName: string(serialized)}, "a"},
		{"a file of RoBERTa's class", files{SerializedName: string(serialized), "tokenizer_config.json": prefix}, "Ġa"},
		{"a file of its own class", files{SerializedName: string(serialized),
			"tokenizer_config.json": strings.Replace(prefix, "RobertaTokenizerFast", "PreTrainedTokenizerFast", 1)}, "a"},
		{"SentencePiece", files{unigram.ModelName: sentencePieces()}, "▁a"},
		{"SentencePiece by another name", files{unigram.OtherModelName: sentencePieces(), "config.json": `{"model_type": "camembert"}`},
			"▁a"},
		{"SentencePiece of another class", files{unigram.OtherModelName: sentencePieces(),
			"tokenizer_config.json": `{"tokenizer_class": "AlbertTokenizer"}`},
			"AlbertTokenizer is not supported"},
		{"SentencePiece of another model", files{unigram.ModelName: sentencePieces(), "config.json": `{"model_type": "bert"}`},
			"model_type bert is not supported"},
		{"WordPiece", files{wordpiece.FileName: words}, "a"},
		{"WordPiece of another class", files{wordpiece.FileName: words, configName: class("BertJapaneseTokenizer")},
			"its tokenizer_class BertJapaneseTokenizer is not supported"},
		{"WordPiece of a class of config.json", files{wordpiece.FileName: words, "config.json": class("PhobertTokenizer")},
			"its tokenizer_class PhobertTokenizer is not supported"},
		{"an added token", files{wordpiece.FileName: words, addedTokensName: `{"new": 6}`},
			`the added token "new" of added_tokens.json is not a special one`},
		{"an added special token", files{wordpiece.FileName: words, addedTokensName: `{"new": 6, "<m>": 7, "<i>": 8}`,
			configName: `{"additional_special_tokens": ["new"], "mask_token": {"content": "<m>"}, "extra_special_tokens": {"image": "<i>"}}`}, "a"},
		{"an added token that is not split", files{wordpiece.FileName: words, addedTokensName: `{"new": 6}`,
			configName: `{"never_split": ["new"]}`}, `the added token "new" of added_tokens.json`},
		{"an added token of the settings", files{SerializedName: unspaced,
			configName: `{"added_tokens_decoder": {"0": {"content": "<s>"}, "9": {"content": "new", "special": false}}}`},
			`the added token "new" of tokenizer_config.json is not a special one`},
		{"another class", files{SerializedName: string(serialized), configName: class("GPT2Tokenizer")},
			"its tokenizer_class GPT2Tokenizer is not supported"},
		{"another class of ModernBERT, which has none", files{SerializedName: string(serialized),
			"config.json": `{"model_type": "modernbert"}`, configName: class("GPT2Tokenizer")}, "a"},
		{"a class of another model", files{SerializedName: string(serialized), configName: class("BertTokenizerFast")},
			"its tokenizer_class BertTokenizer takes a model of WordPiece"},
		{"Unigram", files{SerializedName: unspaced}, "a"},
		{"Unigram of XLM-R's class", files{SerializedName: unspaced, configName: class("XLMRobertaTokenizer")}, "▁a"},
		{"Unigram of CamemBERT's class", files{SerializedName: unspaced, "config.json": `{"model_type": "camembert"}`, configName: `{}`},
			"▁a"},
		{"Unigram of XLM-R's class without a space", files{SerializedName: string(learned),
			configName: `{"tokenizer_class": "XLMRobertaTokenizer", "add_prefix_space": false}`}, "a"},
		{"Unigram of a class with other tokens", files{SerializedName: unspaced,
			configName: `{"tokenizer_class": "XLMRobertaTokenizer", "bos_token": "[CLS]"}`},
			"puts <s> and </s> around a text, but its tokenizer_class XLMRobertaTokenizer puts [CLS] and </s> there"},
		{"none", files{"config.json": "{}"}, "is a directory"},
	} {
		for _, below := range []string{"", "0_Transformer"} {
			t.Run(test.name+below, func(t *testing.T) {
				folder := t.TempDir()
				modules := fmt.Sprintf(`[{"idx": 0, "path": %q, "type": "sentence_transformers.models.Transformer"}]`, below)
				if err := os.WriteFile(filepath.Join(folder, "modules.json"), []byte(modules), 0o666); err != nil {
					t.Fatal(err)
				}
				_ = os.Mkdir(filepath.Join(folder, below), 0o777)
				for name, content := range test.files {
					if err := os.WriteFile(filepath.Join(folder, below, name), []byte(content), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				v, err := Read(t.Context(), Locate(t.Context(), folder))
				if err != nil {
					if !strings.Contains(err.Error(), test.want) {
						t.Errorf("error %v, want %q", err, test.want)
					}
					return
				}
				tokenizer, err := NewTokenizer(v, wordpiece.Uncased)
				if err != nil {
					t.Fatal(err)
				}
				if got := v.Piece(tokenizer.Encode(nil, "a")[0]); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		}
	}
}

// Of a folder the first file counts that says how texts become ids; the record beside a vocabulary of WordPiece is none.
func TestLocate(t *testing.T) {
	for files, want := range map[string]string{
		"vocab.txt":                       "vocab.txt",
		"vocab.txt vocab.json":            "vocab.txt",
		"vocab.txt vocab.json merges.txt": "vocab.json",
		"vocab.json":                      "vocab.json", // whose merges.txt is missed then
		"vocab.json tokenizer.json":       "tokenizer.json",
		"weights":                         "",
	} {
		folder := t.TempDir()
		for name := range strings.FieldsSeq(files) {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := Locate(t.Context(), folder); got != filepath.Join(folder, want) {
			t.Errorf("%s: %s, want %s", files, got, want)
		}
	}
}
