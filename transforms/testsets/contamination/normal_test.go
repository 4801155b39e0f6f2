package contamination

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// form returns the normal form of texts, with a bar before each token.
func form(texts ...string) string {
	n := newNormal()
	for _, text := range texts {
		n.add(text)
	}
	var b strings.Builder
	for i := range n.tokens {
		b.WriteString("|" + string(n.token(i)))
	}
	return b.String()
}

func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"A rabbit, a toy!":        "|a|rabbit|a|toy",
		"He ca n't `` go ''.":     "|he|ca|n|t|go",
		"Straße STRASSE":          "|strasse|strasse",
		"ﬁne ＡＢＣ":                 "|fine|abc",
		"e\u0301te\u0301 ÉTÉ été": "|été|été|été",
		"ΟΔΟΣ οδος":               "|οδοσ|οδοσ",
		"Ǆ ǆ":                     "|dž|dž",
		"İstanbul":                "|istanbul",
		"他说：好。":                   "|他|说|好",
		"Go语言 is 好":               "|go|语|言|is|好",
		"กิน ข้าว":                "|กิ|น|ข้|า|ว", // marks stay with their letter
		"ありが\tとう":                 "|あ|り|が|と|う",
		"か\u3099":                 "|が", // composed
		"한국어를 한다":                 "|한국어를|한다",
		"soft\u00adhyphen":        "|softhyphen",
		"می\u200cخواهم":           "|میخواهم",
		"OLMADIĞINI olmadığını":   "|olmadiğini|olmadiğini", // of Turkish
		"5 $ 1.5":                 "|5|$|1|5",
		" … — ''\t.":              "",
	} {
		if got := form(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := form("One. Two", "Three"); got != "|one|two|three" {
		t.Errorf("texts run together: %q", got)
	}
}

// FuzzNormal compares the normal form with its definition, and the tokens with the text.
func FuzzNormal(f *testing.F) {
	for _, text := range []string{"A e\u0301 ﬁ ß İ", "กิน が か\u3099", "각 각", "\u0344\u0345ᾳ", "a\u00adb", "Ǆ語a語", "a\ufffdb"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?") // as rows are
		n := newNormal()
		n.add(text)
		want := strings.Map(func(r rune) rune {
			if r == 'ı' {
				return 'i'
			}
			if r == '\u0307' || unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r) || unicode.In(r, unicode.Sk, unicode.Cf) {
				return -1
			}
			return r
		}, norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text))))
		if string(n.whole) != want {
			t.Errorf("%q: %q, want %q", text, n.whole, want)
		}
		for i := range n.tokens {
			if len(n.token(i)) == 0 || n.origins[i] >= len(text) || i > 0 && n.origins[i] < n.origins[i-1] {
				t.Errorf("%q: token %d is %q, at byte %d", text, i, n.token(i), n.origins[i])
			}
		}
	})
}
