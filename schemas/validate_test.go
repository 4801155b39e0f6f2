package schemas

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func ptr[T any](v T) *T { return &v }

var (
	nan32, inf32 = float32(math.NaN()), float32(math.Inf(1))
	someID       = ID("x", 1)
)

// Valid rows with every column set.
func validDocument() Document {
	return Document{
		ID: someID, Source: "a.warc.gz", Offset: 1, URL: "http://a.example/", Date: 1, Language: "eng", LanguageScore: 0.5,
		Scores: []Score{{"blocks", 1}, {"words", 2}},
		Sentences: []Sentence{
			{Text: "One.", Language: "eng", LanguageScore: 1, Block: 0, Position: 0, Main: 1},
			{Text: "Two.", Language: "deu", LanguageScore: 0, Block: 0, Position: 3, Main: 0},
		},
	}
}

func validPair() Pair {
	return Pair{
		ID: someID, Kind: KindSTS, TextA: "a", TextB: "b", LanguageA: "eng", LanguageB: "deu", Target: ptr(1.0), Score: ptr(float32(1)),
		DocumentA: "x", DocumentB: "y", PositionA: ptr(int32(1)), PositionB: ptr(int32(2)), Swapped: true, Origin: "o",
		Group: ptr(uint64(1)),
	}
}

func validExample() Example {
	return Example{
		ID: someID, Kind: KindBitext, LanguageA: "eng", LanguageB: "deu", TokensA: []int32{1, 2}, TokensB: []int32{1, 5, 0, 2},
		MaskPositions: []int32{1, 2}, MaskTokens: []int32{7, 8}, LengthA: 2, LengthB: 4, Label: ptr(int32(0)), Target: ptr(float32(0)),
		Copy: 1, Group: ptr(uint64(1)),
	}
}

func validEmbedding() Embedding {
	return Embedding{ID: "x", Language: "eng", Text: "a", Vector: []float32{0, -1}, Bits: []byte{1}}
}

func validResult() Result {
	return Result{
		Model: "m", Task: "sts12", Subtask: "all", Language: "eng", Metric: "spearman", Value: 0.5, N: 3,
		Spread: ptr(0.1), Seed: ptr(int64(-1)), Settings: ` {"a": "b"}`, DataXXH3: "00",
	}
}

func validBenchmark() Benchmark {
	return Benchmark{
		ID: someID, Task: "mr", Split: "test", Fold: ptr(int32(0)), Row: 0, File: "mr.pos", LanguageA: "eng", LanguageB: "deu",
		TextA: "a", TextB: "b", OriginalA: "c", OriginalB: "d", CasingA: "lower", CasingB: "mixed", Label: "1", Target: ptr(1.0),
	}
}

func validReject() Reject {
	return Reject{ID: "x", Source: "s", Offset: 1, Step: "quality", Reason: "short", Language: "und", Detail: "3",
		Sample: strings.Repeat("x", MaxSample), Rank: 1}
}

func validWordCount() WordCount { return WordCount{Word: "a", Language: "eng", Count: 1} }

func validTranslation() Translation {
	return Translation{
		Key: someID, Engine: "e", Model: "m", OptionsXXH3: "00", SourceLanguage: "eng", TargetLanguage: "deu",
		Text: "a", Translation: "b", Characters: 1, Status: TranslationOK,
	}
}

func validItem() Item {
	return Item{
		Model: "m", Task: "t", Subtask: "s", Language: "eng", Position: 1, Seed: ptr(int64(1)), TextA: 1, TextB: ptr(uint64(2)),
		Found: ptr(uint64(3)),
		Score: .5, Gold: ptr(1.), Label: "0", Predicted: "1",
	}
}

func validText() Text { return Text{ID: TextID("eng", "a"), Language: "eng", Text: "a"} }

func validInvertedList() InvertedList {
	return InvertedList{List: 1, Rows: []int32{3, 9}, Vectors: AppendFloats(nil, []float32{0, -1, 1, .5})}
}

func validState() State {
	return StateOf("x/a", []int32{2, 3}, []float32{0, -1, 1, .5})
}

