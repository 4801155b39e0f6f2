package learner

import (
	"cmp"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// search holds all pieces that the thresholds asked for so far could keep, with an id each, and for every word and start the pieces
// that begin there. Counting is then adding to arrays. A threshold below all others numbers the pieces anew, so that memory is that of
// the thresholds that the search meets, not of the least one that it may meet.
type search struct {
	config Config
	// lowest is the count below which pieces have no id, floor the least that it may become.
	lowest, floor int64

	parts []part
	// ends are the indices of the words, ordered by their texts read backwards: for the reference mode.
	ends []int32
	// words are those of all parts.
	words []Word
	// pieces by id. A piece within a word has the joiner; length is in characters
	// without it; parent, for Documented, is the piece that is one character shorter, or none.
	pieces []piece
	// first holds the counts of the first pass.
	first []int64
	// characters are the single characters, in order.
	characters []string
	byLength   [][]int32 // ids by length, for Documented
}

// part is the part of the words that one core counts.
type part struct {
	words   []Word
	lengths []uint8 // of the words, in characters
	// found holds the ids of the pieces that begin at each start of each word, one start after another, the shorter pieces first;
	// matches says how many they are at each start.
	matches []uint8
	found   []int32
}

type piece struct {
	text      string
	length    int32
	parent    int32
	character bool
}

const noNode = int32(-1)

func newSearch(words []Word, c Config, floor int64) *search {
	s := &search{config: c, floor: max(1, floor), lowest: math.MaxInt64, words: words}
	cores := runtime.GOMAXPROCS(0)
	characters := map[rune]bool{}
	for i := range cores {
		p := part{words: words[len(words)*i/cores : len(words)*(i+1)/cores]}
		p.lengths = make([]uint8, 0, len(p.words))
		for _, w := range p.words {
			p.lengths = append(p.lengths, uint8(utf8.RuneCountInString(w.Text)))
			for _, x := range w.Text {
				characters[x] = true
			}
		}
		s.parts = append(s.parts, p)
	}
	for _, x := range slices.Sorted(maps.Keys(characters)) {
		s.characters = append(s.characters, string(x))
	}
	if c.Mode == reference {
		s.orderEnds()
	}
	return s
}

// reach numbers the pieces of a threshold and some below it, if they have no ids yet.
func (s *search) reach(threshold int64) {
	if threshold >= s.lowest {
		return
	}
	s.lowest = max(s.floor, threshold/2)
	s.pieces, s.first, s.byLength = nil, nil, nil // room for the new ones
	s.find(s.number())
	s.first = make([]int64, len(s.pieces))
	s.count(s.first, nil)
	if s.config.Mode == documented {
		s.byLength = make([][]int32, s.config.MaxCharacters+1)
		for id, p := range s.pieces {
			s.byLength[p.length] = append(s.byLength[p.length], int32(id))
		}
	}
}

// substring is a piece while ids are given out: inner tells pieces within a
// word from those at its start.
type substring struct {
	text  string
	inner bool
}

// number gives ids to the pieces that are counted lowest times or more.
func (s *search) number() map[substring]int32 {
	var keep []substring
	take := func(p substring, n int64) {
		_, size := utf8.DecodeRuneInString(p.text)
		if n >= s.lowest && size < len(p.text) {
			keep = append(keep, p)
		}
	}
	if s.config.Mode == reference {
		s.countEnds(take)
	} else {
		for p, n := range s.substrings() {
			take(p, n)
		}
	}
	for _, c := range s.characters { // always there, however rare
		keep = append(keep, substring{c, false})
		if s.config.Joiner != "" {
			keep = append(keep, substring{c, true})
		}
	}
	slices.SortFunc(keep, func(a, b substring) int {
		return cmp.Or(strings.Compare(a.text, b.text), compareBool(a.inner, b.inner))
	})
	s.pieces = make([]piece, len(keep))
	ids := make(map[substring]int32, len(keep))
	for id, p := range keep {
		length := utf8.RuneCountInString(p.text)
		text := p.text
		if p.inner {
			text = s.config.Joiner + text
		}
		s.pieces[id] = piece{text: text, length: int32(length), parent: noNode, character: length == 1}
		ids[p] = int32(id)
		// A prefix is before what it begins.
		_, size := utf8.DecodeLastRuneInString(p.text)
		if parent, ok := ids[substring{p.text[:len(p.text)-size], p.inner}]; ok && size < len(p.text) {
			s.pieces[id].parent = parent
		}
	}
	return ids
}

// substrings counts all pieces of all words.
func (s *search) substrings() map[substring]int64 {
	counts := map[substring]int64{}
	for _, w := range s.words {
		for start := range w.Text {
			rest := w.Text[start:]
			inner := start > 0 && s.config.Joiner != ""
			for end := range rest {
				if end > 0 {
					counts[substring{rest[:end], inner}] += w.Count
				}
			}
			counts[substring{rest, inner}] += w.Count
		}
	}
	return counts
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// find looks up the pieces at every start of every word, once.
func (s *search) find(ids map[substring]int32) {
	longest := int32(0)
	for _, p := range s.pieces {
		longest = max(longest, p.length)
	}
	s.parallel(func(p *part) {
		p.matches, p.found = p.matches[:0], p.found[:0]
		for _, w := range p.words {
			for start := range w.Text {
				inner := start > 0 && s.config.Joiner != ""
				rest := w.Text[start:]
				before := len(p.found)
				for end, length := 0, int32(0); end < len(rest) && length < longest; length++ {
					_, size := utf8.DecodeRuneInString(rest[end:])
					end += size
					if id, ok := ids[substring{rest[:end], inner}]; ok {
						p.found = append(p.found, id)
					}
				}
				p.matches = append(p.matches, uint8(len(p.found)-before))
			}
		}
	})
}

// parallel calls work with each part of the words, one a core.
func (s *search) parallel(work func(*part)) {
	var group sync.WaitGroup
	for i := range s.parts {
		group.Go(func() { work(&s.parts[i]) })
	}
	group.Wait()
}
