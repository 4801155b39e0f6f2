package wordpiece

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// collect copies the words of a sequence.
func collect(words iter.Seq[[]byte]) (all [][]byte) {
	for word := range words {
		all = append(all, bytes.Clone(word))
	}
	return all
}

// naive splits a word as BERT's WordpieceTokenizer is described: at each place the
// longest piece, by trying all lengths. It is quadratic in the word.
func naive(pieces []string, unknown int32, most int, word string) []int32 {
	if utf8.RuneCountInString(word) > most {
		return []int32{unknown}
	}
	var ids []int32
	for start := 0; start < len(word); {
		found := false
		for end := len(word); end > start; end-- {
			text := word[start:end]
			if start > 0 {
				text = Joiner + text
			}
			if id := slices.Index(pieces, text); id >= 0 {
				ids, start, found = append(ids, int32(id)), end, true
				break
			}
		}
		if !found {
			return []int32{unknown}
		}
	}
	return ids
}

// checkNaive compares Encode and EncodeWord with naive, on each word of a list.
func checkNaive(t *testing.T, pieces []string, list ...string) {
	t.Helper()
	v, err := NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := New(v, Options{KeepAccents: true, KeepControls: true, JoinIdeographs: true, MaxCharacters: 12})
	if err != nil {
		t.Fatal(err)
	}
	splitter := NewSplitter(tokenizer.Options())
	for _, word := range list {
		want := naive(pieces, 0, 12, word)
		if id, ok := v.ID(word); ok != slices.Contains(pieces, word) || ok && pieces[id] != word {
			t.Errorf("%q in %q: id %d, %t", word, pieces, id, ok)
		}
		if got := tokenizer.EncodeWord([]int32{7}, []byte(word)); !slices.Equal(got[1:], want) {
			t.Errorf("%q with %q: EncodeWord gives %d, the naive algorithm %d", word, pieces, got[1:], want)
		}
		var all []int32
		for part := range splitter.Words(word) {
			all = append(all, naive(pieces, 0, 12, string(part))...)
		}
		if got := tokenizer.Encode([]int32{7}, word); !slices.Equal(got[1:], all) {
			t.Errorf("%q with %q: Encode gives %d, the naive algorithm %d", word, pieces, got[1:], all)
		}
	}
}

// Few letters and many pieces make every kind of failure link.
func TestNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	letters := []string{"a", "b", "é", "è", "中", "#", "\U0001F600"}
	text := func(most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(letters[random.IntN(2+random.IntN(len(letters)-1))])
		}
		return b.String()
	}
	for range 3_000 {
		pieces := []string{"[UNK]"}
		for range random.IntN(30) {
			piece := text(6)
			if random.IntN(2) == 0 {
				piece = Joiner + piece
			}
			if !slices.Contains(pieces, piece) {
				pieces = append(pieces, piece)
			}
		}
		var list []string
		for range 10 {
			list = append(list, text(14))
		}
		checkNaive(t, pieces, append(list, Joiner+text(4))...)
	}
}

func FuzzNaive(f *testing.F) {
	f.Add("a abcdx ##b ##c ##cdy ##dz", "abcdz")
	f.Add("# ## ### ##a ####", "##a")
	f.Add("é ##\u00a9", "éé")
	f.Fuzz(func(t *testing.T, list, word string) {
		pieces := []string{"[UNK]"}
		for _, piece := range strings.Fields(list) {
			if utf8.ValidString(piece) && !slices.Contains(pieces, piece) && len(pieces) < 64 {
				pieces = append(pieces, piece)
			}
		}
		if !utf8.ValidString(word) || len(word) > 200 || len(list) > 1000 {
			return
		}
		checkNaive(t, pieces, word)
	})
}

// FuzzSplitter: words hold no white space, are UTF-8, do not depend on what stands
// behind the white space around them, and folding them again changes nothing (save
// where a stripped mark kept others apart before).
func FuzzSplitter(f *testing.F) {
	for _, text := range strange(50) {
		f.Add(text, uint8(0))
	}
	f.Add("a\xff\u0301\xe4\xb8", uint8(2))
	f.Fuzz(func(t *testing.T, text string, bits uint8) {
		s := NewSplitter(Options{Lowercase: bits&1 != 0, KeepAccents: bits&2 != 0, KeepControls: bits&4 != 0, JoinIdeographs: bits&8 != 0})
		words := collect(s.Words(text))
		for _, word := range words {
			if len(word) == 0 || !utf8.Valid(word) ||
				slices.ContainsFunc([]rune(string(word)), func(r rune) bool { return contains(spaces, r) }) {
				t.Fatalf("%q has the word %q", text, word)
			}
		}
		joined := string(bytes.Join(words, []byte{' '}))
		barred := bits&2 == 0 && slices.ContainsFunc([]rune(text), func(r rune) bool { return rank(r) > 0 })
		if again := collect(s.Words(joined)); !barred && !slices.EqualFunc(words, again, bytes.Equal) {
			t.Errorf("%q gives %q, and those words again give %q", text, words, again)
		}
		doubled := collect(s.Words(text + " " + text))
		if !slices.EqualFunc(doubled, slices.Concat(words, words), bytes.Equal) {
			t.Errorf("%q gives %q, twice it gives %q", text, words, doubled)
		}
		if valid := collect(s.Words(string([]rune(text)))); !slices.EqualFunc(words, valid, bytes.Equal) {
			t.Errorf("%q gives %q, with U+FFFD for bytes that are not UTF-8 %q", text, words, valid)
		}
	})
}

func FuzzReadVocabulary(f *testing.F) {
	f.Add([]byte("[UNK]\r\na\n##a\n##\n"))
	f.Add([]byte("a\n\nb"))
	f.Add([]byte("\xff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ReadVocabulary(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read vocabulary: ") {
				t.Errorf("the error %q does not say what was done", err)
			}
			return
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if v.Size() != len(lines) {
			t.Fatalf("%q: %d pieces of %d lines", data, v.Size(), len(lines))
		}
		for i, line := range lines {
			piece := strings.TrimSuffix(line, "\r")
			if id, ok := v.ID(piece); !ok || id != int32(i) || v.Piece(id) != piece {
				t.Errorf("%q: piece %q has id %d, %t and is %q; want %d", data, piece, id, ok, v.Piece(id), i)
			}
			if want := len(piece) > 2 && piece[:2] == Joiner; v.Continues(int32(i)) != want {
				t.Errorf("%q continues a word: %t, want %t", piece, !want, want)
			}
		}
		var written bytes.Buffer
		if _, err := v.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		again, err := ReadVocabulary(&written)
		if err != nil || again.Hash() != v.Hash() || fmt.Sprint(again.Pieces()) != fmt.Sprint(v.Pieces()) {
			t.Errorf("%q: written and read it is %v, %v", data, again, err)
		}
	})
}
