package bpe

import (
	"os"
	"slices"
	"testing"

	"sentweave/schemas/realdata"
)

// The ids are those without a cache on the pages of the handbook and on random mixtures of what is hard, each met twice.
func TestCachedIDs(t *testing.T) {
	tokenizer := read(t, file(t))
	count := 1_000_000
	if testing.Short() {
		count = 20_000
	}
	texts := strange(count)
	for _, page := range realdata.Pages(t, 10, os.Getenv("SENTWEAVE_HANDBOOK")) {
		texts = append(texts, string(page))
	}
	var got, want []int32
	var s scratch
	for range 2 {
		for _, text := range texts {
			want = want[:0]
			for rest := text; rest != ""; {
				n := word(rest)
				want, rest = tokenizer.merge(want, rest[:n], &s), rest[n:]
			}
			if got = tokenizer.Encode(got[:0], text); !slices.Equal(got, want) {
				t.Fatalf("%.300q has the ids %d with a cache, %d without", text, got, want)
			}
		}
	}
}
