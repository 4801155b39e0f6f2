package wordpiece

import (
	"bytes"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"
)

// Tokenizer turns text into ids of a vocabulary. It is immutable and safe for
// concurrent use: one serves all goroutines.
type Tokenizer struct {
	vocabulary *Vocabulary
	options    Options
	folding    *folding
	automaton  *automaton
	unknown    int32
	characters int
	marks      [utf8.RuneSelf]int32
	caches     *sync.Pool // of *wordCache
}

// What marks has of an ASCII character besides the ids of those that stand alone.
const (
	betweenWords = -1
	inWord       = -2
)

// threeBytes begins the characters of scripts, as Chinese, whose words end at spaces seldom or are too long for the cache.
const threeBytes = 0xe0

// New returns a tokenizer. The vocabulary must have the unknown token of its
// SpecialTokens; the error names that and the fault of the options.
func New(v *Vocabulary, o Options) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("make tokenizer: %w", err)
	}
	if err := v.require(v.special.Unknown); err != nil {
		return nil, fmt.Errorf("make tokenizer: %w", err)
	}
	unknown, _ := v.ID(v.special.Unknown)
	caches := &sync.Pool{New: func() any { return new(wordCache) }}
	t := &Tokenizer{vocabulary: v, options: o, folding: newFolding(o), automaton: v.automaton, unknown: unknown,
		characters: o.maxCharacters(), caches: caches}
	for c := range t.marks {
		t.marks[c] = inWord
		switch t.folding.action(rune(c)).kind() {
		case alone:
			ids, _ := t.encodeNext(nil, string(rune(c)), 0, nil)
			t.marks[c] = ids[0]
		case space:
			t.marks[c] = betweenWords
		}
	}
	return t, nil
}

// Vocabulary returns the vocabulary.
func (t *Tokenizer) Vocabulary() *Vocabulary { return t.vocabulary }

// Options returns the options.
func (t *Tokenizer) Options() Options { return t.options }

// Encode appends the ids of text to dst, without special tokens around them. It
// allocates nothing but room in dst and a cache of words (see wordCache), and its cost is linear in the text.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	return t.EncodeUpTo(dst, text, math.MaxInt)
}

// EncodeUpTo is Encode of only as much of the text as gives the number of ids, or a few more.
func (t *Tokenizer) EncodeUpTo(dst []int32, text string, most int) []int32 {
	cache := t.caches.Get().(*wordCache)
	start, next := len(dst), 0 // next is where the cache is asked again
	for i := 0; i < len(text) && len(dst)-start < most; {
		c := text[i]
		if c < utf8.RuneSelf && t.marks[c] != inWord {
			if i++; t.marks[c] >= 0 {
				dst = append(dst, t.marks[c])
			}
			continue
		}
		if c < threeBytes && i >= next && cache.pays() {
			run, n := runOf(text, i)
			end := i + n
			if n > 0 && n <= longest && (end == len(text) || t.marks[text[end]] != inWord) {
				dst = cache.encode(dst, run, text[i:end], t)
				i = end
				continue
			}
			next = end // there are no marks before
		}
		dst, i = t.encodeNext(dst, text, i, cache.folded[:0])
	}
	t.caches.Put(cache)
	return dst
}

// encodeNext appends the ids of the next word of text from i on, and returns where to go on. Word is room for it.
func (t *Tokenizer) encodeNext(dst []int32, text string, i int, word []byte) ([]int32, int) {
	// No character has more bytes than utf8.UTFMax: a word beyond the limit is too
	// long whatever it holds.
	word, i = t.folding.next(word, text, i, t.characters*utf8.UTFMax)
	switch {
	case len(word) == 0:
		return dst, i
	case t.tooLong(word):
		return append(dst, t.unknown), i
	}
	return t.automaton.match(dst, wordStart, word, t.unknown), i
}

// EncodeWord appends the ids of one word, as Words yields it, to dst. It neither
// folds nor splits it at spaces or punctuation.
func (t *Tokenizer) EncodeWord(dst []int32, word []byte) []int32 {
	switch {
	case len(word) == 0:
		return dst
	case t.tooLong(word):
		return append(dst, t.unknown)
	case bytes.HasPrefix(word, []byte(Joiner)):
		return t.encodeJoiner(dst, word)
	}
	return t.automaton.match(dst, wordStart, word, t.unknown)
}

func (t *Tokenizer) tooLong(word []byte) bool {
	return len(word) > t.characters && characters(word) > t.characters
}

// characters counts the characters of UTF-8. Unlike utf8.RuneCount, it does not
// allocate where it is inlined.
func characters(word []byte) int {
	n := 0
	for _, c := range word {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// encodeJoiner splits a word that begins with the joiner. Its first piece may be
// one that continues words, since the reference compares pieces as they are written.
// The basic tokenizer makes no such word.
func (t *Tokenizer) encodeJoiner(dst []int32, word []byte) []int32 {
	first, end := int32(-1), 0
	for _, start := range []struct {
		root uint32
		at   int
	}{{wordStart, 0}, {wordInside, len(Joiner)}} {
		id, n := t.automaton.longest(start.root, word[start.at:])
		if n > 0 && start.at+n > end {
			first, end = id, start.at+n
		}
	}
	if first < 0 {
		return append(dst, t.unknown)
	}
	start := len(dst)
	dst = append(dst, first)
	if end == len(word) {
		return dst
	}
	dst = t.automaton.match(dst, wordInside, word[end:], t.unknown)
	if dst[len(dst)-1] == t.unknown {
		dst = append(dst[:start], t.unknown)
	}
	return dst
}
