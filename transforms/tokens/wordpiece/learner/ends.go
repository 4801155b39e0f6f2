package learner

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// orderEnds orders the words by their bytes from the last to the first, so that words with a common end lie together.
func (s *search) orderEnds() {
	s.ends = make([]int32, len(s.words))
	for i := range s.ends {
		s.ends[i] = int32(i)
	}
	slices.SortFunc(s.ends, func(i, j int32) int {
		a, b := s.words[i].Text, s.words[j].Text
		n := commonEnd(a, b)
		if n == len(a) || n == len(b) {
			return cmp.Compare(len(a), len(b))
		}
		return cmp.Compare(a[len(a)-1-n], b[len(b)-1-n])
	})
}

// commonEnd is the number of bytes with which both texts end.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// countEnds calls take with each end of a word, and how often words end so: whole words, and what is within them. It keeps the ends of
// one word in memory, where a map of all would be larger than the words themselves.
func (s *search) countEnds(take func(substring, int64)) {
	type end struct {
		text   string
		counts [2]int64 // as a whole word, within one
	}
	var open []end // of the word before, the shortest first
	closeTo := func(length int) {
		for ; len(open) > 0 && len(open[len(open)-1].text) > length; open = open[:len(open)-1] {
			e := open[len(open)-1]
			if s.config.Joiner == "" {
				e.counts = [2]int64{e.counts[0] + e.counts[1], 0}
			}
			take(substring{e.text, false}, e.counts[0])
			take(substring{e.text, true}, e.counts[1])
		}
	}
	before := ""
	for _, i := range s.ends {
		w := s.words[i]
		common := commonEnd(before, w.Text)
		closeTo(common)
		for start := len(w.Text); start > 0; {
			_, size := utf8.DecodeLastRuneInString(w.Text[:start])
			start -= size
			if len(w.Text)-start > common {
				open = append(open, end{text: w.Text[start:]})
			}
		}
		for j := range open[:len(open)-1] {
			open[j].counts[1] += w.Count
		}
		open[len(open)-1].counts[0] += w.Count
		before = w.Text
	}
	closeTo(0)
}
