// Package contamination finds texts of tests among texts of a training: those that are equal as
// a whole but for case, punctuation, spaces and compatibility forms.
//
// # Normal form
//
// A text is normalised to NFKC, its case is folded, and white space, punctuation (Unicode P) and
// modifier symbols (Sk, such as the grave accent that stands for a quote) are left out. So tokens
// that were parted, as in "ca n't", are joined again. The whole of what is left is compared, by
// its XXH3-128; texts of which nothing is left are equal to none.
//
// A text of a test is in a training where it is one of its texts, or several sentences of a
// document that follow each other and make it up.
package contamination

import (
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key stands for the normal form of a text.
type Key = xxh3.Uint128

// Keyer makes keys. It holds working memory: use one per goroutine. Once that has grown to the
// longest text, keys of texts in ASCII allocate nothing.
type Keyer struct {
	fold               cases.Caser
	whole, form, lower []byte
	ends               []int
}

// NewKeyer returns a keyer.
func NewKeyer() *Keyer { return &Keyer{fold: cases.Fold()} }

// Key returns the key of parts that follow each other; ok is false where nothing is left of them.
func (k *Keyer) Key(parts ...string) (key Key, ok bool) {
	k.whole = k.whole[:0]
	for _, p := range parts {
		k.add(p)
	}
	return xxh3.Hash128(k.whole), len(k.whole) > 0
}

// add appends the normal form of a text.
func (k *Keyer) add(text string) {
	start := len(k.whole)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			k.whole = k.whole[:start]
			k.addUnicode(text)
			return
		case 'A' <= c && c <= 'Z':
			k.whole = append(k.whole, c|0x20)
		case significant(rune(c)):
			k.whole = append(k.whole, c)
		}
	}
}

func (k *Keyer) addUnicode(text string) {
	k.form = norm.NFKC.AppendString(k.form[:0], text)
	k.lower = append(k.lower[:0], k.fold.Bytes(k.form)...)
	k.form = norm.NFKC.Append(k.form[:0], k.lower...) // folding may part what NFKC joins
	for i := 0; i < len(k.form); {
		r, size := utf8.DecodeRune(k.form[i:])
		if significant(r) {
			k.whole = append(k.whole, k.form[i:i+size]...)
		}
		i += size
	}
}

func significant(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.Is(unicode.Sk, r) && !unicode.IsControl(r)
}

// Set is the texts of tests that are looked for.
type Set map[Key]bool

// Add puts a text into the set.
func (s Set) Add(k *Keyer, text string) {
	if key, ok := k.Key(text); ok {
		s[key] = true
	}
}

// mostSentences is the number of sentences of a document that may make up a text together.
const mostSentences = 8

// Mark adds to matches the texts of the set that are among texts that follow each other in a
// document, or in one text alone. It returns how many were looked at.
func (s Set) Mark(matches Set, k *Keyer, sentences ...string) int {
	k.whole, k.ends = k.whole[:0], append(k.ends[:0], 0)
	for _, text := range sentences {
		k.add(text)
		k.ends = append(k.ends, len(k.whole))
	}
	for i := range sentences {
		for _, end := range k.ends[i+1 : min(len(k.ends), i+1+mostSentences)] {
			if text := k.whole[k.ends[i]:end]; len(text) > 0 {
				if key := xxh3.Hash128(text); s[key] {
					matches[key] = true
				}
			}
		}
	}
	return len(sentences)
}
