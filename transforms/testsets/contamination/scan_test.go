package contamination

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/random"
)

// indexOf indexes texts of a language.
func indexOf(t testing.TB, c Config, language string, texts ...string) *Index {
	t.Helper()
	b := NewBuilder(c)
	for i, text := range texts {
		if err := b.Add(Item{Test: "test", ID: fmt.Sprint(i), Language: language, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Index()
}

// Each text is found where it is, and not where it is not.
func TestScan(t *testing.T) {
	const (
		heron  = "Several migratory herons gathered silently beside frozen canals yesterday."
		within = "several migratory herons gathered silently beside frozen canals "
		// Of a word that is said again the first alone counts.
		laugh  = "ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha"
		budget = "委员会将于星期四讨论新的预算方案。"
		school = "Комитет обсудит новый бюджет школы в четверг вечером"
		far    = heron + " Hundreds of photographers documented everything carefully."
	)
	tests := []struct {
		language, text string
		sentences      []string
		want           string // what is found, "" for nothing
	}{
		{"eng", "The cat sat on the warm mat.", []string{"Before.", "THE  CAT sat on the warm-mat!"}, "THE  CAT sat on the warm-mat!"},
		{"eng", "Ca n't stop the wonderful music !", []string{"Can't stop the wonderful music!"}, "Can't stop the wonderful music!"},
		{"eng", "First sentence here. Second sentence follows.", []string{"A.", "First sentence here.", "Second sentence follows.", "B."},
			"First sentence here. Second sentence follows."}, // two sentences that are one text
		{"eng", "I don't know.", []string{"I don't know."}, ""}, // a common phrase
		{"eng", heron, []string{"He says that " + within + "yesterday, twice."}, within + "yesterday, "},
		{"eng", heron, []string{"He says:", "several migratory herons gathered silently beside", "frozen canals today"}, within},
		{"eng", heron, []string{"Several migratory herons gathered silently near the river."}, ""},
		{"eng", far, []string{heron + strings.Repeat(" And so on.", 20), strings.TrimPrefix(far, heron)}, ""}, // too far
		{"eng", laugh, []string{"And ha ha ha ha ha ha ha."}, ""},
		{"zho", budget, []string{"记者说，委员会将于星期四讨论新的预算方案，然后投票。"}, "委员会将于星期四讨论新的预算方案，"},
		{"zho", budget, []string{"委员会 将于 星期四 讨论 新的 预算 方案"}, "委员会 将于 星期四 讨论 新的 预算 方案"},
		{"zho", budget, []string{"委员会将于星期五选举主席。"}, ""},
		{"jpn", "人々は静かに橋の上に立って川を眺めていました。", []string{"昨日、人々は静かに橋の上に立って川を眺めていましたとさ。"},
			"人々は静かに橋の上に立って川を眺めていました"},
		{"tha", "คณะกรรมการจะพิจารณางบประมาณใหม่ในวันพฤหัสบดี",
			[]string{"เขาบอกว่าคณะกรรมการจะพิจารณางบประมาณใหม่ในวันพฤหัสบดีนี้"}, "คณะกรรมการจะพิจารณางบประมาณใหม่ในวันพฤหัสบดี"},
		{"rus", school, []string{"Говорят, " + strings.ToUpper(school) + "."}, strings.ToUpper(school) + "."},
	}
	for _, tt := range tests {
		s := indexOf(t, DefaultConfig(), tt.language, "Something else entirely.", tt.text).NewScanner()
		s.Scan(strings.Repeat(tt.text+" ", 3)) // what is found before changes nothing
		got := ""
		for _, hit := range s.Scan(tt.sentences...) {
			if hit.Item != 1 || hit.Share < .8 || hit.Share > 1 {
				t.Errorf("%q: %+v", tt.text, hit)
			}
			got += hit.Text(tt.sentences)
		}
		if got != tt.want {
			t.Errorf("%q in %q: %q is found, want %q", tt.text, tt.sentences, got, tt.want)
		}
	}
}

// An n-gram that is in many texts is no evidence of any, but all that is between such is.
func TestCommonGrams(t *testing.T) {
	var texts []string
	for i := range 2 * commonGram {
		texts = append(texts, fmt.Sprintf("Please choose carefully whichever answer seems correct: number%d", i))
	}
	s := indexOf(t, Config{ContainedBits: 10, Share: .1, WholeBits: 1000}, "eng", texts...).NewScanner()
	if hits := s.Scan("please choose carefully whichever answer seems incorrect"); len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
	if hits := s.Scan("whichever answer seems correct number7"); len(hits) != 1 || hits[0].Item != 7 {
		t.Errorf("%+v", hits)
	}
}

// Tokens weigh what the formula of the package says: of 3 texts all have "the" and one "heron".
func TestWeights(t *testing.T) {
	x := indexOf(t, Config{}, "eng", "The heron.", "the", "The the cat.")
	// -log2((3 + 1000/64) / 1003) = 5.75, and -log2((1 + 1000/1024) / 1003) = 8.99; "cat" 5.92, "the" a second time a fourth of a bit.
	want := []uint8{23, 36, 23, 23, 1, 24}
	if !slices.Equal(x.weights, want) {
		t.Errorf("%v, want %v", x.weights, want)
	}
	if item := x.Item(2); item != (Item{Test: "test", ID: "2", Language: "eng", Text: "The the cat."}) {
		t.Errorf("%+v", item)
	}
	if n, ok := x.NewScanner().Find("the. HERON"); n != 0 || !ok || x.Len() != 3 {
		t.Errorf("text %d, %t", n, ok)
	}
}

func TestTooMany(t *testing.T) {
	b := NewBuilder(Config{})
	err := b.Add(Item{Text: strings.Repeat("a ", MostTokens+1)})
	if err == nil || !strings.Contains(err.Error(), "more than 8388608 words") {
		t.Error(err)
	}
	for i := range MostTests + 1 {
		err = b.Add(Item{Test: fmt.Sprint(i), Text: fmt.Sprint(i)})
	}
	if err == nil || !strings.Contains(err.Error(), "more than 4096 tests") {
		t.Error(err)
	}
}

// sentence returns words of a vocabulary in which some are common.
func sentence(draw *random.Stream, words int) string {
	var list []string
	for range words {
		x := draw.Float64()
		list = append(list, fmt.Sprintf("w%dx", int(20_000*x*x*x)))
	}
	return strings.Join(list, " ")
}

// Of 1,000 texts that are planted in other case, spacing and punctuation, alone and within others, all are found, and of
// 100,000 others at most 10.
func TestPlanted(t *testing.T) {
	const planted, clean = 1000, 100_000
	draw := random.New(1, 7, "contamination", "", 0)
	var texts []string
	for range planted {
		texts = append(texts, sentence(&draw, 10+draw.IntN(12)))
	}
	s := indexOf(t, DefaultConfig(), "eng", texts...).NewScanner()
	for i, text := range texts {
		other := strings.ToUpper(strings.ReplaceAll(text, " ", []string{"  ", "\t", ", ", " – ", "\u00a0"}[i%5]))
		within := sentence(&draw, 9) + " " + other + " " + sentence(&draw, 9)
		for _, training := range [][]string{{"«" + other + "!»"}, {sentence(&draw, 9), other, sentence(&draw, 9)}, {within}} {
			if !slices.ContainsFunc(s.Scan(training...), func(h Hit) bool { return h.Item == i && h.Share > .99 }) {
				t.Errorf("%q is not found in %q", text, training)
			}
		}
	}
	found := 0
	for range clean {
		found += len(s.Scan(sentence(&draw, 4+draw.IntN(20))))
	}
	if found > 10 {
		t.Errorf("%d of %d clean sentences are found", found, clean)
	}
}

// A page of 20 sentences beside 100,000 texts.
func BenchmarkScan(b *testing.B) {
	draw := random.New(1, 7, "contamination", "", 0)
	var texts, page []string
	for range 100_000 {
		texts = append(texts, sentence(&draw, 12))
	}
	s, bytes := indexOf(b, DefaultConfig(), "eng", texts...).NewScanner(), 0
	for range 20 {
		page = append(page, sentence(&draw, 15)+".")
		bytes += len(page[len(page)-1])
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		s.Scan(page...)
	}
}
