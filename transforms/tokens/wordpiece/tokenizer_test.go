package wordpiece

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func newTokenizer(t testing.TB, o Options, pieces ...string) *Tokenizer {
	t.Helper()
	v, err := NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := New(v, o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func pieces(v *Vocabulary, ids []int32) string {
	var names []string
	for _, id := range ids {
		names = append(names, v.Piece(id))
	}
	return strings.Join(names, " ")
}

// The examples of BERT's tokenization_test.py, of the LinMaxMatch paper (figure 1,
// table 1) and of the BERT paper's code (unaffable).
func TestEncode(t *testing.T) {
	bert := newTokenizer(t, Uncased, "[UNK]", "[CLS]", "[SEP]", "want", "##want", "##ed", "wa", "un", "runn", "##ing", ",", "##aff",
		"##able")
	paper := newTokenizer(t, Uncased, "[UNK]", "a", "abcdx", "##b", "##c", "##cdy", "##dz")
	long := newTokenizer(t, Uncased, "[UNK]", "a", "##a", "é", "##é", "[")
	tone := newTokenizer(t, Options{}, "[UNK]", "a", "##a", "##e")
	for _, test := range []struct {
		tokenizer  *Tokenizer
		text, want string
	}{
		{bert, "", ""},
		{bert, "unwanted running", "un ##want ##ed runn ##ing"},
		{bert, "unwantedX running", "[UNK] runn ##ing"},
		{bert, "UNwant\u00E9d,running", "un ##want ##ed , runn ##ing"},
		{bert, "unaffable", "un ##aff ##able"},
		{bert, "un\u00adaff\u200bable", "un ##aff ##able"},
		{bert, "un\xffaff\xe4\xb8able", "un ##aff ##able"},
		{bert, "[UNK]", "[UNK] [UNK] [UNK]"}, // bracket, unk, bracket: no special token in text
		{bert, "wantun", "[UNK]"},
		{paper, "abcdz", "a ##b ##c ##dz"},
		{paper, "abcdx", "abcdx"},
		{paper, "abcd", "[UNK]"},
		{paper, "abcz", "[UNK]"},
		{paper, "abcdy", "a ##b ##cdy"},
		{long, strings.Repeat("a", 100), "a" + strings.Repeat(" ##a", 99)},
		{long, strings.Repeat("a", 101) + " a", "[UNK] a"},
		{long, strings.Repeat("a", 1<<20) + "[a", "[UNK] [ a"},
		{long, strings.Repeat("e\u0301", 100), "[UNK]"}, // 100 characters, but e is not a piece
		{tone, "ÀÀ", "[UNK]"},
		{tone, "àé", "a ##e"},
		{tone, "a" + strings.Repeat("\u0301", 200) + "a", "a ##a"}, // stripped before they are counted
	} {
		t.Run(fmt.Sprintf("%.20q", test.text), func(t *testing.T) {
			if got := pieces(test.tokenizer.vocabulary, test.tokenizer.Encode(nil, test.text)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	composed := newTokenizer(t, Options{Lowercase: true, KeepAccents: true}, "[UNK]", "é", "##é")
	if got := composed.Encode(nil, strings.Repeat("É", 100)); len(got) != 100 {
		t.Errorf("100 characters of 200 bytes give %d ids, want 100: the limit counts characters", len(got))
	}
}

// The examples of BERT's tokenization_test.py, and the traps of the order of steps.
func TestWords(t *testing.T) {
	strip := Options{}
	accents := Options{Lowercase: true, KeepAccents: true}
	for _, test := range []struct {
		text, want string
		options    Options
	}{
		{"ah\u535A\u63A8zz", "ah|\u535A|\u63A8|zz", Uncased},
		{" \tHeLLo!how  \n Are yoU?  ", "hello|!|how|are|you|?", Uncased},
		{"H\u00E9llo", "hello", Uncased},
		{" \tHeLLo!how  \n Are yoU?  ", "HeLLo|!|how|Are|yoU|?", Cased},
		{"H\u00E9llo", "H\u00E9llo", Cased},
		{"HÉllo", "héllo", accents},
		{"HÉllo", "HEllo", strip},
		{"İSTANBUL", "istanbul", Uncased},
		{"İ", "i\u0307", accents},
		{"ΣΑΣ", "σασ", Uncased}, // character by character: no final sigma
		{"ﬁ", "ﬁ", Uncased},     // no compatibility mapping
		{"$5+a^b", "$|5|+|a|^|b", Uncased},
		{"€5±", "€5±", Uncased}, // symbols beyond ASCII belong to words
		{"a≠b", "a|=|b", Uncased},
		{"a≠b", "a≠b", Cased},
		{"x\u037Ey", "x|;|y", Uncased},
		{"a\u200db\u00adc\x00d", "abcd", Cased},
		{"a\vb\fc\u0085d", "abcd", Cased}, // controls are dropped, not spaces
		{"a\vb\fc\u0085d\x00", "a|b|c|d\x00", Options{KeepAccents: true, KeepControls: true}},
		{"a\u00a0b\u3000c\u2028d", "a|b|c|d", Cased},
		{"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8", Uncased},
		{"가", "가", Cased},
		{"ガ", "カ", Uncased}, // the voicing mark is a non-spacing mark
		{"かな漢字かな", "かな|漢|字|かな", Cased},
		{"漢字", "漢字", Options{KeepAccents: true, JoinIdeographs: true}},
		{"\uf900\U0002f800", "\u8c48|\u4e3d", Uncased},
		{"\U0002B820\U0002B920", "\U0002B820|\U0002B920", Cased},
		{"a\u302e\U0001d165", "a\U0001d165\u302e", Uncased}, // classes 224 and 216
		{"a\u302e\u0301\U0001d165", "a\U0001d165\u302e", Uncased},
		{"a\u302e\u200b\U0001d165", "a\U0001d165\u302e", Uncased},     // dropped before
		{"a\u302e\u0900\U0001d165", "a\u302e\U0001d165", Uncased},     // a mark of class 0 stands between
		{"a\u302e b\U0001d165", "a\u302e|b\U0001d165", Uncased},       // as a space does
		{"a\u302e\u0301\U0001d165", "a\u302e\u0301\U0001d165", Cased}, // not decomposed, not reordered
		{"a\xffb\xe4\xb8\xf0\x9f\x98c", "abc", Cased},
		{"\ufffda\xff", "\ufffda\ufffd", Options{KeepControls: true}},
		{"\u0301", "", Uncased},
	} {
		t.Run(fmt.Sprintf("%+q", test.text), func(t *testing.T) {
			got := string(bytes.Join(collect(NewSplitter(test.options).Words(test.text)), []byte{'|'}))
			if got != test.want {
				t.Errorf("got %+q, want %+q", got, test.want)
			}
		})
	}
}

func TestWordsStops(t *testing.T) {
	s := NewSplitter(Uncased)
	for word := range s.Words("a b c") {
		for inner := range s.Words("x y") { // a second loop does not disturb the first
			if string(inner) != "x" {
				t.Errorf("got %q, want x", inner)
			}
			break
		}
		if string(word) != "a" {
			t.Errorf("got %q, want a", word)
		}
		break
	}
}

func TestDecode(t *testing.T) {
	v := newTokenizer(t, Uncased, "[UNK]", "un", "##aff", "##able", "##").Vocabulary()
	for _, test := range []struct {
		ids  []int32
		want string
	}{
		{nil, ""},
		{[]int32{1, 2, 3, 1, 0}, "unaffable un [UNK]"},
		{[]int32{2, 1}, "aff un"},
		{[]int32{4, 4}, "## ##"},
		{[]int32{5, -1, 1}, "<id 5> <id -1> un"},
	} {
		if got := v.Decode(test.ids); got != test.want {
			t.Errorf("%d: got %q, want %q", test.ids, got, test.want)
		}
	}
}

func TestOptionsFault(t *testing.T) {
	v, err := NewVocabulary([]string{"[UNK]"})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{-1, 1 << 30} {
		if _, err := New(v, Options{MaxCharacters: n}); err == nil || !strings.Contains(err.Error(), "max_characters") {
			t.Errorf("%d characters: error %v does not name max_characters", n, err)
		}
	}
}

func TestConcurrent(t *testing.T) {
	tokenizer := newTokenizer(t, Uncased, "[UNK]", "un", "##aff", "##able")
	texts := strange(200)
	want := make([][]int32, len(texts))
	for i, text := range texts {
		want[i] = tokenizer.Encode(nil, text)
	}
	splitter := NewSplitter(Uncased)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, text := range texts {
				if got := tokenizer.Encode(nil, text); !slices.Equal(got, want[i]) {
					t.Errorf("%q: got %d, want %d", text, got, want[i])
				}
				n := 0
				for range splitter.Words(text) {
					n++
				}
				if n > len(want[i]) {
					t.Errorf("%q: %d words, but %d pieces", text, n, len(want[i]))
				}
			}
		})
	}
	group.Wait()
}

func TestAllocations(t *testing.T) {
	tokenizer := newTokenizer(t, Uncased, "[UNK]", "un", "##aff", "##able")
	splitter := NewSplitter(Uncased)
	text := strings.Join(strange(50), " ") + strings.Repeat("é", 500)
	ids := tokenizer.Encode(nil, text)
	if n := testing.AllocsPerRun(20, func() { ids = tokenizer.Encode(ids[:0], text) }); n > 0 {
		t.Errorf("Encode: %v allocations", n)
	}
	words := 0
	if n := testing.AllocsPerRun(20, func() {
		for word := range splitter.Words(text) {
			words += len(word)
		}
	}); n > 0.5 { // the pool may be emptied by a collection
		t.Errorf("Words: %v allocations", n)
	}
}

func ExampleTokenizer_Encode() {
	v, _ := NewVocabulary([]string{"[UNK]", "un", "##aff", "##able"})
	tokenizer, _ := New(v, Uncased)
	ids := tokenizer.Encode(nil, "Unaffable élan")
	fmt.Println(ids, v.Decode(ids))
	// Output: [1 2 3 0] unaffable [UNK]
}
