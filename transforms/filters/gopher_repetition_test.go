package filters

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func read(d *Document) *repetition {
	r := newRepetition()
	r.read(d)
	return r
}

func TestGopherRepetition(t *testing.T) {
	tale := strings.Repeat("tale of a long road ", 3)
	refrain := []string{"Buy now and save, only here and only today, red shoes.", "Buy now and save, only here and only today, blue hats.",
		"Buy now and save, only here and only today, old books."}
	few := func(l *limits) { l.nGramsFrom = 0 }
	blocks := func(l *limits) { l.sentences, l.sentenceCharacters = 1, 1 }
	tests := []struct {
		name   string
		edit   func(*limits)
		texts  []string
		reason string
	}{
		{"prose", nil, prose, ""},
		{"prose in Chinese", nil, []string{"河水在夜里上涨，到早晨下面的路已经不见了。", "人们站在桥上，数着水中漂过的东西。", "", "没有人睡过觉，但是面包师照常开了店门。"}, ""},
		{"prose in Thai", nil, []string{"แม่น้ำขึ้นสูงในเวลากลางคืนและถนนด้านล่างหายไปในตอนเช้า",
			"ผู้คนยืนบนสะพานและนับสิ่งของที่ลอยผ่านไปกับกระแสน้ำ"}, ""},
		{"prose in Japanese", nil, []string{"夜のうちに川の水かさが増して、朝には下の道がなくなっていた。", "人々は橋の上に立ち、流れていくものを数えていた。"}, ""},
		{"nothing", nil, nil, ""},
		{"repeated sentences", nil, append(slices.Clone(prose), "Read more.", "Read more.", "Read more.", "Read more."),
			reasonDuplicateSentences},
		{"a long sentence repeated", nil, append(slices.Clone(prose), prose[0], prose[1]), reasonDuplicateSentences},
		{"a long sentence repeated among short ones", nil, append(slices.Clone(prose), tale, "a b", "c d", "e f", "", tale),
			reasonTopNGram},
		{"characters of repeated sentences", nil, []string{"a", "b", "c", "d", prose[0], prose[0]}, reasonDuplicateSentenceCharacters},
		{"repeated blocks", blocks, []string{prose[0], "", prose[1], "", prose[0], "", prose[1], "", prose[3]}, reasonDuplicateBlocks},
		{"characters of repeated blocks", blocks, []string{"a", "", "b", "", "c", "", "d", "", prose[0], "", prose[0]},
			reasonDuplicateBlockCharacters},
		{"a refrain in too few words to judge", nil, refrain, ""},
		{"a refrain inside sentences", few, refrain, reasonTopNGram},
		{"a passage pasted into another sentence", func(l *limits) { l.top = nil },
			[]string{"First: " + prose[0] + " " + prose[1], "Again: " + prose[0] + " " + prose[1]}, reasonDuplicateNGrams},
		{"a refrain in Chinese", few, []string{"马上购买只有今天才有优惠价格红鞋。", "马上购买只有今天才有优惠价格蓝帽。", "马上购买只有今天才有优惠价格旧书。"}, reasonTopNGram},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, r := repetitionLimits, newRepetition()
			if tt.edit != nil {
				tt.edit(&l)
			}
			for range 2 { // the second time in used memory
				var v Verdict
				if l.check(r, document(tt.texts...), &v); known(t, gopherRepetition, v.Reason) != tt.reason {
					t.Errorf("%q (%v), want %q", v.Reason, v.Measure, tt.reason)
				}
			}
		})
	}
	if _, measure := judge(t, gopherRepetition, document(prose[0], prose[0], prose[0], prose[0])); measure != .75 {
		t.Errorf("three of four repeated: measure %v", measure)
	}
}

