package encoder

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/measure/neighbors"
)

func encode(t testing.TB, name string, texts ...string) Vectors {
	t.Helper()
	e, err := Parse(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if e.Name() != name {
		t.Errorf("name %q, want %q", e.Name(), name)
	}
	v, err := e.Encode(t.Context(), Texts("eng", texts...))
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != len(texts) {
		t.Fatalf("%s: %d vectors for %d texts", name, v.Len(), len(texts))
	}
	return v
}

func TestCosineByHand(t *testing.T) {
	log := math.Log
	tests := []struct {
		model, a, b string
		want        float64
	}{
		{"baseline:bow", "a b", "a b", 2 / math.Sqrt(4)},
		{"baseline:bow", "A\tb  b", "b\u00a0a", 3 / math.Sqrt(5*2)}, // counts 1 2 and 1 1
		{"baseline:bow", "a,", "a", 0},                              // punctuation stays with its word
		{"baseline:bow", "", "a", 0},
		{"baseline:bow", "ΟΔΟΣ", "οδος", 1}, // the final sigma
		{"baseline:bow", "x\x1cy", "y x", 1},
		// "  ab " has the trigrams "  a", " ab", "ab "; "  ac " shares the first.
		{"baseline:char3", "ab", "Ac", 1 / math.Sqrt(3*3)},
		{"baseline:char3", "", "", 1}, // the trigram of three spaces
		{"baseline:char3", "日本", "日", 1 / math.Sqrt(3*2)},
		// n is 2: a is in both texts and weighs 1; b and c weigh ln(3/2)+1.
		{"baseline:tfidf", "a b", "a c", 1 / (1 + (log(1.5)+1)*(log(1.5)+1))},
		{"baseline:random", "same", "same", 1},
	}
	for _, test := range tests {
		v := encode(t, test.model, test.a, test.b)
		if got := v.Cosine(0, v, 1); math.Abs(got-test.want) > 1e-7 || test.model != "baseline:random" && math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%s of %q and %q is %v, want %v", test.model, test.a, test.b, got, test.want)
		}
	}
}

func TestRandom(t *testing.T) {
	texts := make([]string, 400)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	v := encode(t, "baseline:random", texts...)
	// The cosine of two random directions in d dimensions has mean 0 and variance 1/d.
	sum, squares, n := 0.0, 0.0, 0.0
	for i := range texts {
		for j := range i {
			c := v.Cosine(i, v, j)
			sum, squares, n = sum+c, squares+c*c, n+1
		}
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 4/math.Sqrt(256*n)+1e-3 || math.Abs(variance*256-1) > .05 {
		t.Errorf("mean %v, variance times dimensions %v; want 0 and 1", mean, variance*256)
	}
}

// Nearest must agree with Cosine to the last bit.
func TestNearestIsGreatestCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	texts := make([]string, 150)
	for i := range texts {
		for range r.IntN(6) {
			texts[i] += string(rune('a'+r.IntN(6))) + strings.Repeat(" ", r.IntN(2))
		}
	}
	for _, model := range []string{"baseline:bow", "baseline:tfidf", "baseline:char3", "baseline:random"} {
		all := encode(t, model, texts...)
		queries, candidates := all.Slice(0, 50), all.Slice(50, 150)
		exclude := make([]int, 50)
		for i := range exclude {
			exclude[i] = i*2 - 1
		}
		got, err := queries.Nearest(t.Context(), candidates, neighbors.Options{Workers: 2, Exclude: exclude})
		if err != nil {
			t.Fatal(err)
		}
		for q := range 50 {
			want := neighbors.Match{Neighbor: neighbors.Neighbor{Index: -1, Similarity: math.Inf(-1)}}
			for c := range 100 {
				if s := queries.Cosine(q, candidates, c); c == exclude[q] {
				} else if s > want.Similarity {
					want = neighbors.Match{Neighbor: neighbors.Neighbor{Index: c, Similarity: s}}
				} else if s == want.Similarity {
					want.Ties++
				}
			}
			if got[q] != want {
				t.Errorf("%s: query %d %q: %+v, want %+v", model, q, texts[q], got[q], want)
			}
		}
	}
	bow, dense := encode(t, "baseline:bow", "a"), encode(t, "baseline:random", "a")
	if !math.IsNaN(bow.Cosine(0, dense, 0)) || !math.IsNaN(dense.Cosine(0, bow, 0)) {
		t.Error("vectors of two kinds have a cosine")
	}
	if _, err := bow.Nearest(t.Context(), dense, neighbors.Options{}); err == nil {
		t.Error("vectors of two kinds are searched")
	}
	if _, err := dense.Nearest(t.Context(), bow, neighbors.Options{}); err == nil {
		t.Error("vectors of two kinds are searched")
	}
}

