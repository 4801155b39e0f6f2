package normalform

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sentweave/schemas/peertest"
)

var forms = []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD}

func TestAppend(t *testing.T) {
	grave, below := strings.Repeat("\u0300", 40), strings.Repeat("\u0323", 40)
	for _, test := range []struct{ name, text, composed, compatible string }{
		{"nothing", "", "", ""},
		{"composed", "e\u0301a\u0323\u0302ﬁ", "éậﬁ", "e\u0301a\u0323\u0302fi"},
		{"many marks", "a" + grave + below, "ạ" + below[2:] + grave, "a" + below + grave},
		{"only marks", grave + below, below + grave, below + grave},
		{"a joiner of the text", "a\u034f" + grave, "a\u034f" + grave, "a\u034f" + grave},
		{"Hangul", "\u1100\u1161\u11a8" + grave, "각" + grave, "\u1100\u1161\u11a8" + grave},
		{"a mark of Unicode 14", "a\u089c\u0323", "a\u089c\u0323", "a\u089c\u0323"},
		{"a ligature of Unicode 12", "㋿ﬁ", "㋿ﬁ", "㋿fi"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(Append(nil, norm.NFC, []byte(test.text))); got != test.composed {
				t.Errorf("NFC: %+q, want %+q", got, test.composed)
			}
			if got := string(Append(nil, norm.NFKD, []byte(test.text))); got != test.compatible {
				t.Errorf("NFKD: %+q, want %+q", got, test.compatible)
			}
		})
	}
}

// Both ways to a form are the same, and they are those of Hugging Face tokenizers: of each character, alone and beside marks, and of
// many marks in a row.
func TestPeer(t *testing.T) {
	texts := marked(5_000)
	step := rune(16)
	if testing.Short() {
		texts, step = texts[:500], 16*16
	}
	for first := rune(0); first <= 0x323af; first += step {
		var b strings.Builder
		for r := first; r < first+16 && utf8.ValidRune(r); r++ {
			fmt.Fprintf(&b, "%c\u0301 a\u0345%c\u0334 \u1100%c\u11a8", r, r, r)
		}
		texts = append(texts, b.String())
	}
	var want [][]string
	peertest.Answer(t, texts, &want, peertest.Python(t, "tokenizers==0.23.3"), "-c", `
import json, sys
from tokenizers import normalizers as n
print(json.dumps([[f.normalize_str(t) for t in texts] for texts in [json.load(sys.stdin)] for f in (n.NFC(), n.NFD(), n.NFKC(), n.NFKD())]))
`)
	differ := 0
	for i, f := range forms {
		for k, text := range texts {
			characters := []byte{}
			for r := range Characters(f, []byte(text)) {
				characters = utf8.AppendRune(characters, r)
			}
			if got := string(Append(nil, f, []byte(text))); got != want[i][k] || string(characters) != got {
				if differ++; differ <= 5 {
					t.Errorf("form %d of %+q: %+q, character by character %+q, the peer has %+q", f, text, got, characters, want[i][k])
				}
			}
		}
	}
	t.Logf("%d of %d differ", differ, len(forms)*len(texts))
}

// marked returns texts with many marks in a row; the seed is fixed.
func marked(n int) (texts []string) {
	random := rand.New(rand.NewPCG(3, 4))
	var marks []rune
	for _, row := range unicode.M.R16 {
		for r := rune(row.Lo); r <= rune(row.Hi); r += rune(row.Stride) {
			marks = append(marks, r)
		}
	}
	starters := []rune("aeißǆﬁ가ᄀがｶΩअক\u0344㋿①")
	for range n {
		var b strings.Builder
		for range random.IntN(4) {
			b.WriteRune(starters[random.IntN(len(starters))])
			kinds := marks[random.IntN(len(marks)):]
			kinds = kinds[:min(len(kinds), 1+random.IntN(40))]
			for range random.IntN(40) * random.IntN(3) {
				r := kinds[random.IntN(len(kinds))]
				if random.IntN(4) == 0 {
					r = []rune("\u0300\u0301\u0323\u0345\u034f\u3099\u1161\u11a8\u0f71")[random.IntN(9)]
				}
				b.WriteRune(r)
			}
		}
		texts = append(texts, b.String())
	}
	return texts
}

func BenchmarkAppend(b *testing.B) {
	for _, test := range []struct{ name, text string }{
		{"Latin", "Der Übergang wäre schön, aber é bleibt. "}, {"Hindi", "क्षेत्र में पहुँच गया है। "}, {"Chinese", "这是一个（测试）句子。"},
		{"marks", "a" + strings.Repeat("\u0300", 40)},
	} {
		text := []byte(strings.Repeat(test.text, 20))
		dst := make([]byte, 0, 4*len(text))
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				Append(dst, norm.NFKC, text)
			}
		})
		b.Run(test.name+", golang.org/x/text", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				_ = norm.NFKC.Append(dst, text...)
			}
		})
	}
}
