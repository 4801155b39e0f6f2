package wordpiece

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Hangul syllables and their parts (The Unicode Standard, section 3.12).
const (
	syllableFirst = 0xAC00
	syllableLast  = 0xD7A3
	leadFirst     = 0x1100
	vowelFirst    = 0x1161
	tailBefore    = 0x11A7 // there is no tail 0
	vowelCount    = 21
	tailCount     = 28
)

// appendSyllable appends the two or three parts of a Hangul syllable.
func appendSyllable(word []byte, r rune) []byte {
	index := r - syllableFirst
	tail := index % tailCount
	index /= tailCount
	word = utf8.AppendRune(word, leadFirst+index/vowelCount)
	word = utf8.AppendRune(word, vowelFirst+index%vowelCount)
	if tail != 0 {
		word = utf8.AppendRune(word, tailBefore+tail)
	}
	return word
}

// rank returns the rank of the combining class of a character that is not
// stripped, 0 for class 0.
func rank(r rune) uint8 {
	if r < reordered[0].lo {
		return 0
	}
	for _, row := range reordered {
		if row.lo <= r && r <= row.hi {
			return row.class
		}
	}
	return 0
}

// appendReordered appends the characters of text from i on up to the next one of
// combining class 0 in canonical order, and returns where it stopped. The first
// one's kind is reorder. Marks are stripped after reordering, so those of class 0
// count here; what cleaning drops does not.
func (f *folding) appendReordered(word []byte, text string, i int) ([]byte, int) {
	type ranked struct {
		r    rune
		rank uint8
	}
	var room [8]ranked
	pending := room[:0]
	flush := func() {
		slices.SortStableFunc(pending, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
		for _, p := range pending {
			word = utf8.AppendRune(word, p.r)
		}
		pending = pending[:0]
	}
	add := func(r rune) {
		if n := rank(r); n > 0 {
			pending = append(pending, ranked{r, n})
			return
		}
		flush()
		word = utf8.AppendRune(word, r)
	}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		a := f.action(r)
		switch a.kind() {
		case reorder:
			if !a.replaces() {
				add(r)
				break
			}
			for parts := f.text(a); len(parts) > 0; {
				part, n := utf8.DecodeRune(parts)
				add(part)
				parts = parts[n:]
			}
		case drop:
		default:
			flush()
			return word, i
		}
		i += size
	}
	flush()
	return word, i
}
