package learner

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// search holds what does not depend on the threshold: all pieces that any
// threshold could keep, with an id each, and for every word and start the pieces
// that begin there. Counting is then adding to arrays.
type search struct {
	config Config
	// lowest is the least threshold that will be asked for: rarer pieces have no id.
	lowest int64

	words []lengthWord
	// pieces by id. A piece within a word has the joiner; length is in characters
	// without it; parent is the piece that is one character shorter, or none.
	pieces []piece
	// starts[i] is where the pieces of the i-th (word, start) begin in found;
	// found holds, for each of them, the ids of word[start:start+1],
	// word[start:start+2] and so on, none where a piece has no id.
	starts []int
	found  []int32
	// first holds the counts of the first pass.
	first []int64
	// characters are the single characters, in order.
	characters []string
	byLength   [][]int32 // ids by length, for Documented
	ids        map[substring]int32
}

type lengthWord struct {
	Word
	length int // in characters
	at     int // index of its start 0 in starts
}

type piece struct {
	text      string
	length    int32
	parent    int32
	character bool
}

const noNode = int32(-1)

func newSearch(words []Word, c Config, lowest int64) *search {
	s := &search{config: c, lowest: max(1, lowest)}
	total := 0
	for _, w := range words {
		l := lengthWord{Word: w, length: utf8.RuneCountInString(w.Text), at: total}
		total += l.length
		s.words = append(s.words, l)
	}
	s.number()
	s.find(total)
	s.first = make([]int64, len(s.pieces))
	s.count(s.first, nil)
	if c.Mode == documented {
		s.byLength = make([][]int32, c.MaxCharacters+1)
		for id, p := range s.pieces {
			s.byLength[p.length] = append(s.byLength[p.length], int32(id))
		}
	}
	return s
}

// substring is a piece while ids are given out: inner tells pieces within a
// word from those at its start.
type substring struct {
	text  string
	inner bool
}

// number gives ids to the pieces that are counted lowest times or more.
func (s *search) number() {
	counts := map[substring]int64{}
	characters := map[string]bool{}
	for _, w := range s.words {
		for start := range w.Text {
			rest := w.Text[start:]
			inner := start > 0 && s.config.Joiner != ""
			_, size := utf8.DecodeRuneInString(rest)
			characters[rest[:size]] = true
			if s.config.Mode == reference {
				counts[substring{rest, inner}] += w.Count
				continue
			}
			for end := range rest {
				if end > 0 {
					counts[substring{rest[:end], inner}] += w.Count
				}
			}
			counts[substring{rest, inner}] += w.Count
		}
	}
	for c := range characters {
		s.characters = append(s.characters, c)
	}
	slices.Sort(s.characters)
	keep := make([]substring, 0, len(counts))
	for p, n := range counts {
		_, size := utf8.DecodeRuneInString(p.text)
		if n >= s.lowest && size < len(p.text) {
			keep = append(keep, p)
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
	for id, p := range keep {
		length := utf8.RuneCountInString(p.text)
		text := p.text
		if p.inner {
			text = s.config.Joiner + text
		}
		s.pieces[id] = piece{text: text, length: int32(length), parent: noNode, character: length == 1}
	}
	s.ids = make(map[substring]int32, len(keep))
	for id, p := range keep {
		s.ids[p] = int32(id)
	}
	for id, p := range keep {
		_, size := utf8.DecodeLastRuneInString(p.text)
		if parent, ok := s.ids[substring{p.text[:len(p.text)-size], p.inner}]; ok && size < len(p.text) {
			s.pieces[id].parent = parent
		}
	}
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
func (s *search) find(total int) {
	s.starts = make([]int, total+1)
	next := 0
	for _, w := range s.words {
		for i := range w.length {
			s.starts[w.at+i] = next
			next += w.length - i
		}
	}
	s.starts[total] = next
	s.found = make([]int32, next)
	s.parallel(func(words []lengthWord) {
		for _, w := range words {
			i := w.at
			for start := range w.Text {
				inner := start > 0 && s.config.Joiner != ""
				position := s.starts[i]
				rest := w.Text[start:]
				for end := 0; end < len(rest); {
					_, size := utf8.DecodeRuneInString(rest[end:])
					end += size
					id, ok := s.ids[substring{rest[:end], inner}]
					if !ok {
						id = noNode
					}
					s.found[position] = id
					position++
				}
				i++
			}
		}
	})
	s.ids = nil
}

// parallel calls work with parts of the words, one part a core.
func (s *search) parallel(work func([]lengthWord)) {
	parts := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for i := range parts {
		part := s.words[len(s.words)*i/parts : len(s.words)*(i+1)/parts]
		group.Go(func() { work(part) })
	}
	group.Wait()
}
