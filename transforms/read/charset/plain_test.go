package charset

import (
	"strings"
	"testing"
)

func TestOfText(t *testing.T) {
	for _, p := range passages {
		for set := range strings.FieldsSeq(p.sets) {
			data := encoded(t, set, p.text)
			if c := OfText(data, p.language); string(c.Decode(data)) != string(Lookup(set).Decode(data)) {
				t.Errorf("%s in %s is read as %s", p.language, set, c.Name())
			}
		}
	}
	for _, c := range []struct{ data, want string }{
		{"", "utf-8"},
		{"plain", "utf-8"},
		{"naïve", "utf-8"},
		{"caf\xe9", "windows-1252"},
		{"\xef\xbb\xbfcaf\xe9 \xe9t\xe9.", "windows-1252"},
		{"\xef\xbb\xbfcafé", "utf-8"},
		{"\xff\xfea\x00\xe9\x00", "utf-16le"},
		{"\x00a\x00 \x00b\x00.\x00\n", "utf-16be"},
		{"a\x00b\x00\x00c\x00\x00\x00", "utf-8"}, // binary
		{"\x1b$B$3$l\x1b(B", "iso-2022-jp"},
		{strings.Repeat("é \xe9 ", 5), "utf-8"},
	} {
		if got := OfText([]byte(c.data), ""); got.Name() != c.want {
			t.Errorf("%q is in %s, want %s", c.data, got.Name(), c.want)
		}
	}
}
