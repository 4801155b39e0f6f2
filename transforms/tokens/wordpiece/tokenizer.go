package wordpiece

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"

	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/wordcache"
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
	caches     sync.Pool // of *wordcache.Cache
}

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
	t := &Tokenizer{vocabulary: v, options: o, folding: newFolding(o), automaton: v.automaton, unknown: unknown,
		characters: o.maxCharacters()}
	t.caches.New = func() any { return wordcache.New(t.encode) }
	return t, nil
}

// Vocabulary returns the vocabulary.
func (t *Tokenizer) Vocabulary() tokens.Vocabulary { return t.vocabulary }

// Options returns the options.
func (t *Tokenizer) Options() Options { return t.options }

// Encode appends the ids of text to dst, without special tokens around them. It
// allocates nothing but room in dst, and its cost is linear in the text. What it has
// met is in a cache, of wordcache.MemoryBytes for each goroutine that encodes.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	c := t.caches.Get().(*wordcache.Cache)
	dst = c.AppendText(dst, text)
	t.caches.Put(c)
	return dst
}

// encode is Encode without a cache. The white space at which a cache splits texts
// ends words whatever the options are, and nothing is reordered across it.
func (t *Tokenizer) encode(dst []int32, text string) []int32 {
	var scratch [512]byte
	// No character has more bytes than utf8.UTFMax: a word beyond the limit is too
	// long whatever it holds, and scratch seldom has to move to the heap.
	limit := t.characters * utf8.UTFMax
	word := scratch[:0]
	for i := 0; ; {
		word, i = t.folding.next(word[:0], text, i, limit)
		if len(word) == 0 {
			return dst
		}
		if t.tooLong(word) {
			dst = append(dst, t.unknown)
			continue
		}
		dst = t.automaton.match(dst, wordStart, word, t.unknown)
	}
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
