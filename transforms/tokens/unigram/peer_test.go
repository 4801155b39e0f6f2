package unigram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/transforms/tokens"
)

// e5 returns the tokenizer of multilingual-e5-small, which is that of XLM-R.
func e5(t testing.TB) (path string, tokenizer *Tokenizer) {
	t.Helper()
	path = filepath.Join(os.Getenv("SENTWEAVE_E5"), "tokenizer.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skip("skipped: SENTWEAVE_E5 is not the folder of multilingual-e5-small, which runners/fetch.sh e5 makes")
	}
	return path, read(t, data)
}

func read(t testing.TB, data []byte) *Tokenizer {
	t.Helper()
	s, err := ReadSerialized(data)
	if err != nil {
		t.Fatal(err)
	}
	return s.tokenizer
}

// peer runs testdata/peer.py on texts.
func peer(t testing.TB, mode, path string, texts []string) []byte {
	t.Helper()
	python := peertest.Python(t, "tokenizers==0.23.3")
	return peertest.Output(t, peertest.Lines(t, texts), python, filepath.Join("testdata", "peer.py"), path, mode)
}

// strange returns random mixtures of what is hard; the seed is fixed.
func strange(n int) []string {
	pools := []string{
		"abcXYZ019 .,-#[]'<s></s>",
		"ßİıſΣςÀéñÅǅŒﬁ№½①㌀\u0301\u0327\u0345\u0308",
		"한글ᄒ\u1161\u11abがガ\u3099ｶﾞ中文。、\U00020000豈\U0002f800",
		"\u200b\u200c\u200d\u00a0\u3000\u2028\u0085\u00ad\ufeff\ufffd\t\r\n\v\f\x00\x1f\x7f",
		"\U0001F600\U0001F468\u200d\U0001F469\ufe0f\U0001F3FD\U0001F1E9\U0001F1EA$^`|~+<=>≠\u0338",
		"अक्षकि\u093cกำเมืองခ្ញុំ\u17d2မြန်မာ\u0600\u0903",
		"▁  ▁▁ \u2581a",
		"abé" + strings.Repeat("\u0300\u0323\u0345\u034f\u089c", 10),
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range random.IntN(12) {
			pool := []rune(pools[random.IntN(len(pools))])
			for range 1 + random.IntN(5) {
				r := pool[random.IntN(len(pool))]
				if random.IntN(8) == 0 {
					r = rune(random.IntN(0x20000))
				}
				b.WriteRune(r)
			}
			if random.IntN(50) == 0 { // more marks than norm takes in a row
				for range 80 {
					b.WriteRune(pool[random.IntN(len(pool))])
				}
			}
		}
		texts[i] = strings.ToValidUTF8(b.String(), "\ufffd")
	}
	return texts
}

// everyCharacter returns each code point alone, within a word, and beside a mark; 16 code points a text.
func everyCharacter() (texts []string) {
	for first := rune(0); first <= 0x323af; first += 16 {
		var b strings.Builder
		for r := first; r < first+16 && utf8.ValidRune(r); r++ {
			fmt.Fprintf(&b, "%c a%ca\u0301%c\u0301 ", r, r, r)
		}
		texts = append(texts, b.String())
	}
	return texts
}

// tied returns words of few letters, of which several ways to split them are worth nearly as much.
func tied(n int) []string {
	random := rand.New(rand.NewPCG(11, 12))
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхцчшы", "ابتجدرسعفقلمنوي"}
	texts := []string{"bvnnn", "tirnnnvwl", "عمترمممصبلب"}
	for range n {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			letters := []rune(alphabets[random.IntN(len(alphabets))])
			b.WriteString(strings.Repeat(string(letters[random.IntN(len(letters))]), 1+random.IntN(4)))
		}
		texts = append(texts, b.String())
	}
	return texts
}

// Ids and offsets are those of Hugging Face tokenizers.
func TestPeerXLMR(t *testing.T) {
	path, tokenizer := e5(t)
	texts := slices.Concat(realdata.Tatoeba(t, math.MaxInt), strange(200_000), tied(50_000))
	if testing.Short() {
		texts = slices.Concat(realdata.Tatoeba(t, 20), strange(5_000), tied(1_000))
	} else {
		texts = append(texts, everyCharacter()...)
	}
	compare(t, tokenizer, texts, peer(t, "spans", path, texts), true)
}

// compare reports the first texts for which ours differs from the peer's line, in its ids, or also in their offsets.
func compare(t *testing.T, tokenizer *Tokenizer, texts []string, output []byte, offsets bool) {
	t.Helper()
	lines := strings.Split(string(output), "\n")
	if len(lines) != len(texts)+1 {
		t.Fatalf("%d lines of the peer for %d texts", len(lines), len(texts))
	}
	var spans []tokens.Span
	var ids []int32
	var line []byte
	differ := 0
	for i, text := range texts {
		spans, ids, line = tokenizer.Spans(spans[:0], text), tokenizer.Encode(ids[:0], text), line[:0]
		for k, s := range spans {
			if k >= len(ids) || s.ID != ids[k] {
				t.Fatalf("%q: Spans gives %v, Encode %v", text, spans, ids)
			}
			line = fmt.Appendf(line, "%d:%d-%d ", s.ID, s.Start, s.End)
		}
		got, want := strings.TrimSuffix(string(line), " "), lines[i]
		if !offsets {
			got, want = withoutOffsets(got), withoutOffsets(want)
		}
		if got != want {
			if differ++; differ <= 5 {
				t.Errorf("%.300q: ours is %.600s, the peer's %.600s", text, got, want)
			}
		}
	}
	t.Logf("%d of %d texts differ", differ, len(texts))
}

func withoutOffsets(line string) string {
	fields := strings.Fields(line)
	for i := range fields {
		fields[i], _, _ = strings.Cut(fields[i], ":")
	}
	return strings.Join(fields, " ")
}

// Each character folds as by Hugging Face tokenizers.
func TestPeerLowercase(t *testing.T) {
	texts := everyCharacter()
	if testing.Short() {
		texts = texts[0xa00:0xb00]
	}
	var want []string
	peertest.Answer(t, texts, &want, peertest.Python(t, "tokenizers==0.23.3"), "-c", `
import json, sys
from tokenizers import normalizers
print(json.dumps([normalizers.Lowercase().normalize_str(text) for text in json.load(sys.stdin)]))
`)
	tokenizer := read(t, file(t, map[string]string{"normalizer": `{"type":"Lowercase"}`, "pre": "null"}))
	for i, text := range texts {
		s := tokenizer.split(text, false)
		if got := string(s.text.bytes); got != want[i] {
			t.Errorf("%+q: %+q, the peer has %+q", text, got, want[i])
		}
		tokenizer.release(s)
	}
}
