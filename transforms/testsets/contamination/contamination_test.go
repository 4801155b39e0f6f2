package contamination

import (
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	k := NewKeyer()
	for _, test := range []struct {
		a, b  string
		equal bool
	}{
		{"A rabbit, a toy!", "a Rabbit a toy", true},
		{"He ca n't `` go ''.", "He can't \"go\"", true},
		{"Straße", "STRASSE", true},
		{"ﬁne ＡＢＣ", "fine abc", true},
		{"e\u0301te\u0301", "ÉTÉ", true},
		{"ΟΔΟΣ", "οδος", true},
		{"Ǆ", "ǆ", true},
		{"İstanbul", "i\u0307stanbul", true},
		{"他说：好。", "他说好", true},
		{"e-mail", "email", true},
		{"a rabbit", "a rabbits", false},
		{"5 $", "5 €", false},
		{"1.5", "2.5", false},
		{"été", "ete", false},
	} {
		a, okA := k.Key(test.a)
		b, okB := k.Key(test.b)
		if !okA || !okB || (a == b) != test.equal {
			t.Errorf("%q and %q: equal %t, want %t", test.a, test.b, a == b, test.equal)
		}
	}
	if _, ok := k.Key(" … — ''", "\t."); ok {
		t.Error("punctuation alone has a key")
	}
	one, _ := k.Key("Two. Sentences.")
	if two, _ := k.Key("two", "Sentences"); two != one {
		t.Error("parts have another key than the whole")
	}
}

func TestMark(t *testing.T) {
	k, s, found := NewKeyer(), Set{}, Set{}
	for _, text := range []string{"One.", "two THREE", "three one", "four", "..."} {
		s.Add(k, text)
	}
	if n := s.Mark(found, k, "one", "two!", "three", "five"); n != 4 || len(s) != 4 || len(found) != 2 {
		t.Errorf("%d texts, %d of %d found", n, len(found), len(s))
	}
	s.Mark(found, k, strings.ToUpper("four"))
	if len(found) != 3 { // sentences of two documents do not follow each other
		t.Errorf("%d found", len(found))
	}
}

func BenchmarkMark(b *testing.B) {
	k, s := NewKeyer(), Set{}
	s.Add(k, "nothing of it")
	sentence := "The quick brown fox jumps over the lazy dog, and what it finds there is told elsewhere."
	b.SetBytes(int64(len(sentence)))
	b.ReportAllocs()
	found := Set{}
	for b.Loop() {
		s.Mark(found, k, sentence)
	}
}
