// Package characters counts what a text consists of, in any language: characters by
// class and letters by script. It knows in which scripts one character says as much as
// a word or a syllable, which scripts do not separate words, which scripts a
// language is written in, and simplified from traditional Chinese.
//
// Counts depend on the text alone. Classes follow the Unicode version of the Go
// release.
package characters

import (
	"sync"
	"unicode"
)

// Class is what a character is. Each character has one. Letters are told apart by
// script; the classes are behind the scripts, so that a number below 64 says all of a
// character.
type Class uint8

const (
	Letter Class = iota      // of any script
	Other  Class = iota + 55 // format characters, unassigned, private use
	Mark
	Digit       // decimal digits of any script
	Punctuation // Unicode P and S
	Space       // also the Ethiopic wordspace
	Emoji       // also pictographs
	Control
	Replacement // U+FFFD, and bytes that are not UTF-8
)

// character is a class or, for letters, an index into scripts.
type character uint8

// isLetter reports whether a character is a letter.
func (c character) isLetter() bool { return c < character(Other) }

// tableSize covers the basic and the first supplementary plane; what lies above
// is Han where it is a letter.
const tableSize = 0x20000

// table is built when first used, from package unicode: 128 KB in about 2 ms.
// It never changes afterwards.
var table = sync.OnceValue(func() *[tableSize]character {
	t := new([tableSize]character)
	fill := func(table *unicode.RangeTable, set func(character) character) {
		for _, r := range table.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				t[c] = set(t[c])
			}
		}
		for _, r := range table.R32 {
			for c := r.Lo; c <= r.Hi && c < tableSize; c += r.Stride {
				t[c] = set(t[c])
			}
		}
	}
	constant := func(x Class) func(character) character {
		return func(character) character { return character(x) }
	}
	for i := range t {
		t[i] = character(Other)
	}
	fill(unicode.L, constant(Letter))
	fill(unicode.M, constant(Mark))
	fill(unicode.Nd, constant(Digit))
	fill(unicode.P, constant(Punctuation))
	fill(unicode.S, constant(Punctuation))
	fill(unicode.White_Space, constant(Space))
	for i, s := range scripts[1:] {
		fill(unicode.Scripts[s.name], func(c character) character {
			if c == character(Letter) {
				return character(i + 1)
			}
			return c
		})
	}
	// Emoji and pictographs: the blocks, since package unicode has no such property.
	for _, r := range [][2]int{{0x2600, 0x27bf}, {0x2b50, 0x2b55}, {0x1f000, 0x1faff}} {
		for c := r[0]; c <= r[1]; c++ {
			t[c] = character(Emoji)
		}
	}
	for c := range 0xa0 {
		if c < ' ' || c >= 0x7f {
			t[c] = character(Control)
		}
	}
	t['\t'], t['\n'], t['\r'] = character(Space), character(Space), character(Space)
	t[0x85] = character(Space) // next line
	t[unicode.ReplacementChar] = character(Replacement)
	t[0x1361] = character(Space)                              // Ethiopic wordspace
	t[0x0f0b], t[0x0f0c] = character(Other), character(Other) // Tibetan marks between syllables
	return t
})

// classify returns what r is.
func classify(t *[tableSize]character, r rune) character {
	if r < tableSize {
		return t[r]
	}
	if unicode.Is(unicode.Han, r) {
		return hanScript
	}
	return character(Other)
}

// hanScript is the index of Han in scripts.
const hanScript = 32

// Unspaced says whether a character is a letter of a script that does not separate words by spaces.
func Unspaced(r rune) bool {
	c := classify(table(), r)
	return c.isLetter() && scripts[c].unspaced
}
