// Package normalform writes texts in the normalization forms of Unicode (Unicode Standard Annex 15) as the normalizers NFC, NFD, NFKC and
// NFKD of Hugging Face tokenizers 0.23.3 do. Their tables are those of Unicode 9, and any number of marks may follow each other;
// golang.org/x/text has later tables, and puts U+034F behind each 30 marks.
//
// Results depend on the form and the text only.
package normalform

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// joiner is what golang.org/x/text puts between marks.
var joiner = []byte("\u034f")

// Append appends the form of a text to dst, which is empty. The text is UTF-8.
func Append(dst []byte, f norm.Form, text []byte) []byte {
	if dst = f.Append(dst, text...); !hasLater(text) && bytes.Count(dst, joiner) == bytes.Count(text, joiner) {
		return dst
	}
	dst = dst[:0]
	for r := range Characters(f, text) {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// Characters yields the characters of Append, each with how many characters of the text less than one it stands for: 1 is a character that
// was added, as the library counts for its offsets.
func Characters(f norm.Form, text []byte) iter.Seq2[rune, int] {
	return func(yield func(rune, int) bool) {
		c := composer{composes: f == norm.NFC || f == norm.NFKC}
		decomposed := norm.NFD
		if f == norm.NFKC || f == norm.NFKD {
			decomposed = norm.NFKD
		}
		var parts []byte
		for len(text) > 0 {
			_, size := utf8.DecodeRune(text)
			parts = append(parts[:0], text[:size]...)
			if size > 1 && !hasLater(parts) {
				parts = decomposed.Append(parts[:0], text[:size]...)
			}
			text = text[size:]
			for i, r := range string(parts) {
				if !c.add(character{r, classOf(r), min(i, 1)}, yield) {
					return
				}
			}
		}
		_ = c.sorted(yield) && c.flush(yield)
	}
}

// character is one of a decomposed text, with its combining class.
type character struct {
	r      rune
	class  uint8
	change int
}

func classOf(r rune) uint8 {
	if r < utf8.RuneSelf || isLater(r) {
		return 0
	}
	var room [utf8.UTFMax]byte
	return norm.NFD.Properties(utf8.AppendRune(room[:0], r)).CCC()
}

// composer puts marks in their canonical order, and may compose characters.
type composer struct {
	composes bool
	// marks are those since the last character of class 0, in the order of the text.
	marks []character
	// starter is a character of class 0 that later ones may be composed with, if started, and rest are marks behind it that are not.
	starter character
	started bool
	rest    []character
}

func (c *composer) add(next character, yield func(rune, int) bool) bool {
	if next.class > 0 {
		c.marks = append(c.marks, next)
		return true
	}
	return c.sorted(yield) && c.take(next, yield)
}

// sorted takes the marks.
func (c *composer) sorted(yield func(rune, int) bool) bool {
	slices.SortStableFunc(c.marks, func(a, b character) int { return cmp.Compare(a.class, b.class) })
	for _, mark := range c.marks {
		if !c.take(mark, yield) {
			return false
		}
	}
	c.marks = c.marks[:0]
	return true
}

// take takes the next character in canonical order.
func (c *composer) take(next character, yield func(rune, int) bool) bool {
	if !c.composes || !c.started && next.class > 0 {
		return yield(next.r, next.change)
	}
	if blocked := len(c.rest) > 0 && c.rest[len(c.rest)-1].class >= next.class; c.started && !blocked {
		if r, ok := compose(c.starter.r, next.r); ok {
			c.starter.r = r
			c.starter.change += next.change - 1
			return true
		}
	}
	if next.class > 0 {
		c.rest = append(c.rest, next)
		return true
	}
	if !c.flush(yield) {
		return false
	}
	c.starter, c.started = next, true
	return true
}

// flush yields what is left.
func (c *composer) flush(yield func(rune, int) bool) bool {
	if c.started && !yield(c.starter.r, c.starter.change) {
		return false
	}
	for _, mark := range c.rest {
		if !yield(mark.r, mark.change) {
			return false
		}
	}
	c.started, c.rest = false, c.rest[:0]
	return true
}

// compose returns the character that two make. The first one is of class 0.
func compose(first, second rune) (rune, bool) {
	if second < utf8.RuneSelf {
		return 0, false
	}
	var room [2 * utf8.UTFMax]byte
	pair := utf8.AppendRune(utf8.AppendRune(room[:0], first), second)
	var composed [4 * utf8.UTFMax]byte
	text := norm.NFC.Append(composed[:0], pair...)
	r, size := utf8.DecodeRune(text)
	return r, size == len(text) && !isLater(r)
}
