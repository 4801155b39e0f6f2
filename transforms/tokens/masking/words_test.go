package masking

import (
	"fmt"
	"slices"
	"testing"
)

func TestWholeWords(t *testing.T) {
	m := masker(t, func(c *Config) { c.WholeWords = true })
	tests := []struct {
		name   string
		tokens []int32
		words  [][]int32 // positions that go together
		most   int
	}{
		{"pieces go together", []int32{2, 10, 900, 901, 11, 12, 902, 13, 14, 15, 3}, [][]int32{{1, 2, 3}, {4}, {5, 6}, {7}, {8}, {9}}, 3},
		{"a sequence may start inside a word", []int32{2, 900, 901, 10, 11, 12, 13, 14, 3}, [][]int32{{1, 2}, {3}, {4}, {5}, {6}, {7}}, 3},
		{"a special token ends a word", []int32{2, 10, 3, 900, 11, 12, 13, 3}, [][]int32{{1}, {3}, {4}, {5}, {6}}, 2},
		{"a word longer than n is never masked", []int32{2, 10, 900, 901, 902, 3}, nil, 2},
		{"the long word is skipped, the short one is found", []int32{2, 10, 900, 901, 902, 11, 3}, [][]int32{{5}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen := map[int32]bool{}
			for i := range 300 {
				_, positions, _ := mask(t, m, tt.tokens, fmt.Sprint(i), 0)
				if len(positions) > tt.most {
					t.Fatalf("%d masks, want at most %d", len(positions), tt.most)
				}
				if len(tt.words) > 0 && len(positions) == 0 {
					t.Fatal("no mask")
				}
				left := slices.Clone(positions)
				for _, word := range tt.words {
					if slices.Contains(left, word[0]) {
						seen[word[0]] = true
						left = slices.DeleteFunc(left, func(p int32) bool { return slices.Contains(word, p) })
						for _, p := range word {
							if !slices.Contains(positions, p) {
								t.Fatalf("positions %v hold part of the word %v", positions, word)
							}
						}
					}
				}
				if len(left) > 0 {
					t.Fatalf("positions %v: %v are part of no word that can be masked whole", positions, left)
				}
			}
			if len(seen) != len(tt.words) {
				t.Errorf("%d of %d words were masked in 300 trials", len(seen), len(tt.words))
			}
		})
	}
}

func TestWholeWordsOfALongSequence(t *testing.T) {
	m := masker(t, func(c *Config) { c.WholeWords = true; c.MaxPredictions = 1000 })
	if _, positions, _ := mask(t, m, sequence(2000), "id", 0); len(positions) != 625 {
		t.Errorf("%d masks of 2000 tokens, want 625", len(positions))
	}
}
