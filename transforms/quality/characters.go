package quality

import (
	"sync"
	"unicode"
)

// class is what a character is, as the filters count it.
type class uint8

const (
	other class = iota // format characters, unassigned, private use
	letter
	upper
	lower
	mark
	digit
	punctuation // Unicode P and S
	space
	emoji
	control
	replacement
	classes
)

// character packs a class and, for letters, an index into scripts.
type character uint16

func (c character) class() class { return class(c & 15) }
func (c character) script() int  { return int(c >> 4) }

// script is a writing system that filters know by name.
type script struct {
	// code is that of ISO 15924, name that of package unicode.
	code, name string
	// dense: a character is a word or a syllable, so short texts say much.
	dense bool
	// unspaced: words are not separated by white space.
	unspaced bool
	// word is the usual number of letters in a word, where unspaced.
	word int
	// weight is the number of letters of an alphabet that one letter is worth; 0
	// stands for 1. It is that of dense and of unspaced scripts only: letters of the
	// English side of Tatoeba by those of the other, 2.8 for Chinese, 2.1 for Korean,
	// 1.9 for Japanese (26 % of it Han), 1.7 for Khmer, 1.6 for Amharic, 1.2 for
	// Thai (their marks are no letters), in halves.
	weight float64
}

// scripts are at most 63, so that a set of them is a uint64. The first entry
// stands for characters that are no letters, or of scripts not listed.
var scripts = []script{
	{},
	{code: "Latn", name: "Latin"}, {code: "Cyrl", name: "Cyrillic"}, {code: "Grek", name: "Greek"},
	{code: "Armn", name: "Armenian"}, {code: "Geor", name: "Georgian"}, {code: "Hebr", name: "Hebrew"},
	{code: "Arab", name: "Arabic"}, {code: "Syrc", name: "Syriac"}, {code: "Thaa", name: "Thaana"},
	{code: "Nkoo", name: "Nko"}, {code: "Ethi", name: "Ethiopic", dense: true, weight: 1.5}, {code: "Tfng", name: "Tifinagh"},
	{code: "Adlm", name: "Adlam"}, {code: "Copt", name: "Coptic"}, {code: "Goth", name: "Gothic"},
	{code: "Deva", name: "Devanagari"}, {code: "Beng", name: "Bengali"}, {code: "Guru", name: "Gurmukhi"},
	{code: "Gujr", name: "Gujarati"}, {code: "Orya", name: "Oriya"}, {code: "Taml", name: "Tamil"},
	{code: "Telu", name: "Telugu"}, {code: "Knda", name: "Kannada"}, {code: "Mlym", name: "Malayalam"},
	{code: "Sinh", name: "Sinhala"}, {code: "Olck", name: "Ol_Chiki"}, {code: "Mtei", name: "Meetei_Mayek"},
	{code: "Mong", name: "Mongolian"}, {code: "Cher", name: "Cherokee", dense: true, weight: 1.5}, {code: "Cans", name: "Canadian_Aboriginal", dense: true, weight: 1.5},
	{code: "Hang", name: "Hangul", dense: true, weight: 2},
	{code: "Hani", name: "Han", dense: true, unspaced: true, word: 2, weight: 3},
	{code: "Hira", name: "Hiragana", dense: true, unspaced: true, word: 3, weight: 1.5},
	{code: "Kana", name: "Katakana", dense: true, unspaced: true, word: 3, weight: 1.5},
	{code: "Bopo", name: "Bopomofo", dense: true, unspaced: true, word: 2, weight: 1.5},
	{code: "Yiii", name: "Yi", dense: true, unspaced: true, word: 2, weight: 2},
	{code: "Thai", name: "Thai", unspaced: true, word: 3, weight: 1.5}, {code: "Laoo", name: "Lao", unspaced: true, word: 3, weight: 1.5},
	{code: "Khmr", name: "Khmer", unspaced: true, word: 3, weight: 1.5}, {code: "Mymr", name: "Myanmar", unspaced: true, word: 3, weight: 1.5},
	{code: "Tibt", name: "Tibetan", unspaced: true, word: 3, weight: 1.5}, {code: "Java", name: "Javanese", unspaced: true, word: 3, weight: 1.5},
	{code: "Bali", name: "Balinese", unspaced: true, word: 3, weight: 1.5},
}

// tableSize covers the basic and the first supplementary plane; what lies above
// is Han where it is a letter.
const tableSize = 0x20000

// table is built when first used, from package unicode: 256 KB in about 2 ms.
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
	as := func(x class) func(character) character {
		return func(character) character { return character(x) }
	}
	fill(unicode.L, as(letter))
	fill(unicode.Lu, as(upper))
	fill(unicode.Lt, as(upper))
	fill(unicode.Ll, as(lower))
	fill(unicode.M, as(mark))
	fill(unicode.Nd, as(digit))
	fill(unicode.P, as(punctuation))
	fill(unicode.S, as(punctuation))
	fill(unicode.White_Space, as(space))
	for i, s := range scripts[1:] {
		fill(unicode.Scripts[s.name], func(c character) character {
			if x := c.class(); x == letter || x == upper || x == lower {
				return c | character(i+1)<<4
			}
			return c
		})
	}
	// Emoji and pictographs: the blocks, since package unicode has no such property.
	for _, r := range [][2]int{{0x2600, 0x27bf}, {0x2b50, 0x2b55}, {0x1f000, 0x1faff}} {
		for c := r[0]; c <= r[1]; c++ {
			t[c] = character(emoji)
		}
	}
	for c := range 0xa0 {
		if c < ' ' || c >= 0x7f {
			t[c] = character(control)
		}
	}
	t['\t'], t['\n'], t['\r'] = character(space), character(space), character(space)
	t[0x85] = character(space) // next line
	t[unicode.ReplacementChar] = character(replacement)
	t[0x1361] = character(space)                              // Ethiopic wordspace
	t[0x0f0b], t[0x0f0c] = character(other), character(other) // Tibetan marks between syllables
	return t
})

// classify returns what r is.
func classify(t *[tableSize]character, r rune) character {
	if r < tableSize {
		return t[r]
	}
	if unicode.Is(unicode.Han, r) {
		return character(letter) | character(hanScript)<<4
	}
	return character(other)
}

// hanScript is the index of Han in scripts.
const hanScript = 32
