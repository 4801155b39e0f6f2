package languagemodel

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"google.golang.org/protobuf/encoding/protowire"

	"sentweave/transforms/tokens/ngram"
	"sentweave/transforms/tokens/unigram"
)

// bigrams is a model of two words, a and b.
const bigrams = `\data\
ngram 1=5
ngram 2=1

\1-grams:
-2	<unk>
-99	<s>	-0.5
-1	a	-0.25
-0.5	b
-1	</s>

\2-grams:
-0.125	a b

\end\
`

func readBigrams(t *testing.T, text string) *ngram.Model {
	t.Helper()
	m, err := ngram.ReadARPA(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Perplexities that were computed by hand, of sentences of words.
func TestWords(t *testing.T) {
	m, err := New(readBigrams(t, bigrams), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sentences []string
		logarithm float64
		words     int
	}{
		{[]string{"a b"}, -1.5 - .125 - 1, 3},
		{[]string{"a b", "A"}, -1.5 - .125 - 1 - 2.5 - 1, 5},
		{[]string{"A b"}, -2.5 - .5 - 1, 3},
		{[]string{"A B", "a"}, -2.5 - 2 - 1 - 1.5 - 1.25, 5},
	} {
		want := math.Pow(10, -tt.logarithm/float64(tt.words))
		if got := m.Perplexity(tt.sentences); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%q: %v, want %v", tt.sentences, got, want)
		}
	}
}

// readPieces returns the tokenizer of a file of SentencePiece with these pieces behind the first three.
func readPieces(t *testing.T, list ...string) *unigram.Tokenizer {
	t.Helper()
	var file []byte
	for i, name := range append([]string{"<unk>", "<s>", "</s>"}, list...) {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		piece = protowire.AppendFixed32(protowire.AppendTag(piece, 2, protowire.Fixed32Type), math.Float32bits(-1))
		if i < 3 {
			piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), uint64(min(2+i, 3)))
		}
		file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), piece)
	}
	read, err := unigram.ReadModel(file, unigram.XLMRClass)
	if err != nil {
		t.Fatal(err)
	}
	vocabulary, err := read.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return vocabulary.(*unigram.Tokenizer)
}

// With pieces, a document is one normalized sentence of them, and a piece that the tokenizer lacks may be a word of the model.
func TestPieces(t *testing.T) {
	lm := readBigrams(t, strings.NewReplacer(
		"1=5", "1=7", "\ta", "\t▁a", "a b", "▁a b", "-1\t</s>", "-1\t</s>\n-0.75\t▁\n-2.25\t0").Replace(bigrams))
	model, err := New(lm, readPieces(t, "▁", "▁a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]float64{
		"ÁB|b":  {-1.5 - .125 - .75 - .5 - 1, 5}, // ▁a b ▁ b </s>
		"a\n7b": {-1.5 - 2.5 - .5 - 1, 4},        // ▁a 0 b </s>
		"A":     {-1.5 - 1.25, 2},
	} {
		if got, p := model.Perplexity(strings.Split(text, "|")), math.Pow(10, -want[0]/want[1]); math.Abs(got/p-1) > 1e-6 {
			t.Errorf("%q: %v, want %v", text, got, p)
		}
	}
	for want, given := range map[string]*unigram.Tokenizer{
		"it knows the word ▁, and so is over pieces":             nil,
		"it knows 2 of the 10 pieces of --pieces, which are tho": readPieces(t, "c", "d", "e", "f", "g"),
	} {
		if _, err := New(lm, given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Texts as CCNet's normalize gives them.
func TestNormalizer(t *testing.T) {
	for text, want := range map[string]string{
		"Ünïcode 1,234.5٣ „Zitat“ – so…": "unicode 0,000.00 \"zitat\" - so...",
		"ΠΡΟΣ ΣΑΣ, Σ. σίγμα":             "προς σας, σ. σιγμα",
		"İSTANBUL ﬁ Ǆ":                   "istanbul ﬁ ǆ",
		"「東京」、（１）。\t\u0085x\u007f":       "\"東京\",(0).x",
		"한국 — ё й":                       "한국 " + " -  е и",
	} {
		var n normalizer
		n.add(text)
		if got := string(n.text); got != want && norm.NFC.String(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
