package unigram

import (
	"math"
	"os"
	"path/filepath"
	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Ids are those of SentencePiece, of models that it trains on the texts.
func TestPeerSentencePiece(t *testing.T) {
	interpreter := peertest.Python(t)
	texts := append(realdata.Tatoeba(t, math.MaxInt), strange(20_000)...)
	if testing.Short() {
		texts = append(realdata.Tatoeba(t, 20), strange(2_000)...)
	}
	// One text of four: all take minutes for the four models. Bytes are not compared that C++ takes for the end of a text.
	number := 0
	texts = slices.DeleteFunc(texts, func(text string) bool {
		number++
		return number%4 != 0 || strings.Contains(text, "\x00")
	})
	input := peertest.Lines(t, texts)
	for _, test := range []struct{ name, options string }{
		{"as XLM-R", `{}`},
		{"bytes", `{"byte_fallback": true, "normalization_rule_name": "nmt_nfkc_cf"}`},
		{"bare", `{"normalization_rule_name": "identity", "remove_extra_whitespaces": false, "add_dummy_prefix": false}`},
		{"spaces", `{"normalization_rule_name": "nfkc", "remove_extra_whitespaces": false, "split_by_whitespace": false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), ModelName)
			output := peertest.Output(t, input, interpreter, filepath.Join("testdata", "sentencepiece.py"), path, test.options)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := ReadModel(data, XLMRClass)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, s.tokenizer, texts, output, false)
		})
	}
}

// modelFile is a file of SentencePiece. A piece is "piece" or "piece:type".
func modelFile(settings map[protowire.Number]uint64, normalizer []byte, list string) []byte {
	var file []byte
	for i, name := range strings.Fields(list) {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), strings.Split(name, ":")[0])
		piece = protowire.AppendFixed32(protowire.AppendTag(piece, 2, protowire.Fixed32Type), math.Float32bits(-1-float32(i)/8))
		if _, kind, ok := strings.Cut(name, ":"); ok {
			piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), uint64(kind[0]-'0'))
		}
		file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), piece)
	}
	var trainer []byte
	for name, value := range settings {
		trainer = protowire.AppendVarint(protowire.AppendTag(trainer, name, protowire.VarintType), value)
	}
	file = protowire.AppendBytes(protowire.AppendTag(file, 2, protowire.BytesType), trainer)
	return protowire.AppendBytes(protowire.AppendTag(file, 3, protowire.BytesType), normalizer)
}

const plainList = "<unk>:2 <s>:3 </s>:3 ▁ a b ▁a ab c:5"

func TestReadModel(t *testing.T) {
	for _, test := range []struct{ class, text, want string }{
		{XLMRClass, "ab  a \u0000", "▁:4 ab:8 ▁a:7 ▁:4 <unk>:3"},
		{XLMRClass, "c", "▁:4 <unk>:3"}, // which is unused
		{XLMRClass, "<s> ", "▁:4 <unk>:3"},
		{XLMRClass, " ", ""},
		{CamembertClass, "bx", "▁:7 b:9 <unk>:3"},
	} {
		s, err := ReadModel(modelFile(nil, nil, plainList), test.class)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range s.tokenizer.Encode(nil, test.text) {
			got = append(got, s.tokenizer.Piece(id)+":"+string('0'+id))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s of %q: %s, want %s", test.class, test.text, got, test.want)
		}
	}
	s, err := ReadModel(modelFile(nil, nil, plainList), CamembertClass)
	if err != nil {
		t.Fatal(err)
	}
	if special, err := s.tokenizer.Special(); err != nil || special.Own()[0] != 1 || special.Classify != 5 || special.Separate != 6 ||
		special.Mask != 13 || s.tokenizer.Size() != 14 {
		t.Errorf("%+v of %d, error %v", special, s.tokenizer.Size(), err)
	}
}

func TestBadModels(t *testing.T) {
	whole := modelFile(nil, nil, plainList)
	for _, test := range []struct {
		name   string
		file   []byte
		reason string
	}{
		{"BPE", modelFile(map[protowire.Number]uint64{3: 2}, nil, plainList), "its model_type is BPE, only UNIGRAM is supported"},
		{"suffixes", modelFile(map[protowire.Number]uint64{24: 1}, nil, plainList), "treat_whitespace_as_suffix"},
		{"bytes without pieces", modelFile(map[protowire.Number]uint64{35: 1}, nil, plainList), "has no <0x00>"},
		{"cut", whole[:len(whole)-9], "it is cut"},
		{"another format", []byte("version https://git-lfs.github.com/spec/v1\n"), "not a model of SentencePiece"},
		{"none", nil, "does not begin with the pieces <unk>, <s> and </s>"},
		{"other pieces", modelFile(nil, nil, "<pad>:3 </s>:3 <unk>:2 a"), "does not begin with the pieces <unk>, <s> and </s>"},
		{"of a user", modelFile(nil, nil, plainList+" <url>:4"), `its piece "<url>" is one of user_defined_symbols`},
		{"twice", modelFile(nil, nil, plainList+" a"), `model.vocab has "a"`},
		{"no text", modelFile(nil, nil, "<unk>:2 <s>:3 </s>:3"), "no pieces of text"},
		{"a cut map", modelFile(nil, []byte{0x12, 5, 9, 0, 0, 0, 1}, plainList),
			"precompiled_charsmap is cut"},
	} {
		if _, err := ReadModel(test.file, XLMRClass); err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.reason)
		}
	}
}

// FuzzReadModel reads files of anybody: each gives ids within its pieces, or an error.
func FuzzReadModel(f *testing.F) {
	f.Add(modelFile(nil, nil, plainList), "ab c")
	f.Add(modelFile(map[protowire.Number]uint64{3: 1, 24: 0}, []byte{0x12, 5, 4, 0, 0, 0, 0, 0x18, 0}, plainList), " a  é")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s, err := ReadModel(data, XLMRClass)
		if err != nil {
			return
		}
		ids := s.tokenizer.Encode(nil, text)
		for i, span := range s.tokenizer.Spans(nil, text) {
			if i >= len(ids) || span.ID != ids[i] || uint(span.ID) >= uint(s.tokenizer.Size()) || span.Start > span.End ||
				int(span.End) > len(text) {
				t.Fatalf("%q: span %+v of ids %v", text, span, ids)
			}
		}
	})
}
