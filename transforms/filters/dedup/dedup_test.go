package dedup

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"

	"golang.org/x/text/unicode/norm"
)

func keyer(t testing.TB, c Config) *Keyer {
	t.Helper()
	k, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestNormal(t *testing.T) {
	tests := []struct{ text, conservative, loose string }{
		{"", "", ""},
		{"Hello world.", "Hello world.", "hello world"},
		{"  Hello \t\n world. ", "Hello world.", "hello world"},
		{"a\u00a0b\u3000c\u2028d", "a b c d", "a b c d"},
		{"Cafe\u0301", "Café", "café"},
		{"ﬁne ＡＢＣ", "ﬁne ＡＢＣ", "fine abc"},
		{"ÀÉÎ ΑΣΣ ПРИВЕТ", "ÀÉÎ ΑΣΣ ПРИВЕТ", "àéî ασσ привет"},
		{"Page 12 of 345", "Page 12 of 345", "page 0 of 0"},
		{"10 20", "10 20", "0 0"},
		{"1.000,50 €", "1.000,50 €", "0"},
		{"١٢٣ و ४५६", "١٢٣ و ४५६", "0 و 0"},
		{"«Привет!» — сказал он…", "«Привет!» — сказал он…", "привет сказал он"},
		{"e-mail", "e-mail", "email"},
		{"你好，世界！", "你好，世界！", "你好世界"},
		{"ｶﾞ", "ｶﾞ", "ガ"},
		{"각", "각", "각"}, // jamo compose
		{"*** --- ***", "*** --- ***", "*** --- ***"},
		{"!!!", "!!!", "!!!"},
		{" ", "", ""},
		{"a\xffb", "a\ufffdb", "ab"}, // U+FFFD is a symbol
		{"می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم"}, // a zero-width non-joiner stays
	}
	conservative, loose := keyer(t, DefaultConfig()), keyer(t, LooseConfig())
	for _, tt := range tests {
		if got := string(conservative.AppendNormal(nil, tt.text)); got != tt.conservative {
			t.Errorf("%q: conservative %q, want %q", tt.text, got, tt.conservative)
		}
		if got := string(loose.AppendNormal(nil, tt.text)); got != tt.loose {
			t.Errorf("%q: loose %q, want %q", tt.text, got, tt.loose)
		}
		if got := string(loose.AppendNormal([]byte("before "), tt.text)); got != "before "+tt.loose {
			t.Errorf("%q: appended %q, want %q", tt.text, got, "before "+tt.loose)
		}
	}
}

// The keys are those of the reference implementation of XXH3-128 (python-xxhash)
// over the bytes of the normal form.
func TestGolden(t *testing.T) {
	k := keyer(t, DefaultConfig())
	document := schemas.Document{Sentences: []schemas.Sentence{{Text: " One. "}, {Text: "Two."}}}
	tests := []struct {
		name string
		key  Key
		want string
	}{
		{"ASCII", k.SentenceKey("Hello \n world."), "1c95225ac4b1353e73b47bf1a3f7cb52"},
		{"other script", k.SentenceKey("gro\u0308ße"), "55e8ea76fb1750ca7085c8c7bee0fc31"},
		{"one letter", k.SentenceKey("a"), "a96faf705af16834e6c632b61e964e1f"},
		{"document", k.DocumentKey(document), "b71cabc774aa9bc2999903d14b2091c4"},
	}
	for _, tt := range tests {
		if got := fmt.Sprintf("%016x%016x", tt.key.Hi, tt.key.Lo); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParts(t *testing.T) {
	k := keyer(t, DefaultConfig())
	document := func(texts ...string) Key {
		var d schemas.Document
		for _, text := range texts {
			d.Sentences = append(d.Sentences, schemas.Sentence{Text: text})
		}
		return k.DocumentKey(d)
	}
	keys := map[Key]string{}
	add := func(name string, key Key) {
		if other, ok := keys[key]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		keys[key] = name
	}
	add("a sentence", k.SentenceKey("a b"))
	add("one sentence", document("a b"))
	add("two sentences", document("a", "b"))
	add("other order", document("b", "a"))
	add("an empty one first", document("", "a", "b"))
	add("none", document())
	if document("a  b", "c") != document("a b", " c") {
		t.Error("white space changes the key of a document")
	}
}

func TestValidate(t *testing.T) {
	if _, err := New(Config{Form: "nfd"}); err == nil || !strings.Contains(err.Error(), `"nfd"`) {
		t.Errorf("error %v does not name the form", err)
	}
}

func TestNoAllocation(t *testing.T) {
	for name, c := range map[string]Config{"conservative": DefaultConfig(), "loose": LooseConfig()} {
		k := keyer(t, c)
		for _, text := range []string{"A plain sentence of ASCII, 42 characters.", "Обычное предложение на русском языке.", "日本語の文です。"} {
			k.SentenceKey(text)
			if n := testing.AllocsPerRun(100, func() { k.SentenceKey(text) }); n != 0 {
				t.Errorf("%s, %q: %v allocations, want none", name, text, n)
			}
		}
	}
}

// FuzzKey checks that equivalent texts have one key, whatever the text is.
func FuzzKey(f *testing.F) {
	f.Add("Café 12 — «x»")
	f.Add("\xff\x00 각 e\u0301\u0323")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range []Config{DefaultConfig(), LooseConfig(), {Form: formNFKC, DropDigits: true}} {
			k := keyer(t, c)
			want := k.SentenceKey(text)
			for _, other := range []string{norm.NFD.String(text), norm.NFC.String(text), text + "\n ", "\t" + text} {
				if k.SentenceKey(other) != want {
					t.Errorf("%+v: %q and %q have different keys", c, text, other)
				}
			}
			if normal := string(k.AppendNormal(nil, text)); strings.Contains(normal, "  ") || strings.TrimSpace(normal) != normal {
				t.Errorf("%+v: white space is left in %q", c, normal)
			}
			if normal := string(k.AppendNormal(nil, text)); strings.IndexByte(normal, end) >= 0 {
				t.Errorf("%+v: %q holds the byte that ends parts", c, normal)
			}
		}
	})
}

func BenchmarkSentenceKey(b *testing.B) {
	texts := map[string]string{
		"ascii":    "The committee will meet again on Thursday to hear what the engineers have found.",
		"cyrillic": "Комиссия соберётся снова в четверг, чтобы выслушать выводы инженеров.",
	}
	for _, name := range []string{"ascii", "cyrillic"} {
		for _, form := range []string{"conservative", "loose"} {
			b.Run(form+"/"+name, func(b *testing.B) {
				c := DefaultConfig()
				if form == "loose" {
					c = LooseConfig()
				}
				k := keyer(b, c)
				b.SetBytes(int64(len(texts[name])))
				b.ReportAllocs()
				for b.Loop() {
					k.SentenceKey(texts[name])
				}
			})
		}
	}
}
