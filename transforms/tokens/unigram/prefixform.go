package unigram

import (
	"bytes"
	"unicode/utf8"
)

// mark begins the pieces that begin words.
const mark = "▁"

// prefixForm is SentencePiece's own normalizer: what stands for the longest string of the map that the text begins with, else a
// character as it is, and so on; a mark for each space.
type prefixForm struct {
	charsmap *charsmap // nil for none
	// inert are the characters of ASCII that stay as they are, whatever character of ASCII comes next.
	inert [utf8.RuneSelf]bool
	// prefix puts a space before a text, and trim leaves out spaces at the ends of a text and behind others.
	prefix, trim bool
}

// inert says of each character of ASCII whether no string of the map is that character, or begins with it and another one.
func (c *charsmap) inert() (table [utf8.RuneSelf]bool) {
	for first := range byte(utf8.RuneSelf) {
		node, leaf, ok := c.child(offset(c.units[0]), first)
		table[first] = first != 0 && !leaf
		for second := range byte(utf8.RuneSelf) {
			if _, _, follows := c.child(node, second); ok && follows {
				table[first] = false
			}
		}
	}
	return table
}

func (f prefixForm) apply(s *scratch) {
	text, spaced, started := s.text.bytes, f.trim, false
	for i := 0; i < len(text); {
		replacement, size := f.next(text[i:])
		if spaced {
			replacement = bytes.TrimLeft(replacement, " ")
		}
		var o origin
		if s.text.tracked {
			o = origin{s.text.origins[i].start, s.text.origins[i+size-1].end}
		}
		if !started && f.prefix && (len(replacement) > 0 || !f.trim) {
			s.next.bytes = append(s.next.bytes, mark...)
			s.next.span(len(mark), o)
			started = true
		}
		n := len(s.next.bytes)
		for rest := replacement; len(rest) > 0; {
			space := bytes.IndexByte(rest, ' ')
			if space < 0 {
				s.next.bytes = append(s.next.bytes, rest...)
				break
			}
			s.next.bytes = append(append(s.next.bytes, rest[:space]...), mark...)
			rest = rest[space+1:]
		}
		s.next.span(len(s.next.bytes)-n, o)
		if len(replacement) > 0 {
			spaced = f.trim && replacement[len(replacement)-1] == ' '
		}
		i += size
	}
	if f.trim {
		for bytes.HasSuffix(s.next.bytes, []byte(mark)) {
			s.next.bytes = s.next.bytes[:len(s.next.bytes)-len(mark)]
		}
		if s.next.tracked {
			s.next.origins = s.next.origins[:len(s.next.bytes)]
		}
	}
}

// next returns what stands for the beginning of a text, which is not empty, and its size.
func (f prefixForm) next(text []byte) (replacement []byte, size int) {
	if text[0] < utf8.RuneSelf && f.inert[text[0]] && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1], 1
	}
	if f.charsmap != nil {
		if replacement, size = f.charsmap.findLongest(text); size > 0 {
			return replacement, size
		}
	}
	_, size = utf8.DecodeRune(text)
	return text[:size], size
}
