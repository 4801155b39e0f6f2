package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"sentweave/schemas"
)

// Synthetic rows of every schema. Row i is a pure function of i, and the rows
// 0 to 3 of each schema show every optional column both set and absent.

func ptr[T any](v T) *T { return &v }

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

func randomText(r *rand.Rand, words int) string {
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

func documentRow(i int) schemas.Document {
	r := source(i)
	file, language := fmt.Sprintf("pages/%04d.warc.gz", i/500), pick(r, "eng", "deu", "zho_Hant")
	d := schemas.Document{
		ID: schemas.ID(file, int64(i)), Source: file, Offset: int64(i), Language: language, LanguageScore: r.Float32(),
	}
	if i%2 == 1 {
		d.URL, d.Date = fmt.Sprintf("http://site-%d.example/page/%d", r.IntN(200), i), 1_700_000_000_000+int64(i)
		d.DeclaredLanguage = "deu"
		d.Scores = []schemas.Score{{Name: schemas.BlocksScore, Value: 12}, {Name: "symbols", Value: r.Float32()}}
	}
	if i%4 == 0 { // no sentences, and no scores either
		return d
	}
	for s := range 4 + r.IntN(30) {
		d.Sentences = append(d.Sentences, schemas.Sentence{
			Text: randomText(r, 6+r.IntN(20)), Language: language, LanguageScore: r.Float32(),
			Block: int32(s / 3), Position: int32(s), BlockSentences: 3, Main: r.Float32(),
		})
	}
	return d
}

func pairRow(i int) schemas.Pair {
	r := source(i)
	p := schemas.Pair{
		ID: schemas.DerivedID("pair", fmt.Sprint(i)), Kind: schemas.KindSingle, TextA: randomText(r, 12),
		LanguageA: "eng", Origin: "synthetic", Swapped: i%3 == 1,
	}
	if i%2 == 1 {
		p.Kind, p.TextB, p.LanguageB = schemas.KindBitext, randomText(r, 11), "deu"
		p.Score, p.Group = ptr(r.Float32()), ptr(r.Uint64())
		p.DocumentA, p.DocumentB = schemas.ID("a", int64(i)), schemas.ID("b", int64(i))
		p.PositionA, p.PositionB = ptr(int32(0)), ptr(int32(i))
	}
	if i%4 == 2 {
		p.Kind, p.TextB, p.LanguageB, p.Label = schemas.KindNLI, randomText(r, 9), "eng", "neutral"
	}
	if i%4 == 3 {
		p.Kind, p.Target = schemas.KindSTS, ptr(0.0)
	}
	return p
}

func exampleRow(i int) schemas.Example {
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
		e.Label, e.Target, e.Group = ptr(int32(i%3)), ptr(r.Float32()), ptr(r.Uint64())
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

func embeddingRow(i int) schemas.Embedding {
	r := source(i)
	e := schemas.Embedding{ID: fmt.Sprint("e", i), Language: "eng"}
	if i%2 == 0 {
		e.Text = randomText(r, 8)
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

func stateRow(i int) schemas.State {
	r := source(i)
	var tokens []int32
	var vectors []float32
	for range 1 + r.IntN(9) {
		tokens = append(tokens, int32(r.IntN(30_000)))
		vectors = append(vectors, float32(r.NormFloat64()), r.Float32(), 0)
	}
	return schemas.StateOf(schemas.DerivedID("example", fmt.Sprint(i))+"/b", tokens, vectors)
}

func resultRow(i int) schemas.Result {
	r := schemas.Result{
		Model: "baseline:bow", Task: "sts12", Subtask: pick(source(i), "all", "MSRpar"), Language: "eng", Metric: "spearman",
		Value: source(i).Float64(), N: int64(i), Settings: `{"a":1}`, DataXXH3: HashString(uint64(i)),
	}
	if i%2 == 1 {
		r.Spread, r.Seed = ptr(0.0), ptr(int64(-i))
	}
	return r
}

func benchmarkRow(i int) schemas.Benchmark {
	r := source(i)
	b := schemas.Benchmark{
		ID: schemas.DerivedID("benchmark", fmt.Sprint(i)), Task: "mr", Split: "all", Row: int32(i), File: "mr.pos",
		LanguageA: "eng", TextA: randomText(r, 10), Skip: true,
	}
	if i%2 == 1 {
		b.Skip, b.Fold, b.Label, b.LanguageB = false, ptr(int32(0)), "1", "spa"
		b.TextB, b.OriginalA, b.OriginalB = randomText(r, 10), randomText(r, 9), randomText(r, 9)
		b.CasingA, b.CasingB = "mixed", "lower"
		b.KeyA, b.KeyB = fmt.Sprint(i), fmt.Sprint(i+1)
	}
	if i%4 == 3 {
		b.Target = ptr(r.Float64())
	}
	return b
}

func rejectRow(i int) schemas.Reject {
	r := source(i)
	return schemas.Reject{
		ID: schemas.ID("x", int64(i)), Source: "pages/0001.html", Offset: int64(i), Step: "quality", Reason: "too_short",
		Language: "und", Detail: fmt.Sprint(i, " words"), Sample: randomText(r, i%5), Rank: r.Uint64(),
	}
}

func wordCountRow(i int) schemas.WordCount {
	return schemas.WordCount{Word: fmt.Sprint(vocabulary()[i%20_000], i), Language: "eng", Count: 1 + source(i).Int64N(1_000_000)}
}

func translationRow(i int) schemas.Translation {
	r := source(i)
	t := schemas.Translation{
		Key: schemas.DerivedID("translation", fmt.Sprint(i)), Engine: "apertium", Model: "eng-spa", OptionsXXH3: HashString(0),
		SourceLanguage: "eng", TargetLanguage: "spa", Text: randomText(r, 7), Characters: int32(i), Status: schemas.TranslationRejected, Reason: "copied",
	}
	if i%2 == 1 {
		t.Status, t.Reason, t.Translation = schemas.TranslationOK, "", randomText(r, 8)
	}
	return t
}

func itemRow(i int) schemas.Item {
	r := source(i)
	item := schemas.Item{Model: "m", Task: "sts", Subtask: "all", Language: "eng", Position: int32(i), TextA: r.Uint64(), Score: r.Float64()}
	switch i % 3 {
	case 0:
		item.TextB, item.Gold = ptr(r.Uint64()), ptr(5*r.Float64())
	case 1:
		item.TextB, item.Found = ptr(r.Uint64()), ptr(r.Uint64())
	default:
		item.Seed, item.Label, item.Predicted = ptr(int64(i)), "0", "1"
	}
	return item
}

func textRow(i int) schemas.Text {
	text := randomText(source(i), i%7)
	return schemas.Text{ID: schemas.TextID("eng", text), Language: "eng", Text: text}
}

func countRow(i int) schemas.Count {
	c := schemas.Count{Items: "pairs", Language: fmt.Sprintf("deu-l%d", i/3), Count: 1 + source(i).Int64N(1_000_000)}
	if i%3 > 0 {
		c.Step, c.Reason = "texts", []string{"equal", "length_ratio"}[i%3-1]
	}
	return c
}

func rowsOf[T any](make func(int) T, from, to int) []T {
	var rows []T
	for i := from; i < to; i++ {
		rows = append(rows, make(i))
	}
	return rows
}
