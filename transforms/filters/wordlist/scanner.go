package wordlist

import (
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"sentweave/transforms/clean/characters"
)

// Scanner counts listed words in the texts of one document after the other. It is for one goroutine, and allocates nothing once its memory
// has grown to the longest text, except for texts that are not ASCII.
type Scanner struct {
	// Listed is the number of entries that were found since Reset, of overlapping ones the first and of these the longest, and Words
	// that of all words. A letter of a script without spaces is a word.
	Listed, Words int

	lists  *Lists
	seeds  []uint64
	text   []byte // folded
	tokens []token
	first  []byte // the first entry that was found
}

// token is a part of a text that an entry has as a whole or not at all.
type token struct {
	kind     kind
	from, to int
}

type kind uint8

const (
	word     kind = iota
	unspaced      // a letter of a script without spaces
	symbol        // one
	space         // one or more
)

// NewScanner returns a scanner, nil for lists that are nil.
func NewScanner(l *Lists) *Scanner {
	if l == nil {
		return nil
	}
	return &Scanner{lists: l}
}

// Reset begins a document in a language, and says whether there is a list for it.
func (s *Scanner) Reset(code string) bool {
	s.Listed, s.Words, s.first = 0, 0, s.first[:0]
	s.seeds = s.lists.of(s.seeds[:0], code)
	return len(s.seeds) > 0
}

// First returns the first entry that was found since Reset, as it is compared; "" for none.
func (s *Scanner) First() string { return string(s.first) }

// Add counts the words of a text of the document. Entries do not go on from one text to the next.
func (s *Scanner) Add(text string) {
	s.split(text)
	for i := 0; i < len(s.tokens); i++ {
		if s.tokens[i].kind <= unspaced {
			s.Words++
		}
		if last := s.longest(i); last >= 0 {
			if s.Listed++; s.Listed == 1 {
				s.first = append(s.first, s.through(i, last)...)
			}
			for ; i < last; i++ {
				if s.tokens[i+1].kind <= unspaced {
					s.Words++
				}
			}
		}
	}
}

// longest returns the last token of the longest entry that begins with a token, -1 for none.
func (s *Scanner) longest(from int) int {
	last := -1
	if kind := s.tokens[from].kind; kind == space || kind == symbol && from > 0 && s.tokens[from-1].kind == word {
		return last
	}
	for _, seed := range s.seeds {
		for i := from; i < min(from+MaxWords, len(s.tokens)); i++ {
			if s.tokens[i].kind == space {
				continue
			}
			begins, complete := s.lists.find(xxh3.HashSeed(s.through(from, i), seed))
			if !begins {
				break
			}
			if complete && i > last && !(s.tokens[i].kind == symbol && i+1 < len(s.tokens) && s.tokens[i+1].kind == word) {
				last = i
			}
		}
	}
	return last
}

// through returns the text from a token to the end of another one.
func (s *Scanner) through(from, last int) []byte {
	return s.text[s.tokens[from].from:s.tokens[last].to]
}

// split sets text and tokens to those of a text.
func (s *Scanner) split(text string) {
	s.text, s.tokens = s.text[:0], s.tokens[:0]
	kind := space
	for _, r := range folded(text) {
		before := kind
		if unicode.Is(unicode.Cf, r) || r == '\u0307' && len(s.text) > 0 && s.text[len(s.text)-1] == 'i' {
			continue // a soft hyphen, for one, or the dot of İ
		}
		if kind = kindOf(r, before); kind == space {
			r = ' '
		}
		if len(s.tokens) == 0 || kind != before || kind == unspaced || kind == symbol {
			s.tokens = append(s.tokens, token{kind, len(s.text), len(s.text)})
		} else if kind == space {
			continue
		}
		s.text = utf8.AppendRune(s.text, lower(r))
		s.tokens[len(s.tokens)-1].to = len(s.text)
	}
}

// folded is a text without differences of case and of forms: ß is ss, and ﬁ and ｆi are fi.
func folded(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return cases.Fold().String(norm.NFKC.String(text))
		}
	}
	return text
}

// lower is a character of a folded text as it is compared.
func lower(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r | 0x20
	case r == '’':
		return '\''
	}
	return r
}

// kindOf classifies a character behind another one. Marks belong to what they are behind, and so does what makes a Kana long.
func kindOf(r rune, before kind) kind {
	switch {
	case r < utf8.RuneSelf:
		return ofASCII[r]
	case characters.Unspaced(r):
		return unspaced
	case unicode.IsMark(r), r == 'ー':
		if before == unspaced {
			return unspaced
		}
		return word
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return word
	case unicode.IsSpace(r):
		return space
	}
	return symbol
}

var ofASCII = func() (table [utf8.RuneSelf]kind) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			table[r] = word
		case unicode.IsSpace(r):
			table[r] = space
		default:
			table[r] = symbol
		}
	}
	return table
}()
