package wordpiece

import (
	"iter"
	"math"
	"unicode/utf8"
)

// Span is a word of a text and where it stands: the bytes [Start, End) of the text
// are the word before folding.
type Span struct {
	// Word is folded, as Words yields it. Its bytes are valid until the next span is
	// asked for.
	Word       []byte
	Start, End int
}

// Spans yields the words of Words with their places. A span begins with the first
// character that gives the word something, and holds the marks and controls after
// it that give nothing; spans do not overlap, and white space is in none.
func (s *Splitter) Spans(text string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		var scratch [256]byte
		word := scratch[:0]
		for i := 0; ; {
			start, end := s.folding.skip(text, i), 0
			word, end = s.folding.next(word[:0], text, start, math.MaxInt)
			i = end
			if len(word) == 0 || !yield(Span{word, start, start + s.folding.trimmed(text[start:end])}) {
				return
			}
		}
	}
}

// skip returns where the next character from i on stands that is part of a word.
func (f *folding) skip(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch f.action(r).kind() {
		case space, drop, barrier:
		default:
			return i
		}
		i += size
	}
	return i
}

// trimmed returns the length of a word's text without the white space that ended it.
func (f *folding) trimmed(text string) int {
	r, size := utf8.DecodeLastRuneInString(text)
	if len(text) > 0 && f.action(r).kind() == space {
		return len(text) - size
	}
	return len(text)
}
