// Package rowtest makes rows of every schema for tests. Row i is a pure function of i, and the rows 0 to 3 of each schema
// show every optional column both set and absent.
package rowtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"sentweave/schemas"
)

// syllables make words that look like words and compress like words.
var syllables = []string{"ba", "ke", "li", "mo", "nu", "sä", "ter", "vou", "wi", "字", "ш", "on"}

// vocabulary is a fixed list of words, made once: the benchmarks measure the writer.
var vocabulary = sync.OnceValue(func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		for range 1 + r.IntN(4) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	return words
})

// Prose returns so many words, the first ones of the vocabulary more often.
func Prose(r *rand.Rand, words int) string {
	var b strings.Builder
	list := vocabulary()
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		// The square prefers words at the front, as texts do.
		x := r.Float64()
		b.WriteString(list[int(x*x*float64(len(list)))])
	}
	b.WriteByte('.')
	return b.String()
}

func source(i int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(i))) }

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// Document is the i-th document.
func Document(i int) schemas.Document {
	r := source(i)
	file, language := fmt.Sprintf("pages/%04d.warc.gz", i/500), pick(r, "eng", "deu", "zho_Hant")
	d := schemas.Document{
		ID: schemas.ID(file, int64(i)), Source: file, Offset: int64(i), Language: language, LanguageScore: r.Float32(),
	}
	if i%2 == 1 {
		d.URL, d.Date = fmt.Sprintf("http://site-%d.example/page/%d", r.IntN(200), i), 1_700_000_000_000+int64(i)
		d.DeclaredLanguage, d.License, d.OptOut = "deu", "cc-by-sa-4.0", "noai,tdm-reservation"
		d.Scores = []schemas.Score{{Name: schemas.BlocksScore, Value: 12}, {Name: "symbols", Value: r.Float32()}}
	}
	if i%4 == 0 { // no sentences, and no scores either
		return d
	}
	for s := range 4 + r.IntN(30) {
		d.Sentences = append(d.Sentences, schemas.Sentence{
			Text: Prose(r, 6+r.IntN(20)), Language: language, LanguageScore: r.Float32(),
			Block: int32(s / 3), Position: int32(s), BlockSentences: 3, Main: r.Float32(),
		})
	}
	return d
}

// Pair is the i-th pair.
func Pair(i int) schemas.Pair {
	r := source(i)
	p := schemas.Pair{
		ID: schemas.DerivedID("pair", fmt.Sprint(i)), Kind: schemas.KindSingle, TextA: Prose(r, 12),
		LanguageA: "eng", Origin: "synthetic", Swapped: i%3 == 1,
	}
	if i%2 == 1 {
		p.Kind, p.TextB, p.LanguageB = schemas.KindBitext, Prose(r, 11), "deu"
		p.Score, p.Group = new(r.Float32()), new(r.Uint64())
		p.DocumentA, p.DocumentB = schemas.ID("a", int64(i)), schemas.ID("b", int64(i))
		p.PositionA, p.PositionB = new(int32(0)), new(int32(i))
	}
	if i%4 == 2 {
		p.Kind, p.TextB, p.LanguageB, p.Label = schemas.KindNLI, Prose(r, 9), "eng", "neutral"
	}
	if i%4 == 3 {
		p.Kind, p.Target = schemas.KindSTS, new(0.0)
	}
	return p
}

