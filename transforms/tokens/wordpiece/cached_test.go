package wordpiece

import (
	"os"
	"slices"
	"testing"

	"sentweave/schemas/realdata"
)

// The ids are those without a cache, on real text, on the pages of the handbook if SENTWEAVE_HANDBOOK names it, and on random
// mixtures of what is hard, each met twice.
func TestCachedIDs(t *testing.T) {
	_, v := bertVocabulary(t)
	texts, count := corpus(t, "tatoeba/tatoeba.*", "stsb/*.csv"), 1_000_000
	for _, page := range realdata.Pages(t, 1, os.Getenv("SENTWEAVE_HANDBOOK")) {
		texts = append(texts, string(page))
	}
	if testing.Short() {
		count = 20_000
	}
	mixtures := strange(count)
	for i, test := range peerOptions {
		t.Run(test.name, func(t *testing.T) {
			tokenizer, err := New(v, test.options)
			if err != nil {
				t.Fatal(err)
			}
			list := mixtures[:count/10]
			if i == 0 {
				list = slices.Concat(texts, mixtures)
			}
			var got, want []int32
			for range 2 {
				for _, text := range list {
					if got, want = tokenizer.Encode(got[:0], text), tokenizer.encode(want[:0], text); !slices.Equal(got, want) {
						t.Fatalf("%.300q has the ids %d with a cache, %d without", text, got, want)
					}
				}
			}
		})
	}
}