// The numbers of repeated characters come from a restatement in Python of the
// published method (as in datatrove: the first of the most frequent n-grams;
// repeated n-grams skipped as a whole), with words split at white space.
func TestNGrams(t *testing.T) {
	tests := []struct {
		name, text string
		characters int
		top        [3]int // n = 2, 3, 4
		duplicate  [6]int // n = 5 … 10
	}{
		{"verse", "the old mill turns and the old mill stands by the river where the old mill turns and the old mill stands until the river dries",
			101, [3]int{24, 40, 30}, [6]int{18, 21, 24, 28, 34, 0}},
		{"menu", "home news contact home news contact home news contact about us home news contact about us and more about us", 88,
			[3]int{32, 60, 38}, [6]int{23, 30, 0, 0, 0, 0}},
		{"plain", "we walked along the quiet shore until evening came and nobody said a single word about the ship that had left", 89,
			[3]int{0, 0, 0}, [6]int{}},
		{"overlapping", "la la la la la la", 12, [3]int{12, 12, 12}, [6]int{10, 0, 0, 0, 0, 0}}, // at most everything
		{"Chinese, a word as two letters", "今天天气很好我们去公园散步今天天气很好我们去公园散步然后回家吃饭", 32, [3]int{8, 12, 16}, [6]int{10, 12, 0, 0, 0, 0}},
		{"Thai, a word as three letters", "วันนี้อากาศดีมากวันนี้อากาศดีมาก", 32, [3]int{18, 26, 32}, [6]int{}},
		{"nothing", "", 0, [3]int{}, [6]int{}},
		{"one word", "word", 4, [3]int{}, [6]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, parts := range [][]string{{tt.text}, strings.SplitAfterN(tt.text, " ", 3)} { // sentences do not matter
				r := read(document(parts...))
				if r.total() != tt.characters {
					t.Fatalf("%d characters, want %d", r.total(), tt.characters)
				}
				equal := func(what string, n int, share float64, want int) {
					if math.Abs(share-ratio(want, tt.characters)) > 1e-12 {
						t.Errorf("%s of %d: share %v, want %d of %d", what, n, share, want, tt.characters)
					}
				}
				for i, want := range tt.top {
					equal("top n-gram", i+2, r.topNGram(i+2), want)
				}
				for i, want := range tt.duplicate {
					equal("duplicate n-grams", i+5, r.duplicateNGrams(i+5), want)
				}
			}
		})
	}
}

func TestWords(t *testing.T) {
	tests := []struct {
		text  string
		words int
	}{
		{"Three English words", 3},
		{"人们站在桥上数着", 4},               // two letters a word
		{"人々は橋の上に立ちました", 4},           // Japanese: three
		{"ผู้คนยืนบนสะพาน", 4},        // Thai: 12 letters with their marks, three a word
		{"Debian GNU 桥上 Linux ok", 6}, // most letters are Latin
		{"위원회는 목요일에", 2},              // Korean separates words
	}
	for _, tt := range tests {
		if r := read(document(tt.text)); r.words() != tt.words {
			t.Errorf("%q: %d words of %d units, want %d", tt.text, r.words(), r.length(), tt.words)
		}
	}
}

func TestDuplicates(t *testing.T) {
	r := read(document("Aaa bbb.", "Ccc.", "Aaa bbb.", "", "Ddd.", "", "Aaa bbb.", "Ccc.", "Aaa bbb.", "", "Ddd.", "Ddd."))
	// Sentences: 9, of which A, A, C, A, D, D repeat. Blocks: ACA, D, ACA, DD.
	if s := r.sentences; s.elements != 9 || s.repeated != 6 || s.characters != 4*7+2*4+3*4 || s.repeatedCharacters != 3*7+4+2*4 {
		t.Errorf("sentences: %+v", s)
	}
	if b := r.blocks; b.elements != 4 || b.repeated != 1 || b.characters != 2*20+4+8 || b.repeatedCharacters != 20 {
		t.Errorf("blocks: %+v", b)
	}
}

// The counter must count like a map, also with hashes that meet in one slot.
func FuzzCounter(f *testing.F) {
	f.Add([]byte{0, 1, 2, 1, 0, 0, 17, 33, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var c counter
		for range 2 { // the second time in used memory
			c.reset(len(data))
			want := map[uint64]int32{}
			for _, b := range data {
				h := uint64(b%16)*16 + uint64(b/16)<<60
				h = max(h, 1)
				want[h]++
				if got := c.add(h); got != want[h] {
					t.Fatalf("add(%#x) = %d, want %d", h, got, want[h])
				}
			}
			for h, n := range want {
				if got := c.count(h); got != n {
					t.Fatalf("count(%#x) = %d, want %d", h, got, n)
				}
			}
			if c.count(0xabcdef) != 0 {
				t.Fatal("an absent hash is counted")
			}
		}
	})
}

func BenchmarkDefault(b *testing.B) {
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
	c := NewChain(List.Default())
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		page := c.Page()
		for _, text := range texts {
			page.Sentence(text, "eng", 0)
		}
		if reason, measure := page.Document("eng", 1, true); reason != "" {
			b.Fatal(reason, measure)
		}
		page.Close()
	}
}