// Example is the i-th example.
func Example(i int) schemas.Example {
	r := source(i)
	tokens := func(n int) []int32 {
		list := make([]int32, n)
		for j := range list {
			x := r.Float64()
			list[j] = int32(x * x * 30_000)
		}
		return list
	}
	e := schemas.Example{
		ID: schemas.DerivedID("example", fmt.Sprint(i)), Kind: schemas.KindSingle, LanguageA: "eng",
		TokensA: tokens(20 + r.IntN(200)), Copy: int32(i % 3),
	}
	if i%4 != 0 {
		e.Kind, e.LanguageB, e.TokensB = schemas.KindConsecutive, "deu", tokens(20+r.IntN(200))
		e.Label, e.Target, e.Group = new(int32(i%3)), new(r.Float32()), new(r.Uint64())
	}
	if i%2 == 1 {
		for p := 1; p < len(e.TokensB); p += 1 + r.IntN(12) {
			e.MaskPositions = append(e.MaskPositions, int32(p))
		}
		e.MaskTokens = tokens(len(e.MaskPositions))
	}
	e.LengthA, e.LengthB = int32(len(e.TokensA)), int32(len(e.TokensB))
	return e
}

// Embedding is the i-th embedding.
func Embedding(i int) schemas.Embedding {
	r := source(i)
	e := schemas.Embedding{ID: fmt.Sprint("e", i), Language: "eng"}
	if i%2 == 0 {
		e.Text = Prose(r, 8)
	}
	if i%4 != 3 {
		for range 16 {
			e.Vector = append(e.Vector, float32(r.NormFloat64()))
		}
	}
	if i%4 >= 2 {
		e.Bits = []byte{byte(i), 0xff, 0, 0x80}
	}
	return e
}

// State is the i-th list of states.
func State(i int) schemas.State {
	r := source(i)
	var tokens []int32
	var vectors []float32
	for range 1 + r.IntN(9) {
		tokens = append(tokens, int32(r.IntN(30_000)))
		vectors = append(vectors, float32(r.NormFloat64()), r.Float32(), 0)
	}
	return schemas.StateOf(schemas.DerivedID("example", fmt.Sprint(i))+"/b", tokens, vectors)
}

// InvertedList is the i-th part of an index.
func InvertedList(i int) schemas.InvertedList {
	r := source(i)
	list := schemas.InvertedList{List: int32(i / 3), Vectors: schemas.AppendFloats(nil, []float32{float32(r.NormFloat64()), 0})}
	for row := range i % 3 {
		list.Rows = append(list.Rows, int32(10*row+r.IntN(10)))
		if row > 0 {
			list.Vectors = schemas.AppendFloats(list.Vectors, []float32{float32(r.NormFloat64()), r.Float32()})
		}
	}
	return list
}

// Result is the i-th result.
func Result(i int) schemas.Result {
	r := schemas.Result{
		Model: "baseline:bow", Task: "sts12", Subtask: pick(source(i), "all", "MSRpar"), Language: "eng", Metric: "spearman",
		Value: source(i).Float64(), N: int64(i), Settings: `{"a":1}`, DataXXH3: fmt.Sprintf("%016x", i),
	}
	if i%2 == 1 {
		r.Spread, r.Seed = new(0.0), new(int64(-i))
	}
	return r
}

// Benchmark is the i-th benchmark.
func Benchmark(i int) schemas.Benchmark {
	r := source(i)
	b := schemas.Benchmark{
		ID: schemas.DerivedID("benchmark", fmt.Sprint(i)), Task: "mr", Split: "all", Row: int32(i), File: "mr.pos",
		LanguageA: "eng", TextA: Prose(r, 10), Skip: true,
	}
	if i%2 == 1 {
		b.Skip, b.Fold, b.Label, b.LanguageB = false, new(int32(0)), "1", "spa"
		b.TextB, b.OriginalA, b.OriginalB = Prose(r, 10), Prose(r, 9), Prose(r, 9)
		b.CasingA, b.CasingB = "mixed", "lower"
		b.KeyA, b.KeyB = fmt.Sprint(i), fmt.Sprint(i+1)
	}
	if i%4 == 3 {
		b.Target = new(r.Float64())
	}
	return b
}

// Reject is the i-th reject.
func Reject(i int) schemas.Reject {
	r := source(i)
	return schemas.Reject{
		ID: schemas.ID("x", int64(i)), Source: "pages/0001.html", Offset: int64(i), Step: "quality", Reason: "too_short",
		Language: "und", Detail: fmt.Sprint(i, " words"), Sample: Prose(r, i%5), Rank: r.Uint64(),
	}
}

