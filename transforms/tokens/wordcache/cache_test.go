package wordcache

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// spelled are the ids of a word: the number of its bytes, then each byte, or the former alone if the word is in capitals.
func spelled(dst []int32, word string) []int32 {
	if word == "empty" {
		return dst
	}
	dst = append(dst, int32(len(word))|1<<27)
	if word != strings.ToUpper(word) {
		for _, c := range []byte(word) {
			dst = append(dst, int32(c))
		}
	}
	return dst
}

// parted are the ids of the words of a text.
func parted(text string) (ids []int32) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\r", r) }) {
		ids = spelled(ids, word)
	}
	return ids
}

// Ten times as many words as there are places, of all lengths and numbers of ids, are met again and again.
func TestAppend(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "\x00", "\x00\x00", "a", "a\x00", "empty", strings.Repeat("A", 15), strings.Repeat("A", 16)}
	for range 10 << (shortBits + 1) {
		words = append(words, strings.Repeat(string(rune("aA\x00é"[random.IntN(4)])), random.IntN(9))+fmt.Sprint(random.IntN(1e6)))
	}
	for n := range 100 {
		words = append(words, strings.Repeat("x", n), strings.Repeat("X", n), strings.Repeat("x", n)+"\x00")
	}
	calls := 0
	c := New(func(dst []int32, word string) []int32 { calls++; return spelled(dst, word) })
	c.ring.end = 1<<32 - 1<<20 // places have more than 32 bits soon
	met := 0
	var ids []int32
	for range 1_000_000 {
		word := words[int(float64(len(words))*random.Float64()*random.Float64()*random.Float64())]
		if ids = c.Append(ids[:0], word); !slices.Equal(ids, spelled(nil, word)) {
			t.Fatalf("%q has the ids %d, want %d", word, ids, spelled(nil, word))
		}
		met++
	}
	if calls > met*2/3 {
		t.Errorf("%d of %d words were encoded: the cache keeps too few", calls, met)
	}
	calls = 0
	for range 3 {
		for _, word := range words[1:8] {
			ids = c.Append(ids[:0], word)
		}
	}
	if calls > 7 {
		t.Errorf("7 words, met three times, were encoded %d times", calls)
	}
}

// Four long words of one line are kept, the oldest one gives way to a fifth, and one of the same hash is another one.
func TestLongWords(t *testing.T) {
	calls := 0
	c := New(func(dst []int32, word string) []int32 { calls++; return spelled(dst, word) })
	var words []string // of the first line
	for i := 0; len(words) < 6; i++ {
		if word := fmt.Sprintf("a word that is long %08d", i); maphash.String(c.seed, word)>>(64-longBits) == 0 {
			words = append(words, word)
		}
	}
	for _, test := range []struct {
		words []string
		calls int
	}{
		{words[:4], 4}, {words[:4], 0}, {words[4:5], 1}, {words[1:5], 0},
		{words[:1], 1}, {words[2:5], 0}, {words[1:2], 1},
	} {
		calls = 0
		for _, word := range test.words {
			if ids := c.Append(nil, word); !slices.Equal(ids, spelled(nil, word)) {
				t.Errorf("%q has the ids %d, want %d", word, ids, spelled(nil, word))
			}
		}
		if calls != test.calls {
			t.Errorf("%q were encoded %d times, want %d", test.words, calls, test.calls)
		}
	}
	for i := range c.long[0] {
		c.long[0][i].hash = uint32(maphash.String(c.seed, words[5]))
	}
	if ids := c.Append(nil, words[5]); !slices.Equal(ids, spelled(nil, words[5])) {
		t.Errorf("%q has the ids %d, want %d", words[5], ids, spelled(nil, words[5]))
	}
}

func FuzzAppendText(f *testing.F) {
	for _, text := range []string{"", " ", "a", "one two  three\n\tfour\r\n", "\x00", "a\x00b c\vd",
		strings.Repeat("ab ", 40) + "x", "é\xff \xe4\xb8 z",
		strings.Repeat("y", 15) + " " + strings.Repeat("y", 16) + " " + strings.Repeat("y", 70),
		strings.Repeat("A", 15) + "\x1f\n" + strings.Repeat("A", 14)} {
		f.Add(text)
	}
	c := New(spelled)
	f.Fuzz(func(t *testing.T, text string) {
		for range 2 {
			if got, want := c.AppendText(nil, text), parted(text); !slices.Equal(got, want) {
				t.Errorf("%q has the ids %d, want %d", text, got, want)
			}
		}
	})
}

// Every place of the end of a text, a word and a character that is none, in texts of up to 140 bytes.
func TestAppendText(t *testing.T) {
	c := New(spelled)
	ids := []int32{7}
	for _, inside := range []string{" ", "\n", "\x00", "\v", "\x7f", "\x80", "\xa0", "!", "A", " \t"} {
		for size := range 140 {
			for place := range size {
				text := strings.Repeat("a", place) + inside + strings.Repeat("b", size-place)
				ids = c.AppendText(ids[:1], text)
				if want := parted(text); ids[0] != 7 || !slices.Equal(ids[1:], want) {
					t.Fatalf("%q has the ids %d, want %d", text, ids[1:], want)
				}
			}
		}
	}
}

func TestMemory(t *testing.T) {
	c := New(spelled)
	n := len(c.short)*int(unsafe.Sizeof(c.short[0])) + len(c.long)*int(unsafe.Sizeof(c.long[0])) + 4*len(c.ring.numbers)
	if n != MemoryBytes {
		t.Errorf("the tables take %d bytes, want %d", n, MemoryBytes)
	}
	ids := make([]int32, 0, 1<<10)
	n = 0
	long := strings.Repeat("z", 80)
	if allocations := testing.AllocsPerRun(1000, func() {
		n++
		ids = c.AppendText(ids[:0], "some words and others of a text, which is longer than a word that is kept: "+long[:n%80])
		ids = c.Append(ids, "word")
	}); allocations > 1 { // that of the text
		t.Errorf("%v allocations", allocations)
	}
}
