package excerpt

import "testing"

func TestBytes(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 5, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"añb", 2, "a"}, {"añb", 3, "añ"}, {"日本", 2, ""}, {"a😀b", 4, "a"},
		{"a😀b", 5, "a😀"},
		{"a�b", 4, "a�"},
	} {
		if got := Bytes(test.text, test.n); got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func TestCharacters(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab…"}, {"añb", 2, "añ…"}, {"日本語", 1, "日…"}, {"one two", 4, "one…"},
		{"a\xff\xffb", 2, "a\xff…"},
	} {
		if got := Characters(test.text, test.n); got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.n, got, test.want)
		}
	}
}
