package contamination

import (
	"cmp"
	"slices"

	"github.com/zeebo/xxh3"
)

// mostSentences is the number of sentences of a document that may make up a text together.
const mostSentences = 8

// Scanner looks for the texts of an index. It holds working memory: use one per goroutine.
type Scanner struct {
	index  *Index
	normal *normal
	// ends are where sentences end in the normal form, tokens and sentences those of its tokens.
	ends      []int
	sentences []int32
	hashes    []uint64
	prefixes  []uint64
	// candidates are texts of which n-grams were found, spare those of earlier documents.
	candidates map[uint32]*candidate
	spare      []*candidate
	hits       []Hit
}

// candidate is a text of which n-grams were found.
type candidate struct {
	// covered are the tokens that were found, as bits, and found their weights.
	covered []uint64
	found   int
	// from and last are the tokens of the training from the first to the last of them.
	from, last int
	// best is the hit of the most evidence, ok whether there is one.
	best int
	hit  Hit
}

// NewScanner returns a scanner.
func (x *Index) NewScanner() *Scanner {
	return &Scanner{index: x, normal: newNormal(), candidates: map[uint32]*candidate{}}
}

// Find returns the number of the text that equals another as a whole, whatever its evidence; ok is false where there is
// none.
func (s *Scanner) Find(text string) (number int, ok bool) {
	s.normal.reset()
	s.normal.add(text)
	n, ok := s.index.whole[xxh3.Hash128(s.normal.whole)]
	return int(n), ok
}

// Scan returns the texts of the index that are in sentences that follow each other in a document, or in one text alone,
// each once, in their order. The hits are valid until the next call.
//
// It takes about 5 ns a byte, and more where n-grams of tests are.
func (s *Scanner) Scan(sentences ...string) []Hit {
	n := s.normal
	n.reset()
	s.ends, s.sentences, s.hits = append(s.ends[:0], 0), s.sentences[:0], s.hits[:0]
	for i, text := range sentences {
		n.add(text)
		s.ends = append(s.ends, len(n.whole))
		for len(s.sentences) < len(n.tokens) {
			s.sentences = append(s.sentences, int32(i))
		}
	}
	s.scanGrams(sentences)
	s.scanWhole(sentences)
	slices.SortFunc(s.hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(b.Share, a.Share), cmp.Compare(a.First, b.First),
			cmp.Compare(a.Last, b.Last))
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b Hit) bool { return a.Item == b.Item })
	return s.hits
}

// scanWhole looks for texts that sentences are as a whole.
func (s *Scanner) scanWhole(sentences []string) {
	for i := range len(s.ends) - 1 {
		for j := i + 1; j < len(s.ends) && j <= i+mostSentences && s.ends[j]-s.ends[i] <= s.index.longest; j++ {
			if s.ends[j] == s.ends[j-1] {
				continue
			}
			k := xxh3.Hash128(s.normal.whole[s.ends[i]:s.ends[j]])
			if !s.index.has(k.Hi) {
				continue
			}
			if item, ok := s.index.whole[k]; ok && s.index.Evident(int(item)) {
				s.hits = append(s.hits, Hit{Item: int(item), Share: 1, Bits: s.index.bits(int(item)), First: i, Last: j - 1,
					End: len(sentences[j-1])})
			}
		}
	}
}

// scanGrams looks for texts that are contained.
func (s *Scanner) scanGrams(sentences []string) {
	s.hashes = s.hashes[:0]
	for i := range s.normal.tokens {
		s.hashes = append(s.hashes, xxh3.Hash(s.normal.token(i)))
	}
	s.prefixes = appendPrefixes(s.prefixes[:0], s.hashes)
	for i, unspaced := range s.normal.unspaced { // the tokens themselves are not needed any more
		s.hashes[i], _ = gramAt(s.prefixes, i, unspaced)
	}
	for i, hash := range s.hashes { // on its own: so the filter is read ahead
		if s.index.has(hash) {
			for _, g := range s.index.gramsOf(hash) {
				s.cover(g, i, s.normal.unspaced[i])
			}
		}
	}
	for text, c := range s.candidates {
		if c.best > 0 {
			s.hits = append(s.hits, s.place(c.hit, sentences))
		}
		s.spare = append(s.spare, c)
		delete(s.candidates, text)
	}
}

// place says in which sentences a hit is that begins and ends with some tokens.
func (s *Scanner) place(h Hit, sentences []string) Hit {
	first, last := h.Start, h.End
	h.First, h.Last = int(s.sentences[first]), int(s.sentences[last])
	h.Start, h.End = s.normal.origins[first], len(sentences[h.Last])
	if next := last + 1; next < len(s.sentences) && int(s.sentences[next]) == h.Last {
		h.End = s.normal.origins[next]
	}
	return h
}

// cover counts an n-gram of a text that ends at a token of the training.
func (s *Scanner) cover(g gram, token int, unspaced bool) {
	x, length := s.index, wordGram
	if unspaced {
		length = characterGram
	}
	weights := x.weights[x.first[g.text]:x.first[g.text+1]]
	c := s.candidates[g.text]
	switch {
	case c == nil:
		if last := len(s.spare) - 1; last >= 0 {
			c, s.spare = s.spare[last], s.spare[:last]
		} else {
			c = &candidate{}
		}
		s.candidates[g.text] = c
		c.best = 0
		c.begin(len(weights), token+1-length)
	case token-c.last > len(weights): // what is farther apart is not of one copy
		c.begin(len(weights), token+1-length)
	}
	c.last = token
	for i := int(g.end) + 1 - length; i <= int(g.end); i++ {
		if c.covered[i>>6]&(1<<(i&63)) == 0 {
			c.covered[i>>6] |= 1 << (i & 63)
			c.found += int(weights[i])
		}
	}
	found := float64(c.found) / weightsOfABit
	if c.found <= c.best || found < x.config.ContainedBits {
		return
	}
	if share := found / x.bits(int(g.text)); share >= x.config.Share {
		c.best, c.hit = c.found, Hit{Item: int(g.text), Share: share, Bits: found, Start: c.from, End: token}
	}
}

// begin begins with a text of so many tokens, of which none is found, at a token of the training.
func (c *candidate) begin(tokens, from int) {
	words := (tokens + 63) / 64
	c.covered = slices.Grow(c.covered[:0], words)[:words]
	clear(c.covered)
	c.found, c.from = 0, from
}
