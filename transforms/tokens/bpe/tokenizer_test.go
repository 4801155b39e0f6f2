package bpe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/transforms/tokens"
)

// file is the content of a tokenizer.json of all bytes and some merges, with texts of it replaced.
func file(t testing.TB, changes ...string) []byte {
	t.Helper()
	ids := map[string]int{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
	for c, r := range byteRunes {
		ids[string(r)] = 4 + c
	}
	for _, piece := range []string{"ab", "abc", "Ġab", "aa", "aaa", "Ã©"} {
		ids[piece] = len(ids)
	}
	vocab, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
		"post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]},
		"added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true},
		{"id": 2, "content": "</s>", "special": true}, {"id": 3, "content": "<unk>", "special": true}, {"id": 266, "content": "<mask>", "special": true}],
		"model": {"type": "BPE", "dropout": null, "unk_token": null, "vocab": %s,
		"merges": ["a b", "ab c", ["Ġ", "ab"], "a a", "aa a", "Ã ©"]}}`, vocab)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("there is no %s", changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	return []byte(text)
}

func TestEncode(t *testing.T) {
	plain := read(t, file(t))
	prefixed := read(t, file(t, `"add_prefix_space": false`, `"add_prefix_space": true`))
	matched := read(t, file(t, `"normalizer": null`, `"normalizer": {"type": "NFC"}`, `"<mask>", "special": true}`,
		`"<mask>", "special": true}, {"id": 267, "content": "ab]"}, {"id": 268, "content": "b]]"}, {"id": 269, "content": "ab]]"},
		{"id": 270, "content": "é]", "normalized": true}, {"id": 271, "content": "x]y", "normalized": true},
		{"id": 272, "content": "]yz"}, {"id": 273, "content": "e\u0301[", "normalized": true}, {"id": 274, "content": "e\u0301{"}`))
	for _, test := range []struct {
		tokenizer  *Tokenizer
		text, want string
	}{
		{plain, "", ""},
		{plain, "abc ab", "abc|Ġab"},
		{plain, "ab  ab\n", "ab|Ġ|Ġab|Ċ"},
		{plain, "aaaaa", "aa|aaa"},
		{plain, "é\xffa", "Ã©|ï|¿|½|a"},
		{plain, "it's 'ab", "i|t|'|s|Ġ|'|ab"},
		{plain, "<s>", "<|s|>"},
		{plain, strings.Repeat("a", 70) + "b", strings.Repeat("aa|", 33) + "aaa|ab"},
		{matched, "ab ab]ab] b]] ab]]", "ab|Ġ|ab]|ab]|Ġ|b]]|Ġ|ab]]"},
		{matched, "be\u0301]ab", "b|é]|ab"},
		{matched, "x]y x]yz", "x]y|Ġ|x|]yz"}, // those that are found before texts are normalized come first
		{matched, "é[ e\u0301[é{e\u0301{", "e\u0301[|Ġ|e\u0301[|Ã©|{|e\u0301{"},
		{prefixed, "ab", "Ġab"},
		{prefixed, " ab", "Ġab"},
		{prefixed, "\nab", "Ġ|Ċ|ab"},
	} {
		ids := test.tokenizer.Encode(nil, test.text)
		got := make([]string, len(ids))
		for i, id := range ids {
			got[i] = test.tokenizer.Piece(id)
		}
		if got := strings.Join(got, "|"); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
	if got := plain.Decode(plain.Encode(nil, "abc é  中")); got != "abc é  中" {
		t.Errorf("decoded %q", got)
	}
	special, err := plain.Special()
	if want := (tokens.Special{Padding: 1, Unknown: 3, Classify: 0, Separate: 2, Mask: 266}); err != nil || special != want {
		t.Errorf("%+v, %v", special, err)
	}
	if plain.Continues(262) || !plain.Continues(260) || plain.Continues(0) || plain.Content() == prefixed.Content() {
		t.Error("word starts or contents are wrong")
	}
}

func TestReadSerializedFaults(t *testing.T) {
	for _, test := range []struct{ name, old, with, want string }{
		{"normalizer", `"normalizer": null`, `"normalizer": {"type": "NFKC"}`, "its normalizer NFKC is not supported"},
		{"pre-tokenizer", `"ByteLevel"`, `"Metaspace"`, "its pre_tokenizer is not supported"},
		{"no expression", `"add_prefix_space": false`, `"use_regex": false`, "use_regex false"},
		{"dropout", `"dropout": null`, `"dropout": 0.1`, "model has dropout"},
		{"suffix", `"dropout": null`, `"end_of_word_suffix": "</w>"`, "end_of_word_suffix"},
		{"post-processor", `"RobertaProcessing"`, `"ByteLevel"`, "its post_processor is not supported"},
		{"a byte", `"Ġ":`, `"ĠĠ":`, `model.vocab has no 'Ġ'`},
		{"an id twice", `"aaa":264`, `"aaa":263`, "the id 263 is given twice"},
		{"a merge", `"ab c"`, `"ab d"`, `model.merges has "ab" and "d"`},
		{"no pair", `"ab c"`, `"abc"`, "not a pair of pieces"},
		{"a word", `"<pad>", "special": true`, `"<pad>", "special": false, "single_word": true`,
			`the added token "<pad>" is empty, a single_word`},
		{"spaces", `"<pad>", "special": true`, `"<pad>", "special": false, "lstrip": true`, "takes spaces beside it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ReadSerialized(file(t, test.old, test.with)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// The two files of older folders say the same as the tokenizer.json.
func TestSerialize(t *testing.T) {
	want := read(t, file(t))
	ids := map[string]int{}
	for id, piece := range want.Pieces() {
		ids[piece] = id
	}
	pieces, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	merges := "#version: 0.2\r\na b\r\nab c\r\nĠ ab\r\na a\r\naa a\r\nÃ ©\r\n"
	data, err := Serialize(pieces, []byte(merges), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, data); got.Content() != want.Content() || got.Names != want.Names {
		t.Errorf("%+v, %d pieces", got.Names, got.Size())
	}
	if _, err := Serialize([]byte(`{"a": 0}`), nil, false); err == nil || !strings.Contains(err.Error(), "vocab.json has no <s>") {
		t.Error(err)
	}
}

func FuzzReadSerialized(f *testing.F) {
	f.Add(file(f), " ab  aaa é\xff")
	f.Add(file(f, `"add_prefix_space": false`, `"add_prefix_space": true`), strings.Repeat("ab", 99))
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s, err := ReadSerialized(data)
		if err != nil {
			return
		}
		ids := s.tokenizer.Encode(nil, text)
		for _, id := range ids {
			if s.tokenizer.Piece(id) == "" {
				t.Fatalf("%q: id %d", text, id)
			}
		}
		if !s.tokenizer.prefix && utf8.ValidString(text) && s.tokenizer.Size() == 267 && s.tokenizer.Decode(ids) != text &&
			!strings.HasPrefix(text, " ") {
			t.Errorf("%q is decoded as %q", text, s.tokenizer.Decode(ids))
		}
	})
}
