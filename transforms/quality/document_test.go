package quality

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"sentweave/schemas"
)

func documentFilter(t testing.TB, edit func(*DocumentConfig)) *DocumentFilter {
	t.Helper()
	c := DefaultDocumentConfig()
	if edit != nil {
		edit(&c)
	}
	f, err := NewDocumentFilter(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// prose is a document that no rule drops.
var prose = []string{
	"The river rose in the night, and by morning the lower road was gone.",
	"Men stood on the bridge and counted what the water carried past them.",
	"", "Nobody had slept, though the baker opened his shop at the usual hour.",
	"He said that bread is needed most when everything else has failed.",
}

func TestDocument(t *testing.T) {
	with := func(texts ...string) schemas.Document {
		return document(append(append([]string{}, prose...), texts...)...)
	}
	scored := func(language string, score float32) schemas.Document {
		d := document(prose...)
		d.Language, d.LanguageScore = language, score
		return d
	}
	few := func(c *DocumentConfig) { c.NGramsFrom = 0 }
	c4 := func(c *DocumentConfig) { c.C4 = true }
	tests := []struct {
		name     string
		edit     func(*DocumentConfig)
		document schemas.Document
		reason   string
	}{
		{"prose", nil, document(prose...), ""},
		{"prose in Chinese", nil, document("河水在夜里上涨，到早晨下面的路已经不见了。", "人们站在桥上，数着水中漂过的东西。", "", "没有人睡过觉，但是面包师照常开了店门。"), ""},
		{"prose in Thai", nil, document("แม่น้ำขึ้นสูงในเวลากลางคืนและถนนด้านล่างหายไปในตอนเช้า", "ผู้คนยืนบนสะพานและนับสิ่งของที่ลอยผ่านไปกับกระแสน้ำ"), ""},
		{"prose in Japanese", nil, document("夜のうちに川の水かさが増して、朝には下の道がなくなっていた。", "人々は橋の上に立ち、流れていくものを数えていた。"), ""},
		{"nothing", nil, document(), ReasonFewSentences},
		{"one sentence", nil, document(strings.Join(prose, " ")), ReasonFewSentences},
		{"two short ones", nil, document("The river rose.", "Nobody slept."), ReasonFewCharacters},
		{"two short ones in Chinese", nil, document("河水上涨了。", "没有人睡觉。"), ReasonFewCharacters},
		{"unsure of the language", nil, scored("eng", .49), ReasonLanguageScore},
		{"just sure", nil, scored("eng", .5), ""},
		{"a language with its own minimum", func(c *DocumentConfig) { c.LanguageScores = map[string]float64{"oci": .3} }, scored("oci", .35), ""},
		{"below its own minimum", func(c *DocumentConfig) { c.LanguageScores = map[string]float64{"oci": .3} }, scored("oci", .25), ReasonLanguageScore},
		{"lorem ipsum", c4, with("Lorem Ipsum stands where the text is missing."), ReasonLoremIpsum},
		{"curly bracket", c4, with("Then write { and the rest of the program."), ReasonCurlyBracket},
		{"program text is kept", nil, with("Then write { and the rest of the program."), ""},
		{"repeated sentences", nil, with("Read more.", "Read more.", "Read more.", "Read more."), ReasonDuplicateSentences},
		{"a long sentence repeated", nil, with(prose[0], prose[1]), ReasonDuplicateSentences},
		{"a long sentence repeated among short ones", nil, with(strings.Repeat("tale of a long road ", 3), "a b", "c d", "e f", "", strings.Repeat("tale of a long road ", 3)), ReasonTopNGram},
		{"characters of repeated sentences", nil, document("a", "b", "c", "d", prose[0], prose[0]), ReasonDuplicateSentenceText},
		{"repeated blocks", func(c *DocumentConfig) { c.MaxDuplicateSentences, c.MaxDuplicateSentenceCharacters = 1, 1 },
			document(prose[0], "", prose[1], "", prose[0], "", prose[1], "", prose[3]), ReasonDuplicateBlocks},
		{"characters of repeated blocks", func(c *DocumentConfig) { c.MaxDuplicateSentences, c.MaxDuplicateSentenceCharacters = 1, 1 },
			document("a", "", "b", "", "c", "", "d", "", prose[0], "", prose[0]), ReasonDuplicateBlockText},
		{"a refrain in too few words to judge", nil, document("Buy now and save, only here and only today, red shoes.", "Buy now and save, only here and only today, blue hats.", "Buy now and save, only here and only today, old books."), ""},
		{"a refrain inside sentences", few, document("Buy now and save, only here and only today, red shoes.", "Buy now and save, only here and only today, blue hats.", "Buy now and save, only here and only today, old books."), ReasonTopNGram},
		{"a passage pasted into another sentence", func(c *DocumentConfig) { c.TopNGrams = nil },
			document("First: "+prose[0]+" "+prose[1], "Again: "+prose[0]+" "+prose[1]), ReasonDuplicateNGrams},
		{"a refrain in Chinese", few, document("马上购买只有今天才有优惠价格红鞋。", "马上购买只有今天才有优惠价格蓝帽。", "马上购买只有今天才有优惠价格旧书。"), ReasonTopNGram},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := documentFilter(t, tt.edit)
			for range 2 { // the second time in used memory
				if reason, measure := f.Check(tt.document); reason != tt.reason {
					t.Errorf("%q (%v), want %q", reason, measure, tt.reason)
				}
			}
		})
	}
}

