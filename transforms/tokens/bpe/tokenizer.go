// Package bpe tokenizes text by byte-level byte pair encoding, as GPT-2 does (Radford et al. 2019), for RoBERTa,
// ModernBERT and what is made of them: text is cut into words, and the bytes of each word are merged pair by pair in the order in which
// the pairs were learned (Sennrich et al. 2016).
//
// # Parity
//
// Ids are those of Hugging Face tokenizers 0.23.3, but that special tokens within a text, as "<s>", are text. Letters,
// numbers and white space are those of Unicode 16.
//
// # Determinism and concurrency
//
// Results depend on the file and the text only. A Tokenizer is immutable, but for words that it keeps: one serves any
// number of goroutines.
package bpe

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/normalform"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/wordcache"
)

// Tokenizer turns text into ids of its own vocabulary.
type Tokenizer struct {
	pieces.Table
	// bytes are the ids of all bytes.
	bytes  [256]int32
	merges merges
	// prefix puts a space before a text that begins without one.
	prefix bool
	// composes has the characters of texts composed (NFC).
	composes bool
	// exact finds added tokens in texts, normal others in what is composed between them.
	exact, normal *matcher
	pool          sync.Pool
}

// scratch is the memory of one call.
type scratch struct {
	symbols []symbol
	heap    heap
	words   *wordcache.Cache
}

func (t *Tokenizer) newScratch() any {
	s := &scratch{}
	s.words = wordcache.New(func(dst []int32, word string) []int32 { return t.merge(dst, word, s) })
	return s
}

// Vocabulary returns t.
func (t *Tokenizer) Vocabulary() tokens.Vocabulary { return t }

// Encode appends the ids of text to dst, without special tokens around them. Each byte that does not belong to a
// character counts as U+FFFD. It allocates nothing but room in dst where text is UTF-8 and no space is put
// before it. Its cost is linear in the text, but for the logarithm of its longest word. Words that it
// has met are in a cache, of wordcache.MemoryBytes for each goroutine that encodes.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	s := t.pool.Get().(*scratch)
	for text != "" {
		start, end, id := t.exact.next(text)
		dst = t.normalize(dst, text[:start], s)
		if text = text[end:]; id >= 0 {
			dst = append(dst, id)
		}
	}
	if cap(s.symbols) < 1<<16 {
		t.pool.Put(s)
	}
	return dst
}

// normalize is Encode of text between added tokens that are found as they are.
func (t *Tokenizer) normalize(dst []int32, text string, s *scratch) []int32 {
	if t.composes && !norm.NFC.IsNormalString(text) {
		text = string(normalform.Append(nil, norm.NFC, []byte(text)))
	}
	if t.prefix && text != "" && text[0] != ' ' {
		text = " " + text
	}
	for text != "" {
		start, end, id := t.normal.next(text)
		dst = t.encode(dst, text[:start], s)
		if text = text[end:]; id >= 0 {
			dst = append(dst, id)
		}
	}
	return dst
}

// encode is Encode of text in which there are no added tokens.
func (t *Tokenizer) encode(dst []int32, text string, s *scratch) []int32 {
	for text != "" {
		n := word(text)
		dst = s.words.Append(dst, text[:n])
		text = text[n:]
	}
	return dst
}

// merge appends the ids of a word.
func (t *Tokenizer) merge(dst []int32, word string, s *scratch) []int32 {
	s.symbols = s.symbols[:0]
	for i := range len(word) {
		s.symbols = append(s.symbols, symbol{id: t.bytes[word[i]]})
	}
	for _, left := range t.merges.merge(s.symbols, &s.heap) {
		dst = append(dst, left.id)
	}
	return dst
}

// Decode returns the text of ids, for inspection. An id outside the vocabulary is shown as "<id 7>".
func (t *Tokenizer) Decode(ids []int32) string {
	decoded := t.Table.Decode(ids)
	var b strings.Builder
	for _, r := range decoded {
		if c, ok := byteOf[r]; ok {
			b.WriteByte(c)
		} else {
			b.WriteRune(r)
		}
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// byteRunes are the characters by which vocabularies write bytes: themselves, if they are seen, or those from 256 on.
var byteRunes, byteOf = func() (list [256]rune, back map[rune]byte) {
	back = map[rune]byte{}
	rest := rune(256)
	for c := range list {
		r := rune(c)
		if r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0xad {
			r = rest
			rest++
		}
		list[c], back[r] = r, byte(c)
	}
	return list, back
}()