// The k nearest are those of all cosines in order; the first of equally near ones comes first.
func TestTopK(t *testing.T) {
	texts := []string{"a b c", "a b", "c d e", "a", "", "a b c", "b a", "x"}
	for _, model := range []string{"baseline:bow", "baseline:char3", "baseline:random"} {
		v := encode(t, model, texts...)
		self := make([]int, len(texts))
		for i := range self {
			self[i] = i
		}
		for _, exclude := range [][]int{nil, self} {
			for k := 1; k <= len(texts); k++ {
				got, err := v.TopK(t.Context(), v, k, neighbors.Options{Exclude: exclude})
				if err != nil {
					t.Fatal(err)
				}
				for q := range texts {
					var all []neighbors.Neighbor
					for c := range texts {
						if exclude == nil || c != q {
							all = append(all, neighbors.Neighbor{Index: c, Similarity: v.Cosine(q, v, c)})
						}
					}
					slices.SortStableFunc(all, func(a, b neighbors.Neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
					for len(all) < k {
						all = append(all, neighbors.Neighbor{Index: -1})
					}
					if mine := got[q*k : (q+1)*k]; !slices.Equal(mine, all[:k]) {
						t.Errorf("%s, query %d, k %d: %v, want %v", model, q, k, mine, all[:k])
					}
				}
			}
		}
		// Places agree with the order of the nearest.
		nearest, err := v.TopK(t.Context(), v, len(texts)-1, neighbors.Options{Exclude: self})
		if err != nil {
			t.Fatal(err)
		}
		wanted := make([][]int, len(texts))
		for i, n := range nearest {
			wanted[i/(len(texts)-1)] = append(wanted[i/(len(texts)-1)], n.Index)
		}
		ranks, err := v.Ranks(t.Context(), v, wanted, neighbors.Options{Exclude: self})
		if err != nil {
			t.Fatal(err)
		}
		for q, list := range ranks {
			for i, rank := range list {
				if rank != i+1 {
					t.Errorf("%s, query %d: neighbour %d has place %d", model, q, i, rank)
				}
			}
		}
		if _, err := v.TopK(t.Context(), v, len(texts)+1, neighbors.Options{}); err == nil {
			t.Errorf("%s: more neighbours than candidates", model)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "bow", "baseline:", "baseline:bert", "baseline:vectors", "baseline:vectors=", "baseline:bow=3"} {
		if _, err := Parse(t.Context(), name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
		if err := CheckBaseline(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range Baselines() {
		if err := CheckBaseline(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{t.TempDir(), "https://models.example/v1"} {
		if _, err := Open(t.Context(), name, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
		asked := ""
		_, err := Open(t.Context(), name, func(_ context.Context, n string) (Encoder, error) { asked = n; return nil, nil })
		if err != nil || asked != name {
			t.Errorf("%q: the opener of models got %q, %v", name, asked, err)
		}
	}
	if e, err := Open(t.Context(), "baseline:bow", nil); err != nil || e.Name() != "baseline:bow" {
		t.Error(e, err)
	}
}

func TestWordVectors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vectors.txt")
	if err := os.WriteFile(file, []byte("3 2\nhot 1 0\nDog 0 1\ncat 0 -3e0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := encode(t, "baseline:vectors="+file, "hot Dog", "HOT", "dog", "unknown", "cat hot hot", "Hot, (Dog)!", "…").(Dense)
	want := [][]float32{{.5, .5}, {1, 0}, {0, 0}, {0, 0}, {2. / 3, -1}, {.5, .5}, {0, 0}} // "Dog" is not "dog"
	for i, row := range want {
		for k, x := range row {
			if v.Row(i)[k] != x {
				t.Errorf("text %d: %v, want %v", i, v.Row(i), row)
			}
		}
	}
	if c := v.Cosine(0, v, 3); c != 0 {
		t.Errorf("cosine with a text without words: %v", c)
	}
	if _, err := Parse(t.Context(), "baseline:vectors="+file+".absent"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// word2vec's binary format, as its program and as gensim write it.
func TestReadWord2Vec(t *testing.T) {
	numbers := func(values ...float32) string {
		var b []byte
		for _, x := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return string(b)
	}
	file := filepath.Join(t.TempDir(), "vectors.bin")
	for _, end := range []string{"", "\n"} {
		text := "2 2\nhot " + numbers(1, 0) + end + "Dog " + numbers(0, 1) + end
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		v := encode(t, "baseline:vectors="+file, "hot Dog", "HOT", "none").(Dense)
		if fmt.Sprint(v.Data) != "[0.5 0.5 1 0 0 0]" {
			t.Errorf("%q: %v", text, v.Data)
		}
	}
	for want, text := range map[string]string{
		"word 2 of 2: the file is cut":           "2 2\nhot " + numbers(1, 0),
		"word 1 of 1: the file is cut":           "1 2\nhot " + numbers(1),
		"line 1 is \"nothing\": want the number": "nothing",
		"which 8 bytes do not hold":              "9 1000\na",
		`"hot": value 2 is NaN`:                  "1 2\nhot " + numbers(1, float32(math.NaN())),
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(t.Context(), "baseline:vectors="+file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Weights of given texts do not depend on what is encoded. n is 3: a is in 3, b in 1, c in
// none of them.
func TestWeightsOfGivenTexts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texts.txt.gz")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("a b b\nA\na"))
	if err := errors.Join(err, w.Close(), os.WriteFile(file, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	name := "baseline:tfidf=" + file
	a, b, c := 1.0, math.Log(2)+1, math.Log(4)+1 // ln((1+3)/(1+df))+1
	want := (a*a + b*b) / math.Sqrt((a*a+b*b+c*c)*(a*a+b*b))
	few, many := encode(t, name, "a b c", "a b"), encode(t, name, "a b c", "a b", "c", "c c", "b")
	if x, y := few.Cosine(0, few, 1), many.Cosine(0, many, 1); math.Abs(x-want) > 1e-12 || x != y {
		t.Errorf("cosine %v among two texts, %v among five, want %v", x, y, want)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{name, name + ".absent"} {
		if _, err := Parse(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "read texts of baseline:tfidf") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestReadWordVectors(t *testing.T) {
	tests := []struct {
		text string
		want string // words with their first number, or the error
	}{
		{"2 1\na 1\nb 2\n", "a=1 b=2"},
		{"a 1 0\nb 2 0", "a=1 b=2"},
		{"a\t1\t0\r\nb 2 0 \r\n", "a=1 b=2"},
		{". . . 4 0\n", `value 2 of 4 is "."`}, // only the first line tells how many numbers there are
		{"a 1 0\n. . 4 0\n", "a=1 . .=4"},
		{"a 1 0\na 2 0\n", "a=1"},
		{"2 1\na 1\n", "line 1 says 2 words, 1 follow"},
		{"a 1 0\nb 2\n", "line 2: 1 numbers after the word, want 2"},
		{"a 1 0\nb 2 x\n", `line 2: value 2 of 2 is "x"`},
		{"a 1 0\nb NaN 1\n", `line 2: value 1 of 2 is "NaN"`},
		{"a 1e99\n", "want a finite number"},
		{"a\n", "line 1 has 0 numbers"},
		{"5 0\n", "line 1 says 0 dimensions"},
		{"5 99999999\n", "99999999 dimensions"},
		{"a 1 0\n\n", "line 2: 0 numbers"},
		{"", "no word"},
		{"0 5\n", "no word"},
		{strings.Repeat("x", maxLine+1), "line 1 is longer"},
	}
	for _, test := range tests {
		v, err := readWordVectors(strings.NewReader(test.text))
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%.40q: %v, want %q", test.text, err, test.want)
			}
			continue
		}
		want := strings.Count(test.want, "=")
		if len(v.words) != want {
			t.Errorf("%.40q: %d words, want %q", test.text, len(v.words), test.want)
		}
		for w, i := range v.words {
			if !strings.Contains(test.want, fmt.Sprintf("%s=%v", w, v.vectors.Row(i)[0])) {
				t.Errorf("%.40q: %q has %v, want %q", test.text, w, v.vectors.Row(i), test.want)
			}
		}
	}
}

func FuzzReadWordVectors(f *testing.F) {
	f.Add("2 1\na 1\nb 2\n")
	f.Add("a 1 0\n. . 4 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readWordVectors(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(v.words) == 0 || v.vectors.Rows() != len(v.words) {
			t.Fatalf("%d words, %d vectors", len(v.words), v.vectors.Rows())
		}
		for _, x := range v.vectors.Data {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Fatalf("value %v", x)
			}
		}
		// Written with a header, the same words come back.
		var b strings.Builder
		fmt.Fprintf(&b, "%d %d\n", len(v.words), v.vectors.Dim)
		for w, i := range v.words {
			b.WriteString(w)
			for _, x := range v.vectors.Row(i) {
				fmt.Fprintf(&b, " %v", x)
			}
			b.WriteByte('\n')
		}
		again, err := readWordVectors(strings.NewReader(b.String()))
		if err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		for w, i := range v.words {
			if got := again.vectors.Row(again.words[w]); neighbors.Dot(got, got) != neighbors.Dot(v.vectors.Row(i), v.vectors.Row(i)) {
				t.Fatalf("%q: %v, want %v", w, got, v.vectors.Row(i))
			}
		}
	})
}

func TestEmbeddings(t *testing.T) {
	location := datasettest.Write(t, nil, []schemas.Embedding{
		{ID: "1", Language: "deu", Text: "Hund", Vector: []float32{1, 0}},
		{ID: "2", Language: "eng", Text: "dog", Vector: []float32{2, 0}},
		{ID: "3", Language: "eng", Text: "gift", Vector: []float32{3, 0}},
		{ID: "4", Language: "deu", Text: "gift", Vector: []float32{4, 0}},
		{ID: "5", Language: "fra", Vector: []float32{5, 0}},
		{ID: "6", Language: "eng", Text: "dog", Vector: []float32{2, 0}},
	})
	e, err := Open(t.Context(), location, nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		text  Text
		value float32
		want  string
	}{
		{Text{"Hund", "deu", ""}, 1, ""},
		{Text{"Hund", "", ""}, 1, ""},
		{Text{"dog", "und", ""}, 2, ""},
		{Text{"gift", "deu", ""}, 4, ""},
		{Text{"gift", "eng", ""}, 3, ""},
		{Text{"gift", "swe", ""}, 0, "different vectors in different languages"},
		{Text{"chien", "fra", "5"}, 5, ""},
		{Text{"dog", "eng", "absent"}, 2, ""},
		{Text{"dog", "eng", "5"}, 2, ""},
		{Text{"cat", "eng", "2"}, 0, `1 of 1 texts have no vector, the first is "cat" (eng)`}, // the id is that of "dog"
		{Text{"chien", "fra", ""}, 0, `1 of 1 texts have no vector, the first is "chien" (fra)`},
	}
	for _, test := range tests {
		v, err := e.Encode(t.Context(), []Text{test.text})
		switch {
		case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: %v", test.text, err)
		case err == nil && (test.want != "" || v.(Dense).Row(0)[0] != test.value):
			t.Errorf("%+v: %v, want %v%s", test.text, v, test.value, test.want)
		}
	}
	faults := []struct {
		rows []schemas.Embedding
		want string
	}{
		{[]schemas.Embedding{{ID: "1", Language: "und", Vector: []float32{1, 0}}, {ID: "2", Language: "und", Vector: []float32{1}}},
			"row 2 has 1 dimensions, the first row 2"},
		{[]schemas.Embedding{{ID: "1", Language: "und", Vector: []float32{1}}, {ID: "1", Language: "und", Vector: []float32{2}}},
			"id 1 has two vectors"},
		{[]schemas.Embedding{{ID: "1", Language: "und", Text: "x", Vector: []float32{1}},
			{ID: "2", Language: "und", Text: "x", Vector: []float32{2}}}, "another vector"},
		{[]schemas.Embedding{{ID: "1", Language: "und", Bits: []byte{1}}}, "0 dimensions"},
		{nil, "no row"},
	}
	for _, test := range faults {
		if _, err := OpenEmbeddings(t.Context(), datasettest.Write(t, nil, test.rows)); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.rows, err, test.want)
		}
	}
	if _, err := Open(t.Context(), datasettest.Write(t, nil, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}}),
		nil); err == nil {
		t.Error("a dataset of word counts is opened as embeddings")
	}
}

func BenchmarkEncode(b *testing.B) {
	texts := make([]Text, 1000)
	size := 0
	for i := range texts {
		texts[i].Text = fmt.Sprintf("a sentence with the number %d and eleven words in it all", i)
		size += len(texts[i].Text)
	}
	for _, name := range []string{"baseline:bow", "baseline:char3", "baseline:random"} {
		b.Run(name, func(b *testing.B) {
			e, err := Parse(b.Context(), name)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := e.Encode(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Encoders differ in the last bits by the batch that a text is in.
func TestEqualTextsUpToRounding(t *testing.T) {
	e, err := OpenEmbeddings(t.Context(), datasettest.Write(t, nil, []schemas.Embedding{
		{ID: "1", Language: "eng", Text: "x", Vector: []float32{1, 1}},
		{ID: "2", Language: "eng", Text: "x", Vector: []float32{1.0000001, 1}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Encode(t.Context(), Texts("eng", "x"))
	if err != nil || v.(Dense).Data[0] != 1 {
		t.Errorf("%v, %v", v, err)
	}
}