type faulty[T Row] struct {
	name   string
	change func(*T)
	want   []string // one part of each fault, in order; none for a valid row
}

func check[T Row](t *testing.T, valid func() T, faults []faulty[T]) {
	t.Helper()
	var zero T
	t.Run(zero.Schema().Name, func(t *testing.T) {
		faults = append([]faulty[T]{{"valid", func(*T) {}, nil}}, faults...)
		for _, f := range faults {
			row := valid()
			f.change(&row)
			var got []string
			if err := row.Validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(f.want) {
				t.Errorf("%s: got %d faults, want %d: %q", f.name, len(got), len(f.want), got)
				continue
			}
			for i := range got {
				if !strings.Contains(got[i], f.want[i]) {
					t.Errorf("%s: fault %d is %q, want %q", f.name, i, got[i], f.want[i])
				}
			}
		}
	})
}

func TestValidate(t *testing.T) {
	check(t, validDocument, []faulty[Document]{
		{"no sentences, scores, url, date", func(d *Document) { d.Sentences, d.Scores, d.URL, d.Date = nil, nil, "", 0 }, nil},
		{"before 1970", func(d *Document) { d.Date = -1 }, nil},
		{"zero row", func(d *Document) { *d = Document{} },
			[]string{`id "" is not`, "source is empty", `language is empty; unknown is "und"`}},
		{"upper-case id", func(d *Document) { d.ID = strings.ToUpper(ID("y", 2)) }, []string{"is not 32 lower-case"}},
		{"offset", func(d *Document) { d.Offset = math.MinInt64 }, []string{"offset -9223372036854775808 is negative"}},
		{"scores out of order", func(d *Document) { slices.Reverse(d.Scores) }, []string{`scores "words" and "blocks" are not in order`}},
		{"score twice", func(d *Document) { d.Scores[1].Name = "blocks" }, []string{`scores "blocks" and "blocks" are not in order`}},
		{"score without name", func(d *Document) { d.Scores[0].Name = "" }, []string{`score 0 is "" with value 1`}},
		{"numbers that are none", func(d *Document) {
			d.LanguageScore, d.Scores[1].Value, d.Sentences[0].Main, d.Sentences[1].LanguageScore = nan32, inf32, -inf32, nan32
		}, []string{"language_score is NaN", `score 1 is "words" with value +Inf`, "sentence 0 has language_score 1 and main -Inf",
			"sentence 1 has language_score NaN"}},
		{"sentence", func(d *Document) { d.Sentences[1] = Sentence{Position: 0, Block: -1} },
			[]string{"sentence 1 is empty", "sentence 1 has no language", "sentence 1 has position 0 after 0",
				"sentence 1 has block -1 after 0"}},
		{"first position", func(d *Document) { d.Sentences[0].Position, d.Sentences[0].Block = -1, -1 },
			[]string{"sentence 0 has position -1 after -1", "sentence 0 has block -1 after 0"}},
	})
	check(t, validPair, []faulty[Pair]{
		{"single", func(p *Pair) { *p = Pair{ID: someID, Kind: KindSingle, TextA: "a", LanguageA: "eng"} }, nil},
		{"zero row", func(p *Pair) { *p = Pair{} }, []string{`id ""`, `kind "" is not one of`, "text_a is empty", "language_a is empty",
			`kind "" with text_b ""`}},
		{"kind", func(p *Pair) { p.Kind = "other" }, []string{`kind "other" is not one of`, "target set is true"}},
		{"single with text_b", func(p *Pair) { p.Kind, p.Target = KindSingle, nil }, []string{`kind "single" with text_b "b"`}},
		{"no text_b", func(p *Pair) { p.TextB = "" }, []string{`kind "sts" with text_b ""`, "text_b and language_b go together"}},
		{"nli without label, with target", func(p *Pair) { p.Kind = KindNLI }, []string{`kind "nli" with label ""`, "target set is true"}},
		{"sts with label, without target", func(p *Pair) { p.Label, p.Target = "x", nil },
			[]string{`kind "sts" with label "x"`, "target set is false"}},
		{"numbers that are none", func(p *Pair) { *p.Target, *p.Score = math.NaN(), inf32 }, []string{"target is NaN", "score is +Inf"}},
		{"long texts are clipped", func(p *Pair) { p.Kind, p.Target, p.TextB = KindSingle, nil, strings.Repeat("x", 1<<20) },
			[]string{`xxxx…"`}},
	})
	check(t, validExample, []faulty[Example]{
		{"single", func(e *Example) {
			*e = Example{ID: someID, Kind: KindSingle, LanguageA: "eng", TokensA: []int32{math.MaxInt32}, LengthA: 1}
		}, nil},
		{"unmasked", func(e *Example) { e.MaskPositions, e.MaskTokens = nil, nil }, nil},
		{"zero row", func(e *Example) { *e = Example{} },
			[]string{`id ""`, `kind ""`, "language_a is empty", "tokens_a is empty", `kind "" with 0 tokens_b`}},
		{"lengths", func(e *Example) { e.LengthA, e.LengthB = 3, 0 },
			[]string{"length_a is 3, tokens_a has 2", "length_b is 0, tokens_b has 4"}},
		{"language_b", func(e *Example) { e.LanguageB = "" }, []string{"tokens_b and language_b go together"}},
		{"copy", func(e *Example) { e.Copy = -1 }, []string{"copy -1 is negative"}},
		{"mask lists", func(e *Example) { e.MaskTokens = nil }, []string{"2 mask_positions and 0 mask_tokens"}},
		{"mask positions", func(e *Example) { e.MaskPositions = []int32{2, 2} }, []string{"mask position 2 is out of order"}},
		{"mask outside", func(e *Example) { e.MaskPositions = []int32{-1, 4} },
			[]string{"mask position -1", "mask position 4 is out of order or outside tokens_b (4)"}},
		{"negative ids", func(e *Example) { e.TokensA[1], e.TokensB[0], e.MaskTokens[0], e.MaskTokens[1] = -1, -2, -3, -4 },
			[]string{"tokens_a[1] is -1", "tokens_b[0] is -2", "mask_tokens[0] is -3"}},
		{"target", func(e *Example) { *e.Target = nan32 }, []string{"target is NaN"}},
	})
	check(t, validEmbedding, []faulty[Embedding]{
		{"bits alone", func(e *Embedding) { e.Vector, e.Text = nil, "" }, nil},
		{"zero row", func(e *Embedding) { *e = Embedding{} },
			[]string{"id is empty", "language is empty", "vector and bits are both empty"}},
		{"vector", func(e *Embedding) { e.Vector = []float32{0, nan32, inf32} }, []string{"vector[1] is NaN"}},
	})
	check(t, validState, []faulty[State]{
		{"zero row", func(s *State) { *s = State{} }, []string{"id is empty", "vectors has 0 bytes for 0 tokens"}},
		{"lengths", func(s *State) { s.Vectors = s.Vectors[4:] }, []string{"vectors has 12 bytes for 2 tokens"}},
		{"many", func(s *State) { *s = StateOf(s.ID, s.Tokens[:1], make([]float32, MostStateNumbers+1)) },
			[]string{"vectors has 4194308 bytes, more than 4194304"}},
		{"numbers", func(s *State) { *s = StateOf(s.ID, s.Tokens, []float32{1, 2, nan32, 3}) }, []string{"number 2 of vectors is NaN"}},
	})
	check(t, validInvertedList, []faulty[InvertedList]{
		{"zero row", func(l *InvertedList) { *l = InvertedList{} }, []string{"vectors has 0 bytes for 1 vectors"}},
		{"list", func(l *InvertedList) { l.List = -1 }, []string{"list -1 is negative"}},
		{"order", func(l *InvertedList) { l.Rows[1] = 3 }, []string{"row 1 of rows, 3, is negative or not greater than the one before"}},
		{"lengths", func(l *InvertedList) { l.Vectors = l.Vectors[4:] }, []string{"vectors has 12 bytes for 2 vectors"}},
		{"many", func(l *InvertedList) { l.Vectors = make([]byte, 8*MostListNumbers) },
			[]string{"vectors has 2097152 bytes, more than 1048576"}},
		{"numbers", func(l *InvertedList) { l.Vectors = AppendFloats(nil, []float32{1, inf32}) },
			[]string{"number 1 of vectors is not finite"}},
	})
	check(t, validResult, []faulty[Result]{
		{"zero row", func(r *Result) { *r = Result{} },
			[]string{"model is empty", "task is empty", "metric is empty", `settings "" is not a JSON object`}},
		{"numbers", func(r *Result) { r.Value, r.N, *r.Spread = math.Inf(-1), -1, math.NaN() },
			[]string{"value is -Inf", "n -1 is negative", "spread is NaN"}},
		{"settings list", func(r *Result) { r.Settings = "[1]" }, []string{`settings "[1]" is not`}},
		{"settings cut", func(r *Result) { r.Settings = `{"a":` }, []string{"is not a JSON object"}},
	})
	check(t, validBenchmark, []faulty[Benchmark]{
		{"skip", func(b *Benchmark) { b.Skip, b.Label, b.Target = true, "", nil }, nil},
		{"empty text", func(b *Benchmark) { b.TextA = "" }, nil}, // files of others have such rows, and rows stay aligned
		{"zero row", func(b *Benchmark) { *b = Benchmark{} },
			[]string{`id ""`, "task is empty", "file is empty", "language_a is empty", "neither label nor target"}},
		{"row", func(b *Benchmark) { b.Row = -1 }, []string{"row -1 is negative"}},
		{"text_b", func(b *Benchmark) { b.TextB = "" }, []string{"text_b and language_b go together"}},
		{"target", func(b *Benchmark) { *b.Target = math.Inf(1) }, []string{"target is +Inf"}},
	})
	check(t, validReject, []faulty[Reject]{
		{"zero row", func(r *Reject) { *r = Reject{} }, []string{"id is empty", "step is empty", "reason is empty", "language is empty"}},
		{"sample", func(r *Reject) { r.Sample += "x" }, []string{"sample has 501 bytes, more than 500"}},
	})
	check(t, validWordCount, []faulty[WordCount]{
		{"zero row", func(w *WordCount) { *w = WordCount{} }, []string{"word is empty", "language is empty", "count 0 is not positive"}},
	})
	scored := func() PairScore {
		return PairScore{ID: validPair().ID, TextA: "a", TextB: "b", LanguageA: "eng", LanguageB: "deu"}
	}
	check(t, scored, []faulty[PairScore]{
		{"zero row", func(p *PairScore) { *p = PairScore{} }, []string{
			`id ""`, "text_a is empty", "text_b is empty", "language_a is empty", "language_b is empty"}},
		{"score", func(p *PairScore) { x := float32(math.Inf(1)); p.Score = &x }, []string{"score is +Inf"}},
	})
	found := func() Contamination {
		id := validPair().ID
		return Contamination{ID: id, Row: id, Test: "stsb", TestLanguage: "eng", Item: id, Language: "eng", TestText: "a", Text: "A"}
	}
	check(t, found, []faulty[Contamination]{
		{"zero row", func(c *Contamination) { *c = Contamination{} }, []string{`id ""`, `row ""`, "test is empty", "test_language is empty",
			`item ""`, "language is empty", "test_text is empty", "text is empty"}},
		{"share", func(c *Contamination) { c.Share = float32(math.NaN()) }, []string{"share is NaN"}},
	})
	check(t, validTranslation, []faulty[Translation]{
		{"rejected without text", func(x *Translation) { x.Status, x.Reason, x.Translation = TranslationRejected, "empty", "" }, nil},
		{"rejected without reason", func(x *Translation) { x.Status = TranslationRejected }, []string{"a reason belongs to a rejected"}},
		{"zero row", func(x *Translation) { *x = Translation{} }, []string{
			`key ""`, "engine is empty", "source_language is empty", "target_language is empty", "text is empty",
			`status "" is not "ok" or "rejected"`, "a reason belongs"}},
		{"no translation", func(x *Translation) { x.Translation = "" }, []string{"translation is empty"}},
		{"characters", func(x *Translation) { x.Characters = -1 }, []string{"characters -1 is negative"}},
	})
	check(t, validItem, []faulty[Item]{
		{"a text alone", func(i *Item) { i.TextB, i.Found, i.Gold, i.Seed, i.Label, i.Predicted = nil, nil, nil, nil, "", "" }, nil},
		{"zero row", func(i *Item) { *i = Item{} }, []string{"model is empty", "task is empty"}},
		{"numbers", func(i *Item) { i.Position, i.Score, *i.Gold = -1, math.NaN(), math.Inf(1) },
			[]string{"position -1 is negative", "score is NaN", "gold is +Inf"}},
		{"no prediction", func(i *Item) { i.Predicted = "" }, []string{"label and predicted go together"}},
	})
	check(t, validText, []faulty[Text]{
		{"another text", func(x *Text) { x.Text = "b" }, []string{"is not the hash"}},
		{"another language", func(x *Text) { x.Language = "deu" }, []string{"is not the hash"}},
	})
}

