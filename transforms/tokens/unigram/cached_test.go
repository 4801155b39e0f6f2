package unigram

import (
	"os"
	"slices"
	"testing"

	"sentweave/schemas/realdata"
)

// The ids are those without a cache on the pages of the handbook and on random mixtures of what is hard, each met twice.
func TestCachedIDs(t *testing.T) {
	_, tokenizer := e5(t)
	count := 500_000
	if testing.Short() {
		count = 5_000
	}
	texts := strange(count)
	for _, page := range realdata.Pages(t, 10, os.Getenv("SENTWEAVE_HANDBOOK")) {
		texts = append(texts, string(page))
	}
	var got, want []int32
	for range 2 {
		for _, text := range texts {
			want = want[:0]
			tokenizer.Each(text, func(id int32, _ []byte, _ bool) { want = append(want, id) })
			if got = tokenizer.Encode(got[:0], text); !slices.Equal(got, want) {
				t.Fatalf("%.300q has the ids %d with a cache, %d without", text, got, want)
			}
		}
	}
}
