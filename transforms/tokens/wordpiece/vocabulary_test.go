package wordpiece

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/tokens"
	"testing/iotest"
)

func TestReadVocabularyFaults(t *testing.T) {
	for _, test := range []struct{ text, reason string }{
		{"", "it is empty"},
		{"a\n\nb\n", "line 2 is empty"},
		{"a\n\n", "line 2 is empty"},
		{"\r\n", "line 1 is empty"},
		{"a\n##b\nb\n##b\na\n", `line 4 repeats "##b" of line 2`},
		{"a\na", `line 2 repeats "a" of line 1`},
		{"a\n\xff\n", "line 2 is not UTF-8"},
		{"\ufeff[PAD]\n", "line 1 begins with a byte order mark"},
		{"a\rb\n", "line 1: the piece \"a\\rb\" holds an end of line"},
		{"a\n" + strings.Repeat("b", 5000), "line 2 is longer than 1024 bytes"},
		{"a\n" + strings.Repeat("b", 1025) + "\n", "line 2 is longer than 1024 bytes"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := ReadVocabulary(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%.20q: error %v, want %q", test.text, err, test.reason)
			}
		})
	}
	broken := errors.New("disk on fire")
	if _, err := ReadVocabulary(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v does not wrap the reader's", err)
	}
	if _, err := ReadVocabulary(numbers(maxPieces + 1)); err == nil || !strings.Contains(err.Error(), "more than 4194304 pieces") {
		t.Errorf("too many pieces: error %v", err)
	}
}

// numbers is a vocabulary file of n numbers.
func numbers(n int) io.Reader {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	return &b
}

func TestVocabulary(t *testing.T) {
	v, err := ReadVocabulary(strings.NewReader("[PAD]\r\n[UNK]\r\na\r\n##a\r\n##\r\n###\r\n ä"))
	if err != nil {
		t.Fatal(err)
	}
	continues := map[string]bool{"##a": true, "###": true}
	for id, piece := range []string{"[PAD]", "[UNK]", "a", "##a", "##", "###", " ä"} {
		if got, ok := v.ID(piece); !ok || got != int32(id) {
			t.Errorf("id of %q: %d, %t; want %d", piece, got, ok, id)
		}
		if got := v.Piece(int32(id)); got != piece {
			t.Errorf("piece %d: %q, want %q", id, got, piece)
		}
		if got := v.Continues(int32(id)); got != continues[piece] {
			t.Errorf("%q continues a word: %t", piece, got)
		}
	}
	for _, piece := range []string{"", "#", "####", "[PA", "##aa", "b", "\xff"} {
		if id, ok := v.ID(piece); ok {
			t.Errorf("%q has id %d, want none", piece, id)
		}
	}
	for _, id := range []int32{-1, 7, 1 << 30} {
		if v.Piece(id) != "" || v.Continues(id) {
			t.Errorf("id %d: %q, %t; want nothing", id, v.Piece(id), v.Continues(id))
		}
	}
	same, err := NewVocabulary(v.Pieces())
	if err != nil || same.Hash() != v.Hash() {
		t.Errorf("the hash %s depends on the end of lines: %s, %v", v.Hash(), same.Hash(), err)
	}
	other, err := NewVocabulary([]string{"[UNK]", "[PAD]"})
	if err != nil || other.Hash() == v.Hash() {
		t.Errorf("two vocabularies share the hash %s", v.Hash())
	}
}

// The value is xxhash.xxh3_128_hexdigest of python-xxhash for the file's bytes.
func TestHash(t *testing.T) {
	v, err := NewVocabulary([]string{"[UNK]", "un", "##aff", "##able"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "10a94167d7aa993d99cdc88f28482be1"; v.Hash() != want {
		t.Errorf("got %s, want %s", v.Hash(), want)
	}
}

func TestSpecial(t *testing.T) {
	for _, test := range []struct {
		pieces  []string
		unknown string
		missing string
	}{
		{[]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, "[UNK]", ""},
		{[]string{"<unk>", "<s>", "</s>", "<mask>", "<cls>", "<sep>", "<pad>"}, "<unk>", ""},
		{[]string{"<unk>", "<s>", "</s>", "<mask>", "<cls>", "<sep>"}, "<unk>", `"<pad>"`},
		{[]string{"a"}, "[UNK]", `"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"`},
		{[]string{"[UNK]", "<unk>"}, "[UNK]", `"[PAD]", "[CLS]", "[SEP]", "[MASK]"`},
	} {
		t.Run(strings.Join(test.pieces, " "), func(t *testing.T) {
			v, err := NewVocabulary(test.pieces)
			if err != nil {
				t.Fatal(err)
			}
			names := v.SpecialTokens()
			if names.Unknown != test.unknown {
				t.Errorf("the unknown token is %s, want %s", names.Unknown, test.unknown)
			}
			ids, err := v.Special()
			if test.missing != "" {
				if err == nil || !strings.Contains(err.Error(), "lacks "+test.missing+":") {
					t.Errorf("error %v does not name %s", err, test.missing)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, id := range map[string]int32{
				names.Padding: ids.Padding, names.Unknown: ids.Unknown, names.Classify: ids.Classify,
				names.Separate: ids.Separate, names.Mask: ids.Mask,
			} {
				if got, ok := v.ID(name); !ok || got != id || v.Piece(id) != name {
					t.Errorf("%s: %d, %t; Special says %d", name, got, ok, id)
				}
			}
		})
	}
	v, err := NewVocabulary([]string{"a", "oov"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(v, Uncased); err == nil || !strings.Contains(err.Error(), `"[UNK]"`) {
		t.Errorf("error %v does not name the unknown token", err)
	}
	named := v.WithSpecialTokens(tokens.SpecialTokens{Unknown: "oov"})
	tokenizer, err := New(named, Uncased)
	if err != nil {
		t.Fatal(err)
	}
	if got := tokenizer.Encode(nil, "b a"); fmt.Sprint(got) != "[1 0]" {
		t.Errorf("got %d, want [1 0]", got)
	}
}

// Every prefix of a long piece whose letters are pieces has a list of its own:
// memory grows with the square of the length, and has its limit.
func TestLongPieces(t *testing.T) {
	pieces := []string{"[UNK]"}
	var letters []rune
	for r := 'Ā'; len(letters) < 250; r++ {
		pieces = append(pieces, Joiner+string(r))
		letters = append(letters, r)
	}
	long := func(n int) []string {
		all := slices.Clone(pieces)
		for i := range n {
			first := string(rune('一' + i))
			all = append(all, first, first+string(letters))
		}
		return all
	}
	if _, err := NewVocabulary(long(10)); err != nil {
		t.Error(err)
	}
	if _, err := NewVocabulary(long(500)); err == nil || !strings.Contains(err.Error(), "leave out the longest of the 1251") {
		t.Errorf("500 pieces with 250 lists each: error %v does not name the way out", err)
	}
}
