package charset

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for label, want := range map[string]string{
		"KOI8-R": "koi8-r", " latin2 ": "iso-8859-2", "latin1": "windows-1252", "cp1251": "windows-1251", "utf8": "utf-8",
		"sjis": "shift_jis", "GB2312": "gbk",
	} {
		if c, err := Parse(label); err != nil || c.Name() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", label, c.Name(), err, want)
		}
	}
	for _, label := range []string{"", "klingon", "iso-2022-kr", "x-user-defined", "utf-7", "koi8r"} {
		if _, err := Parse(label); err == nil || !strings.Contains(err.Error(), "koi8-r") {
			t.Errorf("Parse(%q): error %v; want one that names what is known", label, err)
		}
	}
	for _, name := range names {
		if c, err := Parse(name); err != nil || c.Name() != name {
			t.Errorf("Parse(%q) = %q, %v", name, c.Name(), err)
		}
	}
}

// The bytes are those of Python's codecs.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ label, data, name, want string }{
		{"koi8-r", "\xed\xcf\xd3\xcb\xd7\xc1", "koi8-r", "Москва"},
		{"iso-8859-2", "\xb1\xb6\xbc", "iso-8859-2", "ąśź"},
		{"iso-8859-2", "\xb9\x9c\x9f", "windows-1250", "ąśź"},
		{"iso-8859-13", "\xe0\x84x\x93", "windows-1257", "ą„x“"},
		{"utf-8", "\xef\xbb\xbfa\xffb", "utf-8", "a\ufffdb"},
		{"utf-8", "a\xed\xa0\xbd\xed\xb8\x80b\xed\xb8\x80\xed\xa0\xbd", "utf-8", "a😀b\ufffd"},
		{"utf-16le", "\xff\xfea\x00\x3d\xd8\x00\xde", "utf-16le", "a😀"},
		{"utf-32le", "\xff\xfe\x00\x00a\x00\x00\x00\x00\xf6\x01\x00", "utf-32le", "a😀"},
		{"utf-32be", "\x00\x00\x00a\x00\x11\x00\x00\x00\x00\xd8\x00\x00", "utf-32be", "a\ufffd\ufffd\ufffd"},
		{"gbk", "\xc4\xe3\xff", "gbk", "你\ufffd"},
	} {
		set := Lookup(c.label).Of([]byte(c.data))
		if got := string(set.Decode([]byte(c.data))); set.Name() != c.name || got != c.want {
			t.Errorf("%q in %s: %s %q, want %s %q", c.data, c.label, set.Name(), got, c.name, c.want)
		}
	}
}
