package unigram

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/transforms/tokens"
)

// file is the content of a tokenizer.json with parts of it replaced.
func file(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	vocab := []any{}
	for _, piece := range strings.Fields("<s> <pad> </s> <unk> ▁ a b ab ▁a c abc ▁b bc é ▁▁ aa aaa ▁ab <0x41> e ́ - 中 ß i") {
		vocab = append(vocab, []any{piece, -3})
	}
	for b := range 256 {
		if name := fmt.Sprintf("<0x%02X>", b); b != 0x41 {
			vocab = append(vocab, []any{name, -20})
		}
	}
	pieces, err := json.Marshal(vocab)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"added": `{"id":0,"content":"<s>","special":true},{"id":1,"content":"<pad>","special":true},{"id":2,"content":"</s>","special":true},
			{"id":3,"content":"<unk>","special":true},{"id":280,"content":"<mask>","special":true}`,
		"normalizer": `null`, "pre": `{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"}`,
		"post": `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"</s>"}}]}`,
		"unk":  "3", "fallback": "false", "vocab": string(pieces),
	}
	for name, part := range parts {
		all[name] = part
	}
	return fmt.Appendf(nil, `{"truncation":null,"added_tokens":[%s],"normalizer":%s,"pre_tokenizer":%s,"post_processor":%s,
		"model":{"type":"Unigram","unk_id":%s,"byte_fallback":%s,"vocab":%s}}`,
		all["added"], all["normalizer"], all["pre"], all["post"], all["unk"], all["fallback"], all["vocab"])
}

var settings = []struct {
	name  string
	parts map[string]string
}{
	{"always", nil},
	{"first, whole", map[string]string{"pre": `{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}`}},
	{"never", map[string]string{"pre": `{"type":"Metaspace","replacement":"▁","prepend_scheme":"never"}`, "fallback": "true"}},
	{"no cuts", map[string]string{"pre": `null`}},
	{"words", map[string]string{"fallback": "true",
		"pre": `{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁","add_prefix_space":true}]}`}},
	{"camembert", map[string]string{"normalizer": `{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"String":"\n"},"content":" "},
		{"type":"Strip","strip_left":true,"strip_right":true},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":"▁"}]}`}},
	{"forms", map[string]string{"normalizer": `{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Lowercase"}]}`}},
	{"decomposed", map[string]string{"normalizer": `{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":"(ab|c)[-.]+"},"content":"bc"},
		{"type":"NFKD"},{"type":"Lowercase"}]}`}},
}