// No text column of any row passes if it is not UTF-8, and no number that is
// not finite, whatever columns are added.
func TestValidateLooksAtEveryColumn(t *testing.T) {
	everyColumn(t, validDocument)
	everyColumn(t, validPair)
	everyColumn(t, func() Pair { p := validPair(); p.Kind, p.Target, p.Label = KindNLI, nil, "x"; return p })
	everyColumn(t, validExample)
	everyColumn(t, validEmbedding)
	everyColumn(t, validResult)
	everyColumn(t, validBenchmark)
	everyColumn(t, validReject)
	everyColumn(t, validWordCount)
	everyColumn(t, validTranslation)
	everyColumn(t, validItem)
	everyColumn(t, validText)
}

func everyColumn[T Row](t *testing.T, valid func() T) {
	t.Helper()
	changed := 0
	for n := 0; ; n++ {
		row := valid()
		left := n
		path := spoil(reflect.ValueOf(&row).Elem(), &left)
		if path == "" {
			break
		}
		changed++
		if err := row.Validate(); err == nil {
			t.Errorf("%T passes with a bad %s", row, path)
		}
	}
	if changed == 0 {
		t.Errorf("%T has no column to spoil", valid())
	}
}

// spoil makes the n-th text or float of a value bad and returns its name, or "".
func spoil(v reflect.Value, n *int) string {
	last := func() bool { *n--; return *n < 0 }
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return spoil(v.Elem(), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if path := spoil(v.Field(i), n); path != "" {
				return v.Type().Field(i).Name + " " + path
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if path := spoil(v.Index(i), n); path != "" {
				return fmt.Sprint(i, " ", path)
			}
		}
	case reflect.String:
		if last() {
			v.SetString(v.String()[:max(0, v.Len()-1)] + "\xff")
			return "text"
		}
	case reflect.Float32, reflect.Float64:
		if last() {
			v.SetFloat(math.NaN())
			return "number"
		}
	}
	return ""
}

func TestKindsAreKnown(t *testing.T) {
	for _, kind := range Kinds() {
		if !isKind(kind) {
			t.Errorf("%q is in Kinds and not a kind", kind)
		}
	}
}

func BenchmarkValidateDocument(b *testing.B) {
	d := validDocument()
	for len(d.Sentences) < 30 {
		s := d.Sentences[0]
		s.Text = strings.Repeat("plain words of a sentence ", 5)
		if len(d.Sentences)%4 == 0 {
			s.Text = strings.Repeat("слова ", 20)
		}
		s.Position = int32(10 + len(d.Sentences))
		d.Sentences = append(d.Sentences, s)
	}
	bytes := 0
	for _, s := range d.Sentences {
		bytes += len(s.Text)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateExample(b *testing.B) {
	e := validExample()
	e.TokensA, e.LengthA = make([]int32, 256), 256
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