func TestDocumentMeasure(t *testing.T) {
	f := documentFilter(t, nil)
	tests := []struct {
		document schemas.Document
		measure  float64
	}{
		{document("a"), 1},
		{document("a b", "c d e"), 8},
		{document(prose[0], prose[0], prose[0], prose[0]), .75},
	}
	for _, tt := range tests {
		if reason, measure := f.Check(tt.document); measure != tt.measure {
			t.Errorf("%s: measure %v, want %v", reason, measure, tt.measure)
		}
	}
}

func TestDocumentConcurrency(t *testing.T) {
	f := documentFilter(t, nil)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 200 {
				d, want := document(prose...), ""
				if i%2 == 1 {
					d, want = document(prose[0], prose[0], prose[0]), ReasonDuplicateSentences
				}
				if reason, _ := f.Check(d); reason != want {
					t.Errorf("%q, want %q", reason, want)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestDocumentConfig(t *testing.T) {
	if err := DefaultDocumentConfig().Validate(); err != nil {
		t.Error(err)
	}
	c := DefaultDocumentConfig()
	c.MinSentences, c.MaxDuplicateBlocks = -1, 1.5
	c.LanguageScores = map[string]float64{"oci": 3}
	c.TopNGrams = []NGramLimit{{N: 0, Max: .2}, {N: 3, Max: -1}}
	c.DuplicateNGrams = []NGramLimit{{N: 6, Max: .1}, {N: 5, Max: .1}}
	_, err := NewDocumentFilter(c)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"min_sentences -1", "max_duplicate_blocks 1.5", "language_scores of oci 3", "top_ngrams 0: n is 0", "top_ngrams -1", "duplicate_ngrams 1: n is 5 after 6"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	var texts []string
	words := strings.Fields(strings.Join(prose, " "))
	bytes := 0
	for i := range 60 { // 60 sentences of 12 words that hardly repeat
		var sentence []string
		for j := range 12 {
			sentence = append(sentence, fmt.Sprint(words[(i*7+j*i+j*j)%len(words)], (i*j)%17))
		}
		texts = append(texts, strings.Join(sentence, " "))
		bytes += len(texts[i])
	}
	d := document(texts...)
	f := documentFilter(b, nil)
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		if reason, measure := f.Check(d); reason != "" {
			b.Fatal(reason, measure)
		}
	}
}
