package contamination

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/clean/characters"
)

// key stands for the normal form of a text.
type key = xxh3.Uint128

// kind is what a character is to the normal form.
type kind uint8

const (
	composed kind = iota // it changes with its neighbours, or becomes several: the package norm decides
	left                 // it is left out, and parts tokens
	ignored              // it is left out, and parts nothing
	letter               // of a word, or a digit or a symbol
	alone                // a letter of a script without spaces, which is a token
	mark                 // it belongs to the token before
)

// simple is a character whose normal form is one character, whatever stands beside it.
type simple struct {
	folded uint16
	kind   kind
}

// simples are the characters of the basic plane. It is built when it is first used, in about 50 ms.
var simples = sync.OnceValue(func() *[1 << 16]simple {
	table, fold := new([1 << 16]simple), cases.Fold()
	isolated := func(text []byte) (rune, bool) {
		r, size := utf8.DecodeRune(text)
		return r, size == len(text) && r < 1<<16 && norm.NFKC.IsNormal(text) && norm.NFKC.Properties(text).BoundaryBefore()
	}
	table[dotless] = simple{'i', letter}
	for r := range rune(1 << 16) {
		text := utf8.AppendRune(nil, r)
		if _, ok := isolated(text); !ok || r == utf8.RuneError || r == dotless {
			continue
		}
		if folded, ok := isolated(fold.Bytes(text)); ok {
			table[r] = simple{uint16(folded), kindOf(folded)}
		}
	}
	return table
})

// In capitals, the letters of Turkish with and without a dot cannot be told from those of others: ı is i, and the dot
// that İ leaves is ignored.
const (
	dotless = 'ı'
	dot     = '\u0307'
)

// kindOf classifies a character of the normal form.
func kindOf(r rune) kind {
	switch {
	case r == dot, unicode.Is(unicode.Cf, r):
		return ignored
	case unicode.IsSpace(r), unicode.IsPunct(r), unicode.Is(unicode.Sk, r), unicode.IsControl(r):
		return left
	case unicode.IsMark(r), r == 'ー': // which lengthens the character before it
		return mark
	case characters.Unspaced(r):
		return alone
	}
	return letter
}

// normal is the normal form of texts that follow each other. It is working memory: once that has grown to
// the longest texts, texts of characters that are simple allocate nothing.
type normal struct {
	table *[1 << 16]simple
	fold  cases.Caser
	// whole is the normal form of all texts.
	whole []byte
	// tokens are where the tokens begin in whole, origins where in their text, and unspaced which are of scripts without
	// spaces.
	tokens, origins []int
	unspaced        []bool
	// inside says that the last token goes on.
	inside       bool
	form, folded []byte
}

func newNormal() *normal { return &normal{table: simples(), fold: cases.Fold()} }

// reset begins with no text.
func (n *normal) reset() {
	n.whole, n.tokens, n.origins, n.unspaced, n.inside = n.whole[:0], n.tokens[:0], n.origins[:0], n.unspaced[:0], false
}

// add appends the normal form of a text, which begins a token.
func (n *normal) add(text string) {
	n.inside = false
	for i := n.addASCII(text, 0); i < len(text); i = n.addASCII(text, i) {
		if r, size := utf8.DecodeRuneInString(text[i:]); r < 1<<16 {
			if s := n.table[r]; s.kind != composed && (i+size == len(text) || n.isSimple(text[i+size:])) {
				n.put(rune(s.folded), s.kind, i)
				i += size
				continue
			}
		}
		i = n.addComposed(text, i)
	}
}

// addASCII appends the characters from a place on that are ASCII and not followed by others, and returns where they end.
func (n *normal) addASCII(text string, from int) int {
	whole, i := n.whole, from
	inside := n.inside && !n.unspaced[len(n.tokens)-1]
	for ; i < len(text) && text[i] < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf); i++ {
		s := n.table[text[i]]
		if s.kind != letter {
			inside = false
			continue
		}
		if !inside {
			n.tokens, n.origins, n.unspaced = append(n.tokens, len(whole)), append(n.origins, i), append(n.unspaced, false)
			inside = true
		}
		whole = append(whole, byte(s.folded))
	}
	if n.whole = whole; i > from {
		n.inside = inside
	}
	return i
}

// isSimple says whether a text begins with a simple character.
func (n *normal) isSimple(text string) bool {
	if text[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r < 1<<16 && n.table[r].kind != composed
}

// addComposed appends the normal form of the character at a place and of all behind it up to a simple one, and
// returns where they end. Simple characters begin anew for norm, so what is before one decides nothing behind it.
func (n *normal) addComposed(text string, from int) int {
	_, size := utf8.DecodeRuneInString(text[from:])
	end := from + size
	for end < len(text) && !n.isSimple(text[end:]) {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	n.form = norm.NFKC.AppendString(n.form[:0], text[from:end])
	n.folded = append(n.folded[:0], n.fold.Bytes(n.form)...)
	n.form = norm.NFKC.Append(n.form[:0], n.folded...) // folding may part what NFKC joins
	for i := 0; i < len(n.form); {
		r, size := utf8.DecodeRune(n.form[i:])
		if r == dotless {
			r = 'i'
		}
		n.put(r, kindOf(r), from)
		i += size
	}
	return end
}

// put appends a character of the normal form, which is at a place of the text.
func (n *normal) put(r rune, k kind, origin int) {
	switch k {
	case left:
		n.inside = false
		return
	case ignored:
		return
	}
	if last := len(n.tokens) - 1; !n.inside || k == alone || k == letter && n.unspaced[last] {
		n.tokens, n.origins, n.unspaced = append(n.tokens, len(n.whole)), append(n.origins, origin), append(n.unspaced, k == alone)
		n.inside = true
	}
	if r < utf8.RuneSelf {
		n.whole = append(n.whole, byte(r))
	} else {
		n.whole = utf8.AppendRune(n.whole, r)
	}
}

// token returns the bytes of a token.
func (n *normal) token(i int) []byte {
	if i+1 < len(n.tokens) {
		return n.whole[n.tokens[i]:n.tokens[i+1]]
	}
	return n.whole[n.tokens[i]:]
}
