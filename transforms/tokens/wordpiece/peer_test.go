package wordpiece

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// shared returns a path below the folder of test data beside the repository.
func shared(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(realdata.Folder(t, name), name)
}

func bertVocabulary(t testing.TB) (path string, v *Vocabulary) {
	t.Helper()
	path = shared(t, "vocab/bert-base-uncased.txt")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if v, err = ReadVocabulary(f); err != nil {
		t.Fatal(err)
	}
	return path, v
}

// corpus returns the lines of the test data that match the patterns.
func corpus(t testing.TB, patterns ...string) (lines []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(shared(t, filepath.Dir(pattern)) + "/" + filepath.Base(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Split(strings.ToValidUTF8(string(data), "\ufffd"), "\n")...)
		}
	}
	return lines
}

// peer runs testdata/peer.py on texts.
func peer(t testing.TB, mode, vocabulary string, o Options, texts []string) []byte {
	t.Helper()
	python := peertest.Python(t, "tokenizers==0.23.3")
	flag := map[bool]string{true: "1", false: "0"}
	return peertest.Output(t, peertest.Lines(t, texts), python, filepath.Join("testdata", "peer.py"), vocabulary,
		flag[o.Lowercase], flag[!o.KeepAccents], flag[!o.KeepControls], flag[!o.JoinIdeographs], mode)
}

// everyCharacter returns each code point alone, within a word, and between a
// character that is reordered before others and one that is reordered behind; 64
// code points a text. The second list has the texts without any assigned character.
func everyCharacter() (assigned, others []string) {
	for first := rune(0); first <= utf8.MaxRune; first += 64 {
		var b strings.Builder
		any := false
		for r := first; r < first+64 && utf8.ValidRune(r); r++ {
			fmt.Fprintf(&b, "%c a%ca\u302e%c\U0001d165 ", r, r, r)
			any = any || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf)
		}
		if any {
			assigned = append(assigned, b.String())
		} else {
			others = append(others, b.String())
		}
	}
	return assigned, others
}

// strange returns random mixtures of what is hard; the seed is fixed.
func strange(n int) []string {
	pools := []string{
		"abcXYZ019 .,-#[]'",
		"ßİıſΣςÀéñÅǅŒﬁ№½\u0301\u0327\u0345\u0308",
		"한글ᄒ\u1161\u11abがガ\u3099中文。、\U00020000豈\U0002f800",
		"\u200b\u200c\u200d\u00a0\u3000\u2028\u0085\u00ad\ufeff\ufffd\t\r\n\v\f\x00\x1f\x7f",
		"\U0001F600\U0001F468\u200d\U0001F469\ufe0f\U0001F3FD$^`|~+<=>≠\u0338",
		"अक्षकि\u093cกำเมืองខ្ញុំ\u17d2မြန်မာ",
		"\u302e\u302f\U0001d165\U0001d16d\U0001d15f\u1b44\ua953\u08d4\U0001e94a\u0300\u0903\u0483",
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range random.IntN(30) {
			pool := []rune(pools[random.IntN(len(pools))])
			for range 1 + random.IntN(4) {
				r := pool[random.IntN(len(pool))]
				if random.IntN(8) == 0 {
					r = rune(random.IntN(0x20000))
				}
				repeat := 1
				if random.IntN(200) == 0 {
					repeat = 99 + random.IntN(3)
				}
				b.WriteString(strings.Repeat(string(r), repeat))
			}
		}
		texts[i] = strings.ToValidUTF8(b.String(), "\ufffd")
	}
	return texts
}

var peerOptions = []struct {
	name    string
	options Options
}{
	{"uncased", Uncased},
	{"cased", Cased},
	{"lowercase only", Options{Lowercase: true, KeepAccents: true}},
	{"strip only", Options{}},
	{"not cleaned", Options{Lowercase: true, KeepControls: true}},
	{"nothing", Options{KeepAccents: true, KeepControls: true, JoinIdeographs: true}},
}

// shortened returns the first of the cases in short mode: the peer takes seconds for
// each.
func shortened[T any](cases []T) []T {
	if testing.Short() {
		return cases[:1]
	}
	return cases
}

// The ids are those of Hugging Face tokenizers on every line of real text with the
// options of the vocabulary, on every tenth with the others, and on random mixtures of
// what is hard.
func TestPeerIDs(t *testing.T) {
	path, v := bertVocabulary(t)
	lines, mixtures := corpus(t, "tatoeba/tatoeba.*", "stsb/*.csv"), strange(20_000)
	for i, test := range shortened(peerOptions) {
		t.Run(test.name, func(t *testing.T) {
			texts := mixtures[:len(mixtures):len(mixtures)]
			for k, line := range lines {
				if i == 0 || k%10 == i {
					texts = append(texts, line)
				}
			}
			tokenizer, err := New(v, test.options)
			if err != nil {
				t.Fatal(err)
			}
			var ids []int32
			compare(t, texts, peer(t, "ids", path, test.options, texts), func(text string) string {
				ids = tokenizer.Encode(ids[:0], text)
				return strings.Trim(fmt.Sprint(ids), "[]")
			})
		})
	}
}

// The words are those of Hugging Face tokenizers for every code point and random
// mixtures: the unknown token hides no difference here. What is not assigned has no
// letters and no marks, so that only the setting for control characters touches it: it
// is compared once with it and once without.
func TestPeerWords(t *testing.T) {
	path, _ := bertVocabulary(t)
	assigned, others := everyCharacter()
	for _, test := range shortened(peerOptions) {
		t.Run(test.name, func(t *testing.T) {
			texts := append(strange(20_000), assigned...)
			if test.options == Uncased || test.name == "nothing" {
				texts = append(texts, others...)
			}
			splitter := NewSplitter(test.options)
			output := peer(t, "words", path, test.options, texts)
			compare(t, texts, output, func(text string) string {
				// Whitespace, line ends too, never is within a word.
				return string(bytes.Join(collect(splitter.Words(text)), []byte{' '}))
			})
		})
	}
}

// compare reports the first texts for which ours differs from the peer's line.
func compare(t *testing.T, texts []string, output []byte, ours func(string) string) {
	t.Helper()
	scanner := bufio.NewScanner(bytes.NewReader(output))
	scanner.Buffer(nil, 1<<24)
	differ := 0
	for i, text := range texts {
		if !scanner.Scan() {
			t.Fatalf("the peer stopped at text %d of %d", i, len(texts))
		}
		if got, want := ours(text), scanner.Text(); got != want {
			if differ++; differ <= 5 {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Errorf("%.300q: from %d on ours is %.200s, the peer's %.200s", text, at, got[at:], want[at:])
			}
		}
	}
	t.Logf("%d of %d texts differ", differ, len(texts))
}
