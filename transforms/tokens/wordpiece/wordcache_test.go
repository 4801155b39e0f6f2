package wordpiece

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// uncached is Encode without a cache.
func (t *Tokenizer) uncached(dst []int32, text string) []int32 {
	var scratch [512]byte
	for i := 0; i < len(text); {
		dst, i = t.encodeNext(dst, text, i, scratch[:0])
	}
	return dst
}

// handbook returns every eighth page of the Debian handbook in all languages, which $SENTWEAVE_HANDBOOK holds.
func handbook(t testing.TB) (pages []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("SENTWEAVE_HANDBOOK"), "*", "*.html"))
	if err != nil || len(files) == 0 {
		t.Skip("skipped: SENTWEAVE_HANDBOOK is not set")
	}
	for i, name := range files {
		if i%8 != 0 { // all take half a minute
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(data))
	}
	return pages
}

func cacheChangesNothing(t *testing.T, texts []string) {
	t.Helper()
	_, v := bertVocabulary(t)
	for _, o := range []Options{Uncased, {KeepControls: true, JoinIdeographs: true, MaxCharacters: 6}} {
		tokenizer, err := New(v, o)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []int32
		for _, text := range texts {
			got, want = tokenizer.Encode(got[:0], text), tokenizer.uncached(want[:0], text)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v: %.200q has the ids %d, without a cache %d", o, text, got, want)
			}
			most := len(want) / 2
			if got = tokenizer.EncodeUpTo(got[:0], text, most); len(got) < most || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%+v: %.200q has the first %d ids %d, all are %d", o, text, most, got, want)
			}
		}
	}
}

func TestCacheChangesNothing(t *testing.T) {
	t.Run("sentences", func(t *testing.T) { cacheChangesNothing(t, corpus(t, "tatoeba/tatoeba.*", "sentences/*.jsonl")) })
	t.Run("strange", func(t *testing.T) { cacheChangesNothing(t, strange(5_000)) })
	t.Run("handbook", func(t *testing.T) { cacheChangesNothing(t, handbook(t)) })
}

// Words that share the first or last bytes, hash or length, and one text again and again.
func FuzzCache(f *testing.F) {
	f.Add("aaaa aaaaa aaaaaaaa aaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add("abcd\x00 abcd", "abcd\x00\x00")
	v, err := NewVocabulary(strings.Fields("[UNK] a b c d ##a ##b ##c ##d ##aa ##aaaa \x00 ##\x00 é ##é"))
	if err != nil {
		f.Fatal(err)
	}
	tokenizer, err := New(v, Options{KeepControls: true, KeepAccents: true, MaxCharacters: 20})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b, a + " " + b, b + a, a} {
			if got, want := tokenizer.Encode(nil, text), tokenizer.uncached(nil, text); !slices.Equal(got, want) {
				t.Errorf("%q has the ids %d, without a cache %d", text, got, want)
			}
		}
	})
}

// BenchmarkCache reports the speed with and without the cache: of texts that come for the first time, and again.
func BenchmarkCache(b *testing.B) {
	_, v := bertVocabulary(b)
	for name, texts := range map[string][]string{
		"english": corpus(b, "tatoeba/tatoeba.*.eng"), "mixed": corpus(b, "tatoeba/tatoeba.*"), "documents": handbook(b),
	} {
		size := 0
		for _, text := range texts {
			size += len(text)
		}
		for _, way := range []string{"cached/warm", "cached/cold", "uncached"} {
			b.Run(fmt.Sprint(name, "/", way), func(b *testing.B) {
				tokenizer, err := New(v, Uncased)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(size))
				var ids []int32
				for b.Loop() {
					if way == "cached/cold" {
						b.StopTimer()
						tokenizer, _ = New(v, Uncased)
						b.StartTimer()
					}
					for _, text := range texts {
						if way == "uncached" {
							ids = tokenizer.uncached(ids[:0], text)
						} else {
							ids = tokenizer.Encode(ids[:0], text)
						}
					}
				}
			})
		}
	}
}