// WordCount is the i-th count of a word.
func WordCount(i int) schemas.WordCount {
	return schemas.WordCount{Word: fmt.Sprint(vocabulary()[i%20_000], i), Language: "eng", Count: 1 + source(i).Int64N(1_000_000)}
}

// Translation is the i-th translation.
func Translation(i int) schemas.Translation {
	r := source(i)
	t := schemas.Translation{
		Key: schemas.DerivedID("translation", fmt.Sprint(i)), Engine: "apertium", Model: "eng-spa", OptionsXXH3: fmt.Sprintf("%016x", 0),
		SourceLanguage: "eng", TargetLanguage: "spa", Text: Prose(r, 7), Characters: int32(i), Status: schemas.TranslationRejected,
		Reason: "copied",
	}
	if i%2 == 1 {
		t.Status, t.Reason, t.Translation = schemas.TranslationOK, "", Prose(r, 8)
	}
	return t
}

// Item is the i-th item of a result.
func Item(i int) schemas.Item {
	r := source(i)
	item := schemas.Item{
		Model:    "m",
		Task:     "sts",
		Subtask:  "all",
		Language: "eng",
		Position: int32(i),
		TextA:    r.Uint64(),
		Score:    r.Float64(),
	}
	switch i % 3 {
	case 0:
		item.TextB, item.Gold = new(r.Uint64()), new(5*r.Float64())
	case 1:
		item.TextB, item.Found = new(r.Uint64()), new(r.Uint64())
	default:
		item.Seed, item.Label, item.Predicted = new(int64(i)), "0", "1"
	}
	return item
}

// Text is the i-th text of an item.
func Text(i int) schemas.Text {
	text := Prose(source(i), i%7)
	return schemas.Text{ID: schemas.TextID("eng", text), Language: "eng", Text: text}
}

// Count is the i-th count of a funnel.
func Count(i int) schemas.Count {
	c := schemas.Count{Items: "pairs", Language: fmt.Sprintf("deu-l%d", i/3), Count: 1 + source(i).Int64N(1_000_000)}
	if i%3 > 0 {
		c.Step, c.Reason = "texts", []string{"equal", "length_ratio"}[i%3-1]
	}
	return c
}

// PairScore is what filters measured of the i-th pair.
func PairScore(i int) schemas.PairScore {
	r := source(i)
	ratio, shortest := 1+float32(r.IntN(100))/100, float32(r.IntN(200))
	p := schemas.PairScore{ID: schemas.DerivedID("pair", fmt.Sprint(i)), TextA: Prose(r, 7), LanguageA: "eng", TextB: Prose(r, 8),
		LanguageB: "spa", Origin: "opus", LengthRatio: &ratio, LeastCharacters: &shortest}
	if i%3 == 0 {
		p.Score, p.Reason = &ratio, "too_long"
	}
	return p
}

// Contamination is the i-th text of a test that was found.
func Contamination(i int) schemas.Contamination {
	r := source(i)
	text, share := Prose(r, 7), float32(80+r.IntN(20))/100
	c := schemas.Contamination{ID: schemas.DerivedID("contamination", fmt.Sprint(i)), Row: schemas.ID("page", int64(i)), Test: "stsb",
		TestLanguage: "eng", Item: schemas.DerivedID("benchmark", fmt.Sprint(i)), Language: "spa", Share: share, Bits: 100 * share,
		TestText: text, Text: text + " " + Prose(r, 2)}
	if i%3 == 0 {
		c.Position = new(int32(i))
	} else {
		c.Side = "b"
	}
	return c
}

// List returns the rows from one number to before another.
func List[T any](make func(int) T, from, to int) []T {
	var rows []T
	for i := from; i < to; i++ {
		rows = append(rows, make(i))
	}
	return rows
}
