package wordpiece

import (
	"slices"
	"strings"
	"testing"
)

// Settings of a tokenizer.json are those by which examples are made, or the vocabulary does not suit.
func TestCheckSettings(t *testing.T) {
	for _, test := range []struct {
		normalizer string
		cased      bool
		want       string
	}{
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`, false, ""},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`, true,
			"lowercase true: --cased is for tokenizers that keep case"},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": false}`, true, ""},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": false, "lowercase": true}`, false,
			"treats accents, ideographs, controls or long words otherwise"},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": false, "strip_accents": null, "lowercase": true}`, false,
			"treats accents, ideographs, controls or long words otherwise"},
	} {
		s, err := ReadSerialized([]byte(`{"normalizer": ` + test.normalizer + `, "pre_tokenizer": {"type": "BertPreTokenizer"},
			"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 4], "cls": ["[CLS]", 3]}, "model": {"type": "WordPiece",
			"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"[PAD]": 0, "[UNK]": 1, "中": 2, "[CLS]": 3, "[SEP]": 4}}}`))
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Vocabulary()
		if err == nil {
			err = v.CheckCase(test.cased)
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, cased %t: %v, want %q", test.normalizer, test.cased, err, test.want)
		}
	}
}

func TestCheckCase(t *testing.T) {
	special := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for _, test := range []struct {
		pieces string
		cased  bool
		want   string
	}{
		{"a b ##c", false, ""},
		{"a b ##c", true, "leave out --cased"},
		{"a B ##c", true, ""},
		{"หมา ##แมว", true, ""},    // no small letters
		{"a ที่ ##บ้าน", true, ""}, // marks, which uncased text does not have
		{"a B Berlin", false, "give --cased"},
		{strings.Repeat("a", 3) + " b c d e f g h i j k l m n o p q r s t u v w x y z ㎒ 𝐀", false, ""}, // a capital that has no small form
	} {
		v, err := NewVocabulary(slices.Concat(special, strings.Fields(test.pieces)))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.CheckCase(test.cased); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, cased %t: %v, want %q", test.pieces, test.cased, err, test.want)
		}
	}
}
