package unigram

import (
	"slices"
	"sync"
	"unicode/utf8"
	"unsafe"

	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/doublearray"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/wordcache"
)

// Tokenizer turns text into ids of its own vocabulary. It is immutable and safe for
// concurrent use: one serves all goroutines.
type Tokenizer struct {
	pieces.Table
	steps     []step
	splitters []splitter
	nodes     []doublearray.Node
	scores    []float64
	// unknown is what a character without a piece costs.
	unknown   float64
	unknownID int32
	// single has sums of scores rounded to float32, as SentencePiece itself has them: that decides ties.
	single bool
	// bytes are the ids of all bytes, for characters without a piece; nil if they are unknown.
	bytes []int32
	pool  sync.Pool
}

// Vocabulary returns t.
func (t *Tokenizer) Vocabulary() tokens.Vocabulary { return t }

// Encode appends the ids of text to dst, without special tokens around them. It
// allocates nothing but room in dst, and its cost is linear in the text. Words that it has
// met are in a cache, of wordcache.MemoryBytes for each goroutine that encodes.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	s := t.split(text, false)
	if s.words == nil {
		s.words = wordcache.New(func(dst []int32, word string) []int32 {
			for _, f := range t.segment(s, []byte(word)) {
				dst = append(dst, f.id)
			}
			return dst
		})
	}
	for _, c := range s.cuts {
		word := s.text.bytes[c.start:c.end]
		dst = s.words.Append(dst, unsafe.String(unsafe.SliceData(word), len(word)))
	}
	t.release(s)
	return dst
}

// Each calls use with the pieces of a text in their order: the id of each, the normalized text that it stands for, which is valid during
// the call, and whether the vocabulary has it. It allocates nothing.
func (t *Tokenizer) Each(text string, use func(id int32, piece []byte, listed bool)) {
	s := t.split(text, false)
	for _, c := range s.cuts {
		for _, f := range t.segment(s, s.text.bytes[c.start:c.end]) {
			use(f.id, s.text.bytes[c.start+f.start:c.start+f.end], f.id != t.unknownID)
		}
	}
	t.release(s)
}

// Spans appends the ids of Encode, each with the bytes of text that it stands for; bytes that are taken
// together for normalization stand together.
func (t *Tokenizer) Spans(dst []tokens.Span, text string) []tokens.Span {
	s := t.split(text, true)
	for _, c := range s.cuts {
		for _, f := range t.segment(s, s.text.bytes[c.start:c.end]) {
			start, end := s.text.origins[c.start+f.start].start, s.text.origins[c.start+f.end-1].end
			dst = append(dst, tokens.Span{ID: f.id, Start: start, End: end})
		}
	}
	t.release(s)
	return dst
}

// split normalizes a text and cuts it into pieces that are segmented one by one.
func (t *Tokenizer) split(given string, tracked bool) *scratch {
	s := t.pool.Get().(*scratch)
	s.text.read(given, tracked)
	for _, step := range t.steps {
		s.next.reset(tracked)
		step.apply(s)
		s.swap()
	}
	s.cuts = s.cuts[:0]
	if len(s.text.bytes) > 0 {
		s.cuts = append(s.cuts, cut{0, len(s.text.bytes)})
	}
	for _, splitter := range t.splitters {
		s.others = s.others[:0]
		splitter.split(s)
		s.cuts, s.others = s.others, s.cuts
	}
	return s
}

// release keeps the memory of a call for others, but not that of a very long text.
func (t *Tokenizer) release(s *scratch) {
	if cap(s.path) < 1<<16 && cap(s.text.bytes)+cap(s.next.bytes) < 1<<20 {
		t.pool.Put(s)
	}
}

// place is where a piece may end: the score of the best way to it, and the last piece on that way.
type place struct {
	score float64
	start int32 // of the last piece, -1 before any is found
	id    int32
}

// match is a piece, the bytes [start, end).
type match struct {
	id         int32
	start, end int
}

// segment finds the pieces whose scores have the greatest sum, as SentencePiece does: characters without a
// piece cost more than any piece, and stand together; of equal sums that whose last piece begins first
// stays. The result is valid until the next call.
func (t *Tokenizer) segment(s *scratch, text []byte) []match {
	s.path = append(s.path[:0], place{})
	for range text {
		s.path = append(s.path, place{start: -1})
	}
	path, nodes := s.path, t.nodes
	for i := 0; i < len(text); {
		size := 1
		if text[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(text[i:])
		}
		score, alone := path[i].score, false
		state := doublearray.Root
		n := nodes[state]
		for k := i; k < len(text); k++ {
			next := n.Base ^ uint32(text[k])
			child := nodes[next]
			if child.Check != state {
				break
			}
			state, n = next, child
			if n.Value == 0 {
				continue
			}
			id := int32(n.Value - 1)
			sum := score + t.scores[id]
			if t.single {
				sum = float64(float32(sum))
			}
			if p := &path[k+1]; p.start < 0 || sum > p.score {
				*p = place{sum, int32(i), id}
			}
			alone = alone || k+1 == i+size
		}
		if p, sum := &path[i+size], score+t.unknown; !alone {
			if t.single {
				sum = float64(float32(sum))
			}
			if p.start < 0 || sum > p.score {
				*p = place{sum, int32(i), t.unknownID}
			}
		}
		i += size
	}
	s.matches = s.matches[:0]
	for end := len(text); end > 0; {
		p := path[end]
		start := int(p.start)
		if p.id == t.unknownID {
			for start > 0 && path[start].id == t.unknownID {
				start = int(path[start].start)
			}
			if t.bytes != nil {
				for i := end - 1; i >= start; i-- {
					s.matches = append(s.matches, match{t.bytes[text[i]], start, end})
				}
				end = start
				continue
			}
		}
		s.matches = append(s.matches, match{p.id, start, end})
		end = start
	}
	slices.Reverse(s.matches)
	return s.matches
}
