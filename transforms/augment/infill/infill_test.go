package infill

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/tokens/wordpiece"
)

var pieces = []string{
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "the", "cat", "sat", "on", "mat", "dog", "un", "##do", "##ing", "undo",
	"don", "'", "t", "can", ".", ",", "42", "##s", "##!", "中", "文", "国", "café", "cafe", "2nd", "Dog", "we", "i", "und", "##doing",
}

func newInfiller(t testing.TB, o wordpiece.Options, edit func(*Config)) *Infiller {
	t.Helper()
	v, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := wordpiece.New(v, o)
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	c.MinTokens = 1
	if edit != nil {
		edit(&c)
	}
	n, err := New(c, tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func all(c *Config) { c.Share = 1 }

func (n *Infiller) written(ids []int32) string {
	var list []string
	for _, id := range ids {
		list = append(list, n.tokenizer.Vocabulary().Piece(id))
	}
	return strings.Join(list, " ")
}

func id(t testing.TB, n *Infiller, piece string) int32 {
	t.Helper()
	id := slices.Index(n.tokenizer.Vocabulary().Pieces(), piece)
	if id < 0 {
		t.Fatalf("no piece %q", piece)
	}
	return int32(id)
}

func TestClasses(t *testing.T) {
	n := newInfiller(t, wordpiece.Uncased, nil)
	var got []string
	for _, members := range n.Members() {
		got = append(got, n.written(members))
	}
	want := []string{
		// An accent that the tokenizer would strip is the vocabulary's affair.
		"the cat sat on mat dog un undo don t can café cafe 2nd Dog we i und",
		"##do ##ing ##s ##doing",
		"中 文 国",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMask(t *testing.T) {
	tests := []struct {
		name, text, want, reason string
		words                    int
		edit                     func(*Config)
	}{
		{"all words", "The cat sat.", "[CLS] [MASK] [MASK] [MASK] . [SEP]", "", 3, all},
		{"all pieces of a word", "undoing the", "[CLS] [MASK] [MASK] [MASK] [SEP]", "", 2, all},
		{"numbers and punctuation stay", "42 , the 2nd", "[CLS] 42 , [MASK] [MASK] [SEP]", "", 2, all},
		{"what the vocabulary lacks stays", "zebra the zebra", "[CLS] [UNK] [MASK] [UNK] [SEP]", "", 3, all},
		{"what follows an apostrophe in a word stays", "don't the 't", "[CLS] [MASK] ' t [MASK] ' [MASK] [SEP]", "", 4, all},
		{"the other apostrophe, which is unknown here", "don’t", "[CLS] [MASK] [UNK] t [SEP]", "", 2, all},
		{"parts of addresses and paths stay", "the mat.cat /the the_cat i@we. sat: on",
			"[CLS] [MASK] mat . cat [UNK] the the [UNK] cat i [UNK] we . [MASK] [UNK] [MASK] [SEP]", "", 10, all},
		{"ends of sentences are none", "the cat. sat", "[CLS] [MASK] [MASK] . [MASK] [SEP]", "", 3, all},
		{"ideographs", "中文", "[CLS] [MASK] [MASK] [SEP]", "", 2, all},
		{"at least one", "the cat", "", "", 2, func(c *Config) { c.Share = .01 }},
		{"nothing", "", "", ReasonTooShort, 0, nil},
		{"short", "the cat sat", "", ReasonTooShort, 3, func(c *Config) { c.MinTokens = 4 }},
		{"not short", "the cat sat", "[CLS] [MASK] [MASK] [MASK] [SEP]", "", 3, func(c *Config) { c.MinTokens, c.Share = 3, 1 }},
		{"long", "the cat sat", "", ReasonTooLong, 0, func(c *Config) { c.MaxTokens = 4 }},
		{"not long", "the cat sat", "[CLS] [MASK] [MASK] [MASK] [SEP]", "", 3, func(c *Config) { c.MaxTokens, c.Share = 5, 1 }},
		{"no words", "42, 42.", "", ReasonNoWords, 0, nil},
		{"no known words", "zebra zebra", "", ReasonNoWords, 2, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := newInfiller(t, wordpiece.Uncased, test.edit)
			m, reason := n.Mask(test.text, "x")
			if reason != test.reason {
				t.Fatalf("reason %q, want %q", reason, test.reason)
			}
			if got := n.written(m.IDs); test.want != "" && got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if reason == "" && (m.Words != test.words || m.Chosen < 1 || len(m.Masks) != strings.Count(n.written(m.IDs), "[MASK]")) {
				t.Errorf("%d words, %d chosen, %d masks in %s", m.Words, m.Chosen, len(m.Masks), n.written(m.IDs))
			}
		})
	}
}

// The share is that of the words, rounded; each word is chosen as often as others.
func TestShare(t *testing.T) {
	n := newInfiller(t, wordpiece.Uncased, nil)
	text := strings.TrimSpace(strings.Repeat("the cat ", 5))
	often := map[int]int{}
	const texts = 5000
	for i := range texts {
		m, reason := n.Mask(text, string(rune(i+1000)))
		if reason != "" || m.Words != 10 || m.Chosen != 2 {
			t.Fatalf("%q: %d of %d words", reason, m.Chosen, m.Words)
		}
		for _, mask := range m.Masks {
			often[mask.Position]++
		}
	}
	for position := 1; position <= 10; position++ { // 1,000 of 5,000, standard deviation 28
		if often[position] < 880 || often[position] > 1120 {
			t.Errorf("position %d is chosen %d times of %d", position, often[position], texts)
		}
	}
	a, _ := n.Mask(text, "a")
	b, _ := n.Mask(text, "a")
	if !slices.Equal(a.IDs, b.IDs) {
		t.Error("the same text and id give other masks")
	}
}

// ask answers every mask with pieces, the likeliest first.
func (n *Infiller) ask(t testing.TB, m Masked, lists ...string) []Candidate {
	t.Helper()
	var answer []Candidate
	for i := range m.Masks {
		words := strings.Fields(lists[min(i, len(lists)-1)])
		for k := range n.Wanted() {
			c := Candidate{ID: -1, Logit: float32(math.NaN())}
			if k < len(words) {
				c = Candidate{id(t, n, words[k]), float32(-k)}
			}
			answer = append(answer, c)
		}
	}
	slices.Reverse(answer[:n.Wanted()]) // the order of candidates is no matter
	return answer
}

func TestFill(t *testing.T) {
	tests := []struct {
		name, text string
		options    wordpiece.Options
		lists      []string
		want       string
	}{
		{"the likeliest", "the,  cat", wordpiece.Uncased, []string{"we i dog"}, "we,  we"},
		{"not the original", "the cat", wordpiece.Uncased, []string{"the we i", "dog cat i"}, "we dog"},
		{"a capital first", "The cat", wordpiece.Uncased, []string{"we dog i", "dog we i"}, "We dog"},
		{"capitals", "THE CAT", wordpiece.Uncased, []string{"we dog i", "dog we i"}, "WE DOG"},
		{"a word of one capital", "I sat", wordpiece.Uncased, []string{"we dog i", "on we i"}, "We on"},
		{"a capital inside", "tHe cat", wordpiece.Uncased, []string{"we dog i", "dog we i"}, "we dog"},
		{"a cased model has its own case", "cat the", wordpiece.Cased, []string{"Dog we i", "we Dog i"}, "Dog we"},
		{"several pieces", "undoing, the", wordpiece.Uncased, []string{"cat can i", "##s ##ing ##do", "we i dog"}, "cats, we"},
		// un ##doing spells undoing, which stood there as undo ##ing.
		{"other pieces of the same word", "undoing the", wordpiece.Uncased, []string{"un i we", "##doing ##do ##s", "we i dog"}, "undo we"},
		{"other bytes stay", "\u00a0The\u200b  Café\t\U0001F600 \r\nsat!", wordpiece.Uncased, []string{"we i dog", "dog i we", "on i we"},
			"\u00a0We  Dog\t\U0001F600 \r\non!"},
		{"no candidates", "The cat", wordpiece.Uncased, []string{""}, "The cat"},
		{"none for one word", "the cat", wordpiece.Uncased, []string{"the", "dog"}, "the dog"},
		{"ideographs", "中文", wordpiece.Uncased, []string{"国 文 中"}, "国国"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := newInfiller(t, test.options, all)
			m, reason := n.Mask(test.text, "x")
			if reason != "" {
				t.Fatal(reason)
			}
			got, reason, err := n.Fill(m, n.ask(t, m, test.lists...))
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if (reason == ReasonCopy) != (got == test.text) || reason != "" && reason != ReasonCopy {
				t.Errorf("%q has reason %q", got, reason)
			}
		})
	}
}

// With a top above 1, pieces are drawn in proportion to their probabilities.
func TestTop(t *testing.T) {
	n := newInfiller(t, wordpiece.Uncased, func(c *Config) { c.Share, c.Top = 1, 2 })
	often := map[string]int{}
	const texts = 10000
	for i := range texts {
		m, _ := n.Mask("the", string(rune(i+1000)))
		candidates := []Candidate{
			{id(t, n, "we"), 3}, {id(t, n, "the"), 9}, {id(t, n, "dog"), 3 - float32(math.Log(3))}, {id(t, n, "i"), 1},
		}
		view, _, err := n.Fill(m, candidates)
		if err != nil {
			t.Fatal(err)
		}
		often[view]++
	}
	// Three to one; the third is not among the two likeliest. Standard deviation 43.
	if often["we"] < 7300 || often["we"] > 7700 || often["we"]+often["dog"] != texts {
		t.Errorf("drawn %v", often)
	}
}

func TestFillFaults(t *testing.T) {
	n := newInfiller(t, wordpiece.Uncased, all)
	m, _ := n.Mask("the", "x")
	tests := []struct {
		name string
		list []Candidate
		want string
	}{
		{"too few", []Candidate{{6, 1}}, "1 candidates for 1 masks: there must be 3"},
		{"an id of another vocabulary", []Candidate{{6, 1}, {7, 1}, {1000, 1}}, "the candidate 1000 is outside"},
		{"no number", []Candidate{{6, 1}, {7, float32(math.NaN())}, {8, 1}}, "its weights are broken"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, _, err := n.Fill(m, test.list); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	err := Config{Share: 1.5, Top: 0, MinTokens: 0, MaxTokens: 1}.Validate()
	for _, want := range []string{"share is 1.5", "top is 0", "min-tokens is 0", "the most tokens are 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

// Only chosen words change: what stands around them is the source's, byte for byte,
// and the view has as many words, those that were not chosen as they were.
func FuzzInfill(f *testing.F) {
	for _, text := range []string{"The cat sat on the mat.", "Don't undo, we can't!", "中文 the 国", "a\u0301 THE\u200bcat\r\n", "\xffthe\xc3",
		"İi the Ǆ"} {
		f.Add(text, uint64(1), byte(2))
	}
	infillers := []*Infiller{newInfiller(f, wordpiece.Uncased, nil), newInfiller(f, wordpiece.Cased, all),
		newInfiller(f, wordpiece.Uncased, func(c *Config) { c.Share, c.Top = .5, 3 })}
	f.Fuzz(func(t *testing.T, text string, step uint64, which byte) {
		n := infillers[int(which)%len(infillers)]
		var plain []int32
		m, reason := n.Mask(text, "x")
		if reason != "" {
			return
		}
		plain = append(plain, m.IDs...)
		for i, mask := range m.Masks {
			plain[mask.Position] = m.original[i]
		}
		if want := n.tokenizer.Encode(nil, text); !slices.Equal(plain[1:len(plain)-1], want) {
			t.Fatalf("%q: ids %v, the tokenizer has %v", text, plain, want)
		}
		var candidates []Candidate
		for i, mask := range m.Masks {
			members := n.Members()[mask.Class]
			for k := range n.Wanted() {
				at := (uint64(i)*step + uint64(k)) % uint64(len(members))
				candidates = append(candidates, Candidate{members[at], float32(step % uint64(k+1))})
			}
		}
		view, reason, err := n.Fill(m, candidates)
		if err != nil {
			t.Fatal(err)
		}
		if (reason == ReasonCopy) != (view == text) {
			t.Fatalf("%q: the view %q has reason %q", text, view, reason)
		}
		words, err := n.replacements(m, candidates)
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		at := 0
		for i, w := range m.words {
			if n.words(words[i]) != 1 {
				t.Fatalf("%q: %q stands for a word", text, words[i])
			}
			if old := text[w.start:w.end]; n.folded(words[i]) == n.folded(old) {
				t.Fatalf("%q: %q stands for %q", text, words[i], old)
			}
			want.WriteString(text[at:w.start])
			want.WriteString(words[i])
			at = w.end
		}
		if want.WriteString(text[at:]); view != want.String() {
			t.Fatalf("%q: the view is %q, spliced %q", text, view, want.String())
		}
		if n.words(view) != n.words(text) {
			t.Fatalf("%q has %d words, the view %q %d", text, n.words(text), view, n.words(view))
		}
	})
}

func (n *Infiller) folded(text string) string {
	var b strings.Builder
	for w := range n.splitter.Words(text) {
		b.Write(w)
	}
	return b.String()
}

func BenchmarkInfill(b *testing.B) {
	n := newInfiller(b, wordpiece.Uncased, nil)
	text := "The cat sat on the mat, and the dog can undo it. We sat on the 2nd mat the dog sat on."
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	candidates := make([]Candidate, 100*n.Wanted())
	for b.Loop() {
		m, reason := n.Mask(text, "0123456789abcdef")
		if reason != "" {
			b.Fatal(reason)
		}
		list := candidates[:len(m.Masks)*n.Wanted()]
		for i := range list {
			list[i] = Candidate{int32(6 + i%5), 1}
		}
		if _, _, err := n.Fill(m, list); err != nil {
			b.Fatal(err)
		}
	}
}