func TestEncode(t *testing.T) {
	for _, test := range []struct{ settings, text, want string }{
		{"always", "ab abc", "▁ab ▁ abc"},
		{"always", "", ""},
		{"always", "aaaaa", "▁ aa aaa"}, // of equal sums that whose last piece begins first
		{"always", "axyzb", "▁a <unk> b"},
		{"always", "<s>a<mask>", "▁ <unk> a <unk> a <unk>"},
		{"always", "a  b", "▁a ▁ ▁b"},
		{"always", "\xffa\xff\xffé", "▁ <unk> a <unk> é"},
		{"first, whole", "a  b", "▁a ▁ ▁b"},
		{"never", "aé☃", "a é <0xE2> <0x98> <0x83>"},
		{"no cuts", "a b", "a <unk> b"},
		{"words", "\t a\u00a0b\u3000", "▁a ▁b"},
		{"camembert", "  a   b ", "▁a ▁b"},
		{"camembert", " \n ", ""},
		{"forms", "ＡＢ①", "▁ab <unk>"},
		{"decomposed", "É-ab.-c", "▁ e ́ - bc c"},
		{"decomposed", strings.Repeat("\u0301", 40) + "\u0323", "▁ <unk>" + strings.Repeat(" ́", 40)}, // in a row, however long
	} {
		t.Run(test.settings+" "+test.text, func(t *testing.T) {
			i := slices.IndexFunc(settings, func(s struct {
				name  string
				parts map[string]string
			}) bool {
				return s.name == test.settings
			})
			tokenizer := read(t, file(t, settings[i].parts))
			var got []string
			for _, id := range tokenizer.Encode(nil, test.text) {
				got = append(got, tokenizer.Piece(id))
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestVocabulary(t *testing.T) {
	v := read(t, file(t, nil))
	special, err := v.Special()
	if want := (tokens.Special{Padding: 1, Unknown: 3, Classify: 0, Separate: 2, Mask: 280}); err != nil || special != want {
		t.Errorf("%+v, %v; want %+v", special, err, want)
	}
	if v.Size() != 281 || v.Piece(280) != "<mask>" || v.Piece(281) != "" || v.Continues(8) || !v.Continues(5) || v.Continues(0) {
		t.Errorf("%d pieces, %v continues", v.Size(), []bool{v.Continues(8), v.Continues(5), v.Continues(0)})
	}
	if got := v.Decode([]int32{8, 6, 11, 900}); got != "ab b<id 900>" {
		t.Errorf("decoded %q", got)
	}
	content := v.Content()
	for _, test := range []struct {
		name  string
		parts map[string]string
		same  bool
	}{
		{"other order and spaces", map[string]string{"pre": `{"replacement": "▁", "prepend_scheme": "always", "type": "Metaspace"}`}, true},
		{"another normalizer", settings[6].parts, false},
		{"another scheme", settings[1].parts, false},
		{"fallback", map[string]string{"fallback": "true"}, false},
	} {
		if same := read(t, file(t, test.parts)).Content() == content; same != test.same {
			t.Errorf("%s: the same content is %v", test.name, same)
		}
	}
	_, err = read(t, file(t, map[string]string{"added": `{"id":280,"content":"<x>","special":true}`})).Special()
	if err == nil || !strings.Contains(err.Error(), "one of padding") || !strings.Contains(err.Error(), "a mask") {
		t.Error(err)
	}
}

func TestReadSerializedFaults(t *testing.T) {
	for _, test := range []struct{ name, part, with, want string }{
		{"normalizer", "normalizer", `{"type":"Nmt"}`, "its normalizer Nmt is not supported"},
		{"in a sequence", "normalizer", `{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Bert"}]}`, "its normalizer Bert"},
		{"cut map", "normalizer", `{"type":"Precompiled","precompiled_charsmap":"AAEAAAAA"}`, "precompiled_charsmap is cut"},
		{"no pattern", "normalizer", `{"type":"Replace","content":""}`, "has no pattern"},
		{"unicode class", "normalizer", `{"type":"Replace","pattern":{"Regex":"\\s+"},"content":""}`, `the regular expression "\\s+"`},
		{"explodes", "normalizer", `{"type":"Replace","pattern":{"Regex":"(a*)*(?=b)"},"content":""}`, "is not supported"},
		{"empty match", "normalizer", `{"type":"Replace","pattern":{"Regex":"a*"},"content":""}`, "is not supported"},
		{"pre-tokenizer", "pre", `{"type":"ByteLevel"}`, "its pre_tokenizer ByteLevel is not supported"},
		{"scheme", "pre", `{"type":"Metaspace","replacement":"▁","prepend_scheme":"last"}`, "prepend_scheme last"},
		{"post-processor", "post", `{"type":"ByteLevel"}`, "its post_processor is not supported"},
		{"unknown", "unk", "900", "model.unk_id is not one of the 280 pieces"},
		{"no unknown", "unk", "null", "model.unk_id is not one of"},
		{"no scores", "vocab", `[["a"],["b"]]`, "which is not a list of a piece and its score"},
		{"bad score", "vocab", `[["a",-1],["b",1e999]]`, "the score 1e999"},
		{"twice", "vocab", `[["a",-1],["b",-1],["c",-1],["d",-1],["a",-1]]`, `has "a"`},
		{"not special", "added", `{"id":5,"content":"a"}`, `the added token "a" is not a special one`},
		{"gap", "added", `{"id":300,"content":"x","special":true}`, `"x" has the id 300`},
		{"other id", "added", `{"id":3,"content":"a","special":true}`, `"a" has the ids 5 and 3`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ReadSerialized(file(t, map[string]string{test.part: test.with})); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Ids and offsets are those of Hugging Face tokenizers with other parts than those of XLM-R.
func TestPeerSettings(t *testing.T) {
	texts, tests := strange(3_000), settings
	if testing.Short() { // the peer takes a second to start
		tests = settings[5:6]
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := file(t, test.parts)
			path := filepath.Join(t.TempDir(), "tokenizer.json")
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			compare(t, read(t, data), texts, peer(t, "spans", path, texts), true)
		})
	}
}

func FuzzReadSerialized(f *testing.F) {
	for _, s := range settings {
		f.Add(file(f, s.parts), " a  bc é中\xff")
	}
	f.Add(file(f, map[string]string{"normalizer": `{"type":"Precompiled","precompiled_charsmap":"BAAAAAEBAABh"}`}), "abc")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s, err := ReadSerialized(data)
		if err != nil {
			return
		}
		v := s.tokenizer
		spans := v.Spans(nil, text)
		ids := v.Encode(nil, text)
		if len(ids) != len(spans) {
			t.Fatalf("%d ids, %d spans", len(ids), len(spans))
		}
		for i, p := range spans {
			if p.ID != ids[i] || v.Piece(p.ID) == "" || p.Start < 0 || p.Start > p.End || int(p.End) > len(text) {
				t.Fatalf("%q: %+v", text, p)
			}
		}
		if !utf8.ValidString(v.Decode(ids)) {
			t.Errorf("%q: %q", text, v.Decode(ids))
		}
	})
}

func TestEncodeAllocatesNothing(t *testing.T) {
	tokenizer := read(t, file(t, map[string]string{"normalizer": settings[5].parts["normalizer"]}))
	ids := make([]int32, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() { ids = tokenizer.Encode(ids[:0], "a  bc é 中ab\n") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A splitter gives the words that the tokenizer of learned pieces splits.
func TestSplitter(t *testing.T) {
	data, err := Serialize([]Piece{{"▁", -1}, {"a", -2}, {"b", -2}, {"▁ab", -1}, {"fi", -2}, {"1", -3}})
	if err != nil {
		t.Fatal(err)
	}
	tokenizer := read(t, data)
	if s, err := tokenizer.Special(); err != nil || s.Own()[0] != 1 || s.Mask != int32(tokenizer.Size()-1) {
		t.Errorf("special tokens %v, %v", s, err)
	}
	splitter := NewSplitter()
	for text, want := range map[string]string{
		"": "", "  ab\ta\u3000b ": "ab|a|b", "aﬁ①": "afi1", "a▁▁b▁": "a|b", "e\u0301": "é", "a\xffb": "a\ufffdb", "<s> a": "<s>|a",
	} {
		var words []string
		var ids []int32
		for word := range splitter.Words(text) {
			words = append(words, string(word))
			ids = tokenizer.Encode(ids, string(word))
		}
		if got := strings.Join(words, "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := tokenizer.Encode(nil, text); !strings.Contains(text, "▁") && !slices.Equal(got, ids) {
			t.Errorf("%q: %v, its words have %v", text, got, ids)
		}
	}
	if _, err := Serialize([]Piece{{"a", math.NaN()}}); err == nil {
		t.Error("a score that is no number gives no error")
	}
}
