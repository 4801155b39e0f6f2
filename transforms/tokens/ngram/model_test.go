package ngram_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/transforms/tokens/ngram"
)

// kinds are the files of the tiny model: one of ARPA, and those that KenLM's build_binary made of it.
var kinds = []string{"tiny.arpa", "tiny.probing", "tiny.trie", "tiny.quantized"}

// Scores that were computed by hand, of the model in tiny.arpa: n-grams that are there, back-off by one word and by two, an unknown word,
// no word, and an n-gram without its last words as an n-gram.
func TestSentence(t *testing.T) {
	for _, kind := range kinds {
		m := readModel(t, filepath.Join("testdata", kind))
		for text, want := range map[string]float64{
			"a b":     -.4 - .1 - (.15 + .5),
			"\ta  b ": -.4 - .1 - (.15 + .5),
			"a a b":   -.4 - (.25 + .3 + .7) - .6 - (.15 + .5),
			"x a":     -(.5 + 1) - .7 - (.3 + .8),
			"b":       -(.5 + .9) - .5,
			"":        -(.5 + .8),
			"b a a":   -(.5 + .9) - .2 - .05 - (.3 + .8),
		} {
			got, words := m.Sentence(text)
			if n := len(strings.Fields(text)); math.Abs(got-want) > 1e-6 || words != n {
				t.Errorf("%s: %q has %v of %d words, want %v of %d", kind, text, got, words, want, n)
			}
		}
		if n := testing.AllocsPerRun(10, func() { m.Sentence("a b x a a b") }); n > 0 || m.Order() != 3 {
			t.Errorf("%s: %v allocations, order %d", kind, n, m.Order())
		}
	}
}

func TestPerplexity(t *testing.T) {
	for _, tt := range []struct {
		logarithm float64
		words     int
		want      float64
	}{{-6, 3, 100}, {0, 0, 1}, {-1e9, 1, math.MaxFloat32}, {math.NaN(), 1, math.MaxFloat32}} {
		if got := ngram.Perplexity(tt.logarithm, tt.words); math.Abs(got/tt.want-1) > 1e-12 {
			t.Errorf("%v of %d words: %v, want %v", tt.logarithm, tt.words, got, tt.want)
		}
	}
}

// Each fault of a file of ARPA is one error with its line.
func TestReadARPAFaults(t *testing.T) {
	data, err := os.ReadFile("testdata/tiny.arpa")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][3]string{ // what is replaced, by what, and the error
		{`\data\`, "data", `line 1: "data", want \data\: it is neither in the ARPA format nor a binary file of KenLM`},
		{"ngram 2=4", "ngram 3=4", `line 3: "ngram 3=4", want ngram 2=NUMBER`},
		{"ngram 2=4", "ngram 2=-4", "line 3: "},
		{"ngram 2=4", "ngram 2=900000000", "line 3: these are more than 8388608 n-grams: make a binary file"},
		{"ngram 2=4", "ngram 2=8000000", "line 5: by the header there are 8000007 n-grams, for which the file is too short"},
		{"ngram 2=4\nngram 3=2", "", "the model has no n-grams of two words or more"},
		{"ngram 2=4", "ngram 2=3", `line 17: "-0.2\tb a\t-0.1" in the place of \3-grams: after as many lines as the header says`},
		{"ngram 2=4", "ngram 2=5", `line 18: "" is not the logarithm of a probability and 2 words: by the header there are 5 such lines`},
		{"ngram 3=2", "ngram 3=1", `line 21: "-0.05\tb a a" in the place of \end\ after as many lines as the header says`},
		{"-0.7\ta", "0.7\ta", `line 9: "0.7" is not the logarithm of a probability`},
		{"-0.7\ta", "NaN\ta", "line 9: "},
		{"-0.7\ta", "-0.7\tb", `line 10: the word "b" is there twice`},
		{"-0.7\ta\t-0.3", "-0.7", `line 9: "-0.7" is not the logarithm of a probability and 1 words`},
		{"-0.6\ta b", "-0.6\ta c", `line 15: the word "c" is not among the 1-grams`},
		{"-0.6\ta b", "-0.6\tb a", "line 17: the n-gram is there twice"},
		{"\tb a\t-0.1", "\tb a\tx", `line 17: "x" behind 2 words is not the back-off weight of a 2-gram`},
		{"\tb a a", "\tb a a\t-1", `line 21: "-1" behind 3 words is not`},
		{"\tb a a", "\ta a a", "line 21: the first 2 of its words are not among the 2-grams"},
		{"</s>", "<e>", "it has no <s> or no </s>"},
		{`\end\`, "", `line 23: it ends before \end\`},
		{`\end\`, strings.Repeat("x", 1<<17), "it has more than 65536 bytes"},
	} {
		text := strings.ReplaceAll(string(data), tt[0], tt[1])
		if _, err := read([]byte(text)); err == nil || !strings.Contains(err.Error(), tt[2]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q: %v, want %q", tt[1], tt[0], err, tt[2])
		}
	}
	// Without <unk>, unknown words have the probability that KenLM gives them.
	m, err := read([]byte(strings.NewReplacer("ngram 1=5", "ngram 1=4", "-1\t<unk>\n", "", "\n", "\r\n").Replace(string(data))))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Sentence("x"); math.Abs(got+.5+100+.8) > 1e-5 {
		t.Errorf("an unknown word has %v", got)
	}
	if with, err := read(data); err != nil || m.KnowsUnknown() || !with.KnowsUnknown() {
		t.Errorf("without and with <unk>: %v, %v, %v", m.KnowsUnknown(), with.KnowsUnknown(), err)
	}
}

// A binary file that is cut anywhere in what its header asks for is an error, and so are other kinds and versions.
func TestReadBinaryFaults(t *testing.T) {
	for _, kind := range kinds[1:] {
		data, err := os.ReadFile(filepath.Join("testdata", kind))
		if err != nil {
			t.Fatal(err)
		}
		words := len("<unk>\x00<s>\x00a\x00b\x00</s>\x00") // at the end of the file, for other programs
		for n := range len(data) - words {
			if _, err := ngram.ReadBinary(data[:n:n]); err == nil {
				t.Errorf("%s cut to %d bytes is read", kind, n)
			}
		}
		for _, tt := range []struct {
			at    int
			value byte
			want  string
		}{
			{49, '4', "of version 5"}, {60, 1, "of version 5"},
			{88, 1, "up to 1 words: from 2 to 10"}, {88, 11, "up to 11 words"}, {88, 9, "it is cut"},
			{96, 1, "rest costs (build_binary -r)"}, {96, 6, "unknown kind 6"}, {104, 7, "in version 7"},
			{112, 1, "it is cut"}, {115, 255, "it is cut"}, {123, 255, "it is cut"},
		} {
			changed := append([]byte(nil), data...)
			changed[tt.at] = tt.value
			if _, err := ngram.ReadBinary(changed); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s with %d at %d: %v, want %q", kind, tt.value, tt.at, err, tt.want)
			}
		}
	}
}

// No file makes the reader panic or loop, and the model that it gives scores sentences.
func FuzzRead(f *testing.F) {
	for _, kind := range kinds {
		data, err := os.ReadFile(filepath.Join("testdata", kind))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "a b a a x b")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := read(data)
		if err != nil {
			return
		}
		logarithm, words := m.Sentence(text)
		if p := ngram.Perplexity(logarithm, words+1); !(p >= 1 && p <= math.MaxFloat32) {
			t.Errorf("perplexity %v", p)
		}
	})
}
