package wordpiece

import (
	"slices"
	"strings"
	"testing"
)

func TestCheckCase(t *testing.T) {
	special := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for _, test := range []struct {
		pieces string
		cased  bool
		want   string
	}{
		{"a b ##c", false, ""},
		{"a b ##c", true, "leave out --cased"},
		{"a B ##c", true, ""},
		{"หมา ##แมว", true, ""},    // no small letters
		{"a ที่ ##บ้าน", true, ""}, // marks, which uncased text does not have
		{"a B Berlin", false, "give --cased"},
		{strings.Repeat("a", 3) + " b c d e f g h i j k l m n o p q r s t u v w x y z ㎒ 𝐀", false, ""}, // a capital that has no small form
	} {
		v, err := NewVocabulary(slices.Concat(special, strings.Fields(test.pieces)))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.CheckCase(test.cased); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, cased %t: %v, want %q", test.pieces, test.cased, err, test.want)
		}
	}
}
