package benchmark

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"sentweave/schemas/peertest"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a b": "a b", "": "", " a\t\tb\n": "a b", "a\u0085b": "a b", "a\u00a0!": "a !", "a\u2028b\u2029c": "a b c",
		"a\x1cb\x1fc\x00d": "a b c d",
		"\ufeffa":          "a", "a\ufeffb": "ab", "a\u3000b": "a b", "\u00a0 \n": "", "क्\u200dष": "क्\u200dष", "❤\ufe0f": "❤\ufe0f",
		"a\xffb": "a\ufffdb", "\ufffd": "\ufffd",
		"a\ufffeb": "ab", "a \ufdd0 b": "a b", "a\u200bb": "a\u200bb", "a\u1680b\u202fc\u205fd": "a b c d", "a\u007fb": "a b",
		"the ship\u0092s \u0093x\u0094\u0081 y": "the ship’s “x” y", "a\u0080": "a€",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Clean("это чистый текст, ça va") }); n > 0 {
		t.Errorf("a clean text costs %v allocations", n)
	}
}

// After Clean no code point is one that Python cuts at: asked of Python itself.
func TestCleanAgainstPython(t *testing.T) {
	python := peertest.Python(t)
	var b strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			b.WriteString(Clean("a" + string(r) + "b"))
			b.WriteByte('\n')
		}
	}
	out := peertest.Output(t, []byte(b.String()), python, "-c", `
import html, io, sys
data = sys.stdin.buffer.read()
lines = data.decode("utf-8").split("\n")[:-1]
assert lines == data.decode("utf-8").splitlines() == [l[:-1] for l in io.TextIOWrapper(io.BytesIO(data), "utf-8")]
escape = lambda c: c if c < "\x80" and c != "&" else "&amp;" if c == "&" else "&#%d;" % ord(c)
n = 0
for text in lines:
    assert text.split() == text.split(" "), ascii(text)
    assert html.unescape("".join(map(escape, text))) == text, ascii(text)
    n += 1
print(n)`)
	if strings.TrimSpace(string(out)) != "1112064" {
		t.Errorf("%s", out)
	}
}

func TestCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"我爱你。":         "我 爱 你 。",
		"我用 Go 1.26 写": "我 用 ▁ Go ▁ 1.26 ▁ 写",
		"カラー":          "カ ラ ー",
		"ประเทศไทย":    "ป ระ เ ท ศ ไ ท ย",
		"ที่นี่":       "ที่ นี่",
		"ทำ":           "ทำ",
		"hello world":  "hello ▁ world",
		"a▁b":          "a_b",
		"":             "",
	} {
		got := Characters(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if back := Join(got); back != strings.ReplaceAll(in, "▁", "_") {
			t.Errorf("%q: came back as %q", in, back)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"我用 Go", "ทำ ที่", "\u0085a\u00a0", "\xff\ufeff", "▁ ▁", "\u200d\u0e33"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := Clean(text)
		if Clean(clean) != clean || !utf8.ValidString(clean) || strings.Contains(clean, "  ") {
			t.Fatalf("%q is not clean: %q", text, clean)
		}
		if !slices.Equal(strings.Fields(clean), strings.FieldsFunc(clean, func(r rune) bool { return r == ' ' })) {
			t.Fatalf("%q has other spaces: %q", text, clean)
		}
		apart := Characters(clean)
		if back := Join(apart); back != strings.ReplaceAll(clean, "▁", "_") {
			t.Fatalf("%q came back as %q by %q", clean, back, apart)
		}
		if strings.Contains(apart, "  ") || strings.TrimSpace(apart) != apart {
			t.Fatalf("%q has spaces to spare: %q", clean, apart)
		}
	})
}

func read(data string, e Encoding) (list []string, err error) {
	for l, err := range Lines(strings.NewReader(data), "f", e) {
		if err != nil {
			return list, err
		}
		text := l.Text
		if !l.Valid {
			text = "invalid"
		}
		list = append(list, text)
	}
	return list, nil
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		data     string
		encoding Encoding
		want     []string
	}{
		{"", UTF8, nil},
		{"\n", UTF8, []string{""}},
		{"a\nb", UTF8, []string{"a", "b"}},
		{"a\r\nb\n\n", UTF8, []string{"a", "b", ""}},
		{"a\rb\u0085c\u2028d\n", UTF8, []string{"a\rb\u0085c\u2028d"}},
		{"\ufeffa\n\ufeffb\n", UTF8, []string{"a", "\ufeffb"}},
		{"caf\xe9\n\x85 \x96 \x93\n", UTF8, []string{"invalid", "invalid"}},
		{"caf\xe9\n\x85 \x96 \x93\ncafé\n", Western, []string{"café", "… – “", "café"}},
		{strings.Repeat("x", 100_000) + "\ny", UTF8, []string{strings.Repeat("x", 100_000), "y"}},
	} {
		got, err := read(c.data, c.encoding)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%.40q: got %.40q, %v, want %.40q", c.data, got, err, c.want)
		}
	}
	for data, want := range map[string]string{"a\rb\rc\r": "read f: its lines end with only a carriage return",
		"\xff\xfea\x00": "it is UTF-16", "\x1f\x8b\b\x00": "it is compressed, as what ends in .gz is",
		strings.Repeat("x", maxLine+100_000): "f line 1: the line is longer"} {
		if _, err := read(data, UTF8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: got %v, want %q", data, err, want)
		}
	}
	if _, err := read("a", "latin-1"); err == nil {
		t.Error("an unknown encoding passes")
	}
	for _, err := range Lines(iotest.ErrReader(os.ErrClosed), "f", UTF8) {
		if err == nil || err.Error() != "read f line 1: file already closed" {
			t.Errorf("got %v", err)
		}
	}
}

func TestMojibake(t *testing.T) {
	for text, want := range map[string]bool{
		"cafÃ©": true, "Ð¿Ñ€Ð¸Ð²ÐµÑ‚": true, "\u00d1\u0085": true, "â€œaâ€\u009d": true, "café": false, "привет": false, "a": false,
		"© 2020 «a»": false, "Ã": false, "": false,
	} {
		if isMojibake(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	const text = "это текст, который уже чистый, и его надо только просмотреть"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Clean(text)
	}
}
