package pairing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// parse reads sentences as "10 20 _ 5 30/deu": lengths in tokens, "_" for a
// sentence that a filter took, a language after the slash (eng otherwise).
func parse(t testing.TB, spec string) []Sentence {
	t.Helper()
	var sentences []Sentence
	for i, field := range strings.Fields(spec) {
		if field == "_" {
			continue
		}
		s := Sentence{Position: int32(i), Language: "eng"}
		number, language, ok := strings.Cut(field, "/")
		if ok {
			s.Language = language
		}
		if _, err := fmt.Sscan(number, &s.Length); err != nil {
			t.Fatal(err)
		}
		sentences = append(sentences, s)
	}
	return sentences
}

// format writes a side as the ordinals of its sentences, with token offsets where
// it starts or ends inside one: "0+1", "2[0:8]".
func format(s Side, sentences []Sentence) string {
	var parts []string
	for i := s.First; i < s.Last; i++ {
		from, to := 0, sentences[i].Length
		if i == s.First {
			from = s.From
		}
		if i == s.Last-1 {
			to = s.To
		}
		part := fmt.Sprint(i)
		if from != 0 || to != sentences[i].Length {
			part = fmt.Sprintf("%d[%d:%d]", i, from, to)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "+")
}

func config(edit func(*Config)) Config {
	c := DefaultConfig()
	c.MaxTokens, c.MinTokens, c.SwapProbability = 12, 3, 0 // 10 tokens a side
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestPairs(t *testing.T) {
	sentence := func(c *Config) { c.Mode = ModeSentence }
	sliding := func(c *Config) { c.Sliding = true }
	split := func(c *Config) { c.LongSentences = longSplit }
	const short, alone = ReasonTooShort, ReasonNoNeighbour
	tests := []struct {
		name      string
		edit      func(*Config)
		sentences string
		pairs     string
		reasons   []string
		truncated int
	}{
		{"nothing", nil, "", "", nil, 0},
		{"one sentence", nil, "8", "", []string{alone}, 0},
		{"two that fill a side each", nil, "10 10", "0|1", []string{"", ""}, 0},
		{"packed greedily", nil, "4 6 3 3 3 1 9", "0+1|2+3+4+5", []string{"", "", "", "", "", "", alone}, 0},
		{"a side of exactly the least", nil, "10 3", "0|1", []string{"", ""}, 0},
		{"the last side is too short", nil, "10 2", "", []string{alone, short}, 0},
		{"the rest is too short", nil, "10 10 2", "0|1", []string{"", "", short}, 0},
		{"a short side ends what is consecutive", nil, "9 2 10 9 9", "2|3", []string{alone, short, "", "", alone}, 0},
		{"a short side between two", nil, "10 2 10 10", "2|3", []string{alone, short, "", ""}, 0},
		{"the odd one out", nil, "9 9 9", "0|1", []string{"", "", alone}, 0},
		{"disjoint", nil, "9 9 9 9", "0|1 2|3", []string{"", "", "", ""}, 0},
		{"sliding", sliding, "9 9 9 9", "0|1 1|2 2|3", []string{"", "", "", ""}, 0},
		{"sliding, a gap", sliding, "9 9 _ 9 _ 9 9 9", "0|1 3|4 4|5", []string{"", "", alone, "", "", ""}, 0},
		{"sliding, a short side", sliding, "9 9 2 9", "0|1", []string{"", "", short, alone}, 0},
		{"a gap ends a side", nil, "5 _ 5 10", "1|2", []string{alone, "", ""}, 0},
		{"a gap separates partners", nil, "9 _ 9", "", []string{alone, alone}, 0},
		{"gaps leave short sides", nil, "2 _ 2 _ 9 9", "2|3", []string{short, short, "", ""}, 0},
		{"another language is a gap", nil, "9 9/deu 9/deu", "1|2", []string{alone, "", ""}, 0},
		{"another language ends a side", nil, "4 4/deu 9/deu", "1|2", []string{alone, "", ""}, 0},
		{"across languages", func(c *Config) { c.AcrossLanguages = true }, "4 4/deu 9/fra", "0+1|2", []string{"", "", ""}, 0},
		{"truncated", nil, "25 9 8", "0[0:10]|1", []string{"", "", alone}, 1},
		{"a long sentence does not fill up the side before", nil, "4 25", "0|1[0:10]", []string{"", ""}, 1},
		{"split", split, "25 5", "0[0:10]|0[10:20]", []string{"", alone}, 0},
		{"split, the rest goes on", split, "25 5 3 7", "0[0:10]|0[10:20] 0[20:25]+1|2+3", []string{"", "", "", ""}, 0},
		{"split without neighbour", split, "12", "", []string{alone}, 0},
		{"empty sentences go with the others", nil, "0 9 0 0 9 0", "0+1+2+3|4+5", []string{"", "", "", "", "", ""}, 0},
		{"only empty sentences", nil, "0 0", "", []string{short, short}, 0},
		{"negative lengths count as empty", nil, "-5 9 9", "0+1|2", []string{"", "", ""}, 0},
		{"sentence mode", sentence, "4 5 6 7 8", "0|1 2|3", []string{"", "", "", "", alone}, 0},
		{"sentence mode truncates", sentence, "14 15 3", "0[0:10]|1[0:10]", []string{"", "", alone}, 2},
		{"sentence mode, a short one", sentence, "4 2 6 7", "2|3", []string{alone, short, "", ""}, 0},
		{"sentence mode, sliding", func(c *Config) { c.Mode, c.Sliding = ModeSentence, true }, "4 5 6", "0|1 1|2", []string{"", "", ""}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := New(config(tt.edit))
			if err != nil {
				t.Fatal(err)
			}
			sentences := parse(t, tt.sentences)
			var r Result
			p.Pairs(&r, "id", sentences)
			var pairs []string
			for _, pair := range r.Pairs {
				pairs = append(pairs, format(pair.A, sentences)+"|"+format(pair.B, sentences))
			}
			if got := strings.Join(pairs, " "); got != tt.pairs {
				t.Errorf("%s: pairs %q, want %q", tt.sentences, got, tt.pairs)
			}
			if !slices.Equal(r.Reasons, tt.reasons) {
				t.Errorf("%s: reasons %q, want %q", tt.sentences, r.Reasons, tt.reasons)
			}
			if r.Truncated != tt.truncated {
				t.Errorf("%s: %d truncated, want %d", tt.sentences, r.Truncated, tt.truncated)
			}
		})
	}
}

func TestSplitSentenceCountsWhereItStarts(t *testing.T) {
	p, err := New(config(func(c *Config) { c.LongSentences = longSplit }))
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	// Sides 0[0:10], 0[10:20], 0[20:24]+1, 2.
	p.Pairs(&r, "id", parse(t, "24 5 9"))
	if len(r.Pairs) != 2 || r.Count("") != 3 {
		t.Errorf("%d pairs, %d used; want 2 and 3", len(r.Pairs), r.Count(""))
	}
	// Sides 0[0:10] and 0[10:12]: the second is too short, the sentence starts in the first.
	p.Pairs(&r, "id", parse(t, "12"))
	if len(r.Pairs) != 0 || !slices.Equal(r.Reasons, []string{ReasonNoNeighbour}) {
		t.Errorf("%d pairs, reasons %q; want none and %q", len(r.Pairs), r.Reasons, ReasonNoNeighbour)
	}
}

func TestSwap(t *testing.T) {
	swapped := func(seed uint64, id string) (flags []bool) {
		p, err := New(config(func(c *Config) { c.Seed, c.SwapProbability = seed, .5 }))
		if err != nil {
			t.Fatal(err)
		}
		var r Result
		p.Pairs(&r, id, parse(t, strings.Repeat("9 ", 40)))
		for i, pair := range r.Pairs {
			flags = append(flags, pair.Swapped)
			first, second := 2*i, 2*i+1
			if pair.Swapped {
				first, second = second, first
			}
			if pair.A.First != first || pair.B.First != second {
				t.Fatalf("pair %d has sides %d and %d, swapped %t", i, pair.A.First, pair.B.First, pair.Swapped)
			}
		}
		return flags
	}
	if !slices.Equal(swapped(1, "a"), swapped(1, "a")) {
		t.Error("the order of a document's pairs is not repeatable")
	}
	if slices.Equal(swapped(1, "a"), swapped(2, "a")) || slices.Equal(swapped(1, "a"), swapped(1, "b")) {
		t.Error("another seed or another id gives the same order for 20 pairs")
	}
	n, trials := 0, 0
	for i := range 1000 {
		for _, s := range swapped(7, fmt.Sprint("document ", i)) {
			trials++
			if s {
				n++
			}
		}
	}
	if d := math.Abs(float64(n) - float64(trials)/2); d > 5*math.Sqrt(float64(trials)/4) {
		t.Errorf("%d of %d pairs are swapped, want half of them", n, trials)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Config)
		want []string
	}{
		{"defaults", func(c *Config) { *c = DefaultConfig() }, nil},
		{"everything", func(c *Config) { *c = Config{SwapProbability: math.NaN(), SpecialTokens: -1} },
			[]string{`mode ""`, "special_tokens -1", "min_tokens 0", `long_sentences ""`, "swap_probability NaN"}},
		{"no room", func(c *Config) { c.MaxTokens = 4 }, []string{"max_tokens 4 leaves 2"}},
		{"split sentences", func(c *Config) { c.Mode, c.LongSentences = ModeSentence, longSplit }, []string{`long_sentences "split"`}},
	}
	for _, tt := range tests {
		_, err := New(config(tt.edit))
		if (err != nil) != (tt.want != nil) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", tt.name, err, want)
			}
		}
	}
}

