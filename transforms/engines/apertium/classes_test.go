package apertium

import (
	"slices"
	"testing"
)

// trained is the file of a tagger with the tags NOUN, VERB, ADJ, NUM: unknown words
// may have the first three, and there are the classes NOUN, NOUN+VERB, all three.
var trained = func() []byte {
	name := func(s string) []byte { // eachStream character in two bytes
		b := []byte{byte(len(s))}
		for _, c := range []byte(s) {
			b = append(b, 0x40, c)
		}
		return b
	}
	names := slices.Concat([]byte{4}, name("NOUN"), name("VERB"), name("ADJ"), name("NUM"))
	return slices.Concat(
		[]byte{3, 0, 1, 1}, []byte{1, 0, 1}, names, []byte{1}, name("x"), []byte{0}, []byte{1, 0, 1, 2}, []byte{0}, []byte{1}, name("k"),
		[]byte{7},
		[]byte{3, 1, 0, 2, 0, 1, 3, 0, 1, 2}, []byte{4, 0x40, 3}, make([]byte, 9),
	)
}()

func TestClasses(t *testing.T) {
	c, err := parseClasses(trained)
	if err != nil {
		t.Fatal(err)
	}
	said := func(names string) string {
		return "Error: A new ambiguity class was found. \nRetraining the tagger is necessary so as to take it into account.\nWord 'x'.\nNew ambiguity class: {" + names + "}\n"
	}
	for _, tt := range []struct {
		said string
		want bool
	}{
		{"", false}, {said(""), false}, {said("VERB"), true}, {said("NOUN,VERB"), true}, {said("ADJ"), false}, {said("ADJ,NUM"), false},
		{said("NUM"), false},
		{said("ADJ") + said("VERB"), true}, {said("ADJ") + said("ADJ,NOUN"), false}, {said("ADV"), true}, {"something else", true},
		{said("ADJ")[:120], true}, {said("ADJ") + "Error: ", true},
	} {
		if got := c.changed(tt.said); got != tt.want {
			t.Errorf("%q: %v", tt.said, got)
		}
	}
	if (*classes)(nil).changed("") || !(*classes)(nil).changed("x") {
		t.Error("without classes what is said does not count")
	}
}

// The taggers that are installed are read to the end of their classes.
func TestReadClasses(t *testing.T) {
	e := open(t)
	p, err := e.pipeline(t.Context(), "eng-spa")
	if err != nil || p.classes == nil {
		t.Fatalf("classes %v, error %v", p.classes, err)
	}
	// What apertium-tagger -d says of "I" and of "scent", and what becomes of it.
	if p.classes.narrows("NUM,PRNSUBJ") || !p.classes.narrows("ADJ,VLEXPP") {
		t.Error("it is not told which words change the tagger")
	}
}

func FuzzClasses(f *testing.F) {
	f.Add(trained, "Error: {NOUN}")
	f.Fuzz(func(t *testing.T, data []byte, said string) {
		c, err := parseClasses(data)
		if err != nil {
			return
		}
		if c.open > len(c.index) || len(c.sets) == 0 {
			t.Errorf("%v", c)
		}
		c.changed(said)
	})
}
