package wordpiece

import (
	"iter"
	"math"
	"sync"
	"unicode/utf8"
)

// Splitter is BERT's basic tokenizer: it cleans and folds text and splits it into
// words. In this order, each step if the options ask for it:
//
//   - controls, formats, private use and U+FFFD are dropped, white space becomes a
//     space;
//   - Chinese ideographs are set apart;
//   - text is decomposed (NFD), non-spacing marks are dropped;
//   - case is folded;
//   - words end at white space and around punctuation, which stands alone,
//     character by character. ASCII symbols ($ + < = > ^ ` | ~) are punctuation,
//     other symbols are not.
//
// It is immutable and safe for concurrent use.
type Splitter struct {
	folding *folding
	scratch sync.Pool // of *[]byte
}

// NewSplitter returns the basic tokenizer with these options. It ignores
// Options.MaxCharacters.
func NewSplitter(o Options) *Splitter {
	s := &Splitter{folding: newFolding(o)}
	s.scratch.New = func() any { b := make([]byte, 0, 256); return &b }
	return s
}

// Words yields the words of text in order, folded, however long. A word's bytes
// are valid until the next one is asked for. Ranging over it does not allocate.
func (s *Splitter) Words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { s.words(text, yield) }
}

func (s *Splitter) words(text string, yield func([]byte) bool) {
	scratch := s.scratch.Get().(*[]byte)
	word := *scratch
	for i := 0; ; {
		word, i = s.folding.next(word[:0], text, i, math.MaxInt)
		if len(word) == 0 || !yield(word) {
			break
		}
	}
	const keep = 64 << 10 // one endless word must not occupy memory for good
	if cap(word) <= keep {
		*scratch = word[:0]
		s.scratch.Put(scratch)
	}
}

// chunk bounds how far a word may grow between two looks at its length.
const chunk = 64

// next appends the next word of text from i on to word, which is empty, and returns
// where to go on. The word stays empty at the end of the text. Of a word longer than
// limit bytes only the length is meant: more than limit.
func (f *folding) next(word []byte, text string, i, limit int) ([]byte, int) {
	for i < len(text) {
		for _, c := range []byte(text[i:min(i+chunk, len(text))]) {
			folded := f.ascii[c]
			if folded == 0 {
				break
			}
			word = append(word, folded)
			i++
		}
		if len(word) > limit {
			word = word[:limit+1]
		}
		if i == len(text) {
			break
		}
		c := text[i]
		if c == ' ' {
			i++
			if len(word) > 0 {
				return word, i
			}
			continue
		}
		if f.ascii[c] != 0 {
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		a := f.action(r)
		switch a.kind() {
		case letter:
			word = f.appendText(word, a, text[i:i+size])
		case alone:
			if len(word) > 0 {
				return word, i
			}
			return f.appendText(word, a, text[i:i+size]), i + size
		case space:
			if len(word) > 0 {
				return word, i + size
			}
		case reorder:
			word, i = f.appendReordered(word, text, i)
			continue
		case syllable:
			word = appendSyllable(word, r)
		}
		i += size
	}
	return word, i
}

// appendText appends what stands for a character.
func (f *folding) appendText(word []byte, a action, character string) []byte {
	if a.replaces() {
		return append(word, f.text(a)...)
	}
	return append(word, character...)
}