func TestAppend(t *testing.T) {
	tokens := [][]int32{{0, 1, 2}, {3}, {}, {4, 5, 6, 7}}
	tests := []struct {
		side Side
		want []int32
	}{
		{Side{First: 0, Last: 4, From: 0, To: 4}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{Side{First: 0, Last: 2, From: 1, To: 1}, []int32{1, 2, 3}},
		{Side{First: 3, Last: 4, From: 1, To: 3}, []int32{5, 6}},
		{Side{First: 2, Last: 3, From: 0, To: 0}, nil},
	}
	for _, tt := range tests {
		if got := tt.side.Append(nil, tokens); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.side, got, tt.want)
		}
	}
}

// FuzzPairs reads a document from bytes, and checks what must hold for any.
func FuzzPairs(f *testing.F) {
	f.Add([]byte{10, 200, 30, 7, 0, 90, 91, 92}, uint8(0))
	f.Add([]byte("0CA0 0"), uint8(0)) // an empty sentence after a truncated one
	f.Add([]byte{255, 254, 253, 3, 66, 130, 1, 1, 1}, uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, options uint8) {
		c := config(func(c *Config) {
			c.SwapProbability = .5
			c.Sliding, c.AcrossLanguages = options&1 != 0, options&2 != 0
			if options&4 != 0 {
				c.LongSentences = longSplit
			} else if options&8 != 0 {
				c.Mode = ModeSentence
			}
		})
		p, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var sentences []Sentence
		var tokens [][]int32
		position, next := int32(0), int32(0)
		for _, b := range data {
			position += 1 + int32(b>>7)
			s := Sentence{Position: position, Length: int(b & 31), Language: []string{"eng", "deu"}[b>>6&1]}
			var ids []int32
			for range s.Length {
				ids = append(ids, next)
				next++
			}
			sentences, tokens = append(sentences, s), append(tokens, ids)
		}
		var r Result
		p.Pairs(&r, "id", sentences)
		if len(r.Reasons) != len(sentences) || r.Count("")+r.Count(ReasonTooShort)+r.Count(ReasonNoNeighbour) != len(sentences) {
			t.Fatalf("%d sentences, reasons %q", len(sentences), r.Reasons)
		}
		seen := map[int32]int{}
		starts := map[int]bool{}
		var last Side
		for i, pair := range r.Pairs {
			a, b := pair.A, pair.B
			if pair.Swapped {
				a, b = b, a
			}
			if i > 0 && (a.First < last.First || !c.Sliding && a.First < last.Last-1) {
				t.Fatalf("pair %d starts with %+v after %+v", i, a, last)
			}
			last = b
			for _, side := range []Side{a, b} {
				ids := side.Append(nil, tokens)
				if len(ids) != side.Tokens || len(ids) < c.MinTokens || len(ids) > c.MaxTokens-c.SpecialTokens {
					t.Fatalf("side %+v has %d tokens", side, len(ids))
				}
				for _, id := range ids {
					seen[id]++
				}
				for j := side.First; j < side.Last; j++ {
					if j > side.First || side.From == 0 {
						starts[j] = true
					}
				}
			}
			for j := a.First + 1; j < b.Last; j++ {
				if p.breaks(sentences[j-1], sentences[j]) {
					t.Fatalf("pair %d runs over a gap before sentence %d", i, j)
				}
			}
			if direct := b.First == a.Last && b.From == 0 || b.First == a.Last-1 && b.From == a.To; !direct {
				t.Fatalf("pair %d: %+v does not follow %+v", i, b, a)
			}
		}
		for id, n := range seen {
			if n > 1 && !c.Sliding || n > 2 {
				t.Fatalf("token %d is in %d sides", id, n)
			}
		}
		for i, reason := range r.Reasons {
			if starts[i] != (reason == "") {
				t.Fatalf("sentence %d: used %t, reason %q", i, starts[i], reason)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	p, err := New(config(func(c *Config) { c.SwapProbability = .5 }))
	if err != nil {
		t.Fatal(err)
	}
	sentences := parse(t, strings.Repeat("9 3 4 ", 40))
	var r Result
	p.Pairs(&r, "id", sentences)
	if n := testing.AllocsPerRun(100, func() { p.Pairs(&r, "id", sentences) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkPairs(b *testing.B) {
	p, err := New(DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	sentences := parse(b, strings.Repeat("22 31 18 40 27 ", 40))
	var r Result
	b.SetBytes(int64(200 * 130)) // characters of 200 sentences, roughly
	b.ReportAllocs()
	for b.Loop() {
		p.Pairs(&r, "00000000000000000000000000000000", sentences)
	}
}
