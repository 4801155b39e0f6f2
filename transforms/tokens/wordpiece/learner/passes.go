package learner

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// vocabulary returns the pieces of a threshold in their final order.
func (s *search) vocabulary(threshold int64) []string {
	s.reach(threshold)
	counts := slices.Clone(s.first)
	alive := make([]bool, len(s.pieces))
	s.keep(counts, alive, threshold)
	for range s.config.Iterations - 1 {
		clear(counts)
		s.count(counts, alive)
		s.keep(counts, alive, threshold)
	}
	return s.order(counts, alive)
}

// keep decides which pieces stay. Characters always do; one that is not kept by
// its count has the count 1.
func (s *search) keep(counts []int64, alive []bool, threshold int64) {
	if s.config.Mode == reference {
		for id := range alive {
			alive[id] = counts[id] >= threshold
		}
	} else {
		for length := len(s.byLength) - 1; length > 0; length-- {
			for _, id := range s.byLength[length] {
				alive[id] = counts[id] > threshold
				if !alive[id] {
					continue
				}
				for p := s.pieces[id].parent; p != noNode; p = s.pieces[p].parent {
					counts[p] -= counts[id]
				}
			}
		}
	}
	for id, p := range s.pieces {
		if p.character && !alive[id] {
			alive[id], counts[id] = true, 1
		}
	}
}

// count adds up how often each piece is counted: from every start if alive is
// nil, else from the boundaries at which the alive pieces split the words.
func (s *search) count(into []int64, alive []bool) {
	var mutex sync.Mutex
	s.parallel(func(p *part) {
		counts := make([]int64, len(into))
		matches, found := p.matches, p.found
		for i, w := range p.words {
			length := int(p.lengths[i])
			next := 0 // start that counts
			for start, n := range matches[:length] {
				ids := found[:n]
				found = found[n:]
				if start < next {
					continue
				}
				if s.config.Mode == reference {
					if n > 0 {
						if id := ids[n-1]; int(s.pieces[id].length) == length-start {
							counts[id] += w.Count
						}
					}
				} else {
					for _, id := range ids {
						counts[id] += w.Count
					}
				}
				next = start + s.step(ids, alive)
			}
			matches = matches[length:]
		}
		mutex.Lock()
		defer mutex.Unlock()
		for id, n := range counts {
			into[id] += n
		}
	})
}

// step returns the length of the longest alive piece, or 1 if all starts count.
func (s *search) step(ids []int32, alive []bool) int {
	if alive == nil {
		return 1
	}
	for _, id := range slices.Backward(ids) {
		if alive[id] {
			return int(s.pieces[id].length)
		}
	}
	return 1 // single characters are always alive
}

// fixed are the pieces that come first whatever the counts.
func (s *search) fixed() []string {
	return append(slices.Clone(s.config.Reserved), s.characters...)
}

// order brings the alive pieces into the order of the vocabulary; a piece
// is where it comes first.
func (s *search) order(counts []int64, alive []bool) []string {
	var ids []int32
	for id := range s.pieces {
		if alive[id] {
			ids = append(ids, int32(id))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(s.pieces[a].text, s.pieces[b].text))
	})
	list := s.fixed()
	listed := make(map[string]bool, len(list)+len(ids))
	pieces := list[:0]
	for _, p := range list {
		if !listed[p] {
			listed[p] = true
			pieces = append(pieces, p)
		}
	}
	for _, id := range ids {
		if text := s.pieces[id].text; !listed[text] {
			listed[text] = true
			pieces = append(pieces, text)
		}
	}
	return pieces
}
