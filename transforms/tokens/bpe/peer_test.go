package bpe

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// peer runs testdata/peer.py on texts.
func peer(t testing.TB, mode, path string, texts []string) []byte {
	t.Helper()
	python := peertest.Python(t, "tokenizers==0.23.3")
	return peertest.Output(t, peertest.Lines(t, texts), python, filepath.Join("testdata", "peer.py"), path, mode)
}

// learned returns the lines of Tatoeba, and a tokenizer that the peer has learned from each tenth of them.
func learned(t testing.TB) (path string, lines []string, tokenizer *Tokenizer) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of tatoeba: %v", len(files), err)
	}
	step := 1
	if testing.Short() {
		step = 20
	}
	var sample []string
	for i := 0; i < len(files); i += step {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		list := strings.Split(strings.ToValidUTF8(string(data), "\ufffd"), "\n")
		lines = append(lines, list...)
		for k := 0; k < len(list); k += 10 {
			sample = append(sample, list[k])
		}
	}
	path = filepath.Join(t.TempDir(), "tokenizer.json")
	peer(t, "train", path, sample)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, lines, read(t, data)
}

func read(t testing.TB, data []byte) *Tokenizer {
	t.Helper()
	s, err := ReadSerialized(data)
	if err != nil {
		t.Fatal(err)
	}
	return s.tokenizer
}

// strange returns random mixtures of what is hard, some with long words; the seed is fixed.
func strange(n int) []string {
	pools := []string{
		"|||IP|||[unused0]é]e\u0301] ", "x]yz", "e\u0301é[{",
		"abcXYZ019 .,-#[]'<s></s>", "'s't're've'll'd'm 'S''", "ßİıſΣςÀéñǅﬁ№½①\u0301", "한글がガｶﾞ中文。、\U00020000",
		" \u200b\u00a0\u3000\u2028\u0085\ufeff\t\r\n\v\f\x00\x1f", "\U0001F600\U0001F468\u200d\U0001F469\ufe0f≠", "अक्षกำម្မ٣४",
		"   \n\n  ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range random.IntN(12) {
			pool := []rune(pools[random.IntN(len(pools))])
			for range 1 + random.IntN(5) {
				b.WriteRune(pool[random.IntN(len(pool))])
			}
			if random.IntN(50) == 0 {
				for range 20 + random.IntN(200) {
					b.WriteRune(rune('a' + random.IntN(4)))
				}
			}
		}
		texts[i] = b.String()
	}
	return texts
}

// Ids are those of Hugging Face tokenizers, of texts and with a space before them.
func TestPeerIDs(t *testing.T) {
	path, lines, tokenizer := learned(t)
	texts := append(lines, strange(50_000)...)
	if testing.Short() {
		texts = append(lines, strange(3_000)...)
	}
	check := func(path string, tokenizer *Tokenizer, texts []string) {
		want := strings.Split(string(peer(t, "ids", path, texts)), "\n")
		var ids []int32
		differ := 0
		for i, text := range texts {
			ids = tokenizer.Encode(ids[:0], text)
			if got := strings.Trim(fmt.Sprint(ids), "[]"); got != want[i] {
				if differ++; differ <= 5 {
					t.Errorf("%.300q: %.300s, the peer has %.300s", text, got, want[i])
				}
			}
		}
		t.Logf("%d of %d texts differ", differ, len(texts))
	}
	check(path, tokenizer, texts)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := data
	data = bytes.Replace(data, []byte(`"add_prefix_space": false`), []byte(`"add_prefix_space": true`), 1)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	check(path, read(t, data), strange(3_000))
	modern := strings.NewReplacer(`"<s>"`, `"[CLS]"`, `"</s>"`, `"[SEP]"`).Replace(string(plain))
	if err := os.WriteFile(path, []byte(modern), 0o666); err != nil {
		t.Fatal(err)
	}
	peer(t, "modern", path, nil)
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	check(path, read(t, data), append(texts[len(lines):], lines[:len(lines)/10]...))
}

func BenchmarkEncode(b *testing.B) {
	path, lines, tokenizer := learned(b)
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		ids := make([]int32, 0, 1<<12)
		for b.Loop() {
			for _, line := range lines {
				ids = tokenizer.Encode(ids[:0], line)
			}
		}
	})
	b.Run("peer", func(b *testing.B) {
		for b.Loop() {
			var single, batch float64
			if _, err := fmt.Sscan(string(peer(b, "speed", path, lines)), &single, &batch); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(max(single, batch)/1e6, "peer-MB/s")
		}
	})
}

// Words end beside each character where those of Hugging Face tokenizers do.
func TestPeerWords(t *testing.T) {
	var texts []string
	for r := range rune(0x33480) {
		if utf8.ValidRune(r) {
			texts = append(texts, fmt.Sprintf("a%ca1%c1!%c! %c%c", r, r, r, r, r))
		}
	}
	if testing.Short() {
		texts = texts[0xa000:0xb000]
	}
	var want [][]string
	peertest.Answer(t, texts, &want, peertest.Python(t, "tokenizers==0.23.3"), "-c", `
import json, sys
from tokenizers import pre_tokenizers
split = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
print(json.dumps([[text[start:end] for _, (start, end) in split(text)] for text in json.load(sys.stdin)]))
`)
	differ := 0
	for i, text := range texts {
		var got []string
		for rest := text; rest != ""; rest = rest[len(got[len(got)-1]):] {
			got = append(got, rest[:word(rest)])
		}
		if !slices.Equal(got, want[i]) {
			if differ++; differ <= 5 {
				t.Errorf("%+q: %+q, the peer has %+q", text, got, want[i])
			}
		}
	}
	t.Logf("%d of %d texts differ", differ, len(texts))
}
