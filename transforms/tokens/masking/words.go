package masking

import (
	"slices"

	"sentweave/transforms/random"
)

// chooseWords appends the positions of whole words, n at most. A word is a run
// of candidates in which every token but the first continues it. After a special
// token a new word starts, whatever the token is.
func (m *Masker) chooseWords(positions, tokens []int32, n int, s *random.Stream) []int32 {
	var room [512]word
	words := room[:0]
	candidate := false // whether the token before is a candidate
	for i, id := range tokens {
		switch {
		case m.isSpecial(id):
			candidate = false
			continue
		case candidate && m.vocabulary.Continues(id):
			words[len(words)-1].end++
		default:
			words = append(words, word{int32(i), int32(i) + 1})
		}
		candidate = true
	}
	random.Shuffle(s, words)
	first := len(positions)
	for _, w := range words {
		if n == 0 {
			break
		}
		if int(w.end-w.start) > n {
			continue
		}
		for p := w.start; p < w.end; p++ {
			positions = append(positions, p)
			n--
		}
	}
	slices.Sort(positions[first:])
	return positions
}

// word is the range [start, end) of a word's tokens.
type word struct{ start, end int32 }
