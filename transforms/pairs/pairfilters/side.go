package pairfilters

import (
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/clean/characters"
)

// Side is a text of a pair with what rules ask of it.
type Side struct {
	Text, Language string

	runes  []rune
	counts characters.Counts
	// tokens are what white space separates: their number, the characters of all and of the longest.
	tokens, inTokens, longest int
	spaced                    bool // its script separates words
	alphabetic                int  // characters with the property Alphabetic of Unicode
	terminals                 int  // marks that end sentences
	digits                    []byte
	values                    [10]int32 // how often each digit occurs
	probability               float64   // of its language, where that is asked for
}

// kinds of characters, as bits
const (
	kindSpace = 1 << iota
	kindAlphabetic
	kindTerminal
	kindDigit
	kindUpper
	kindLower
)

// lowKinds are the kinds of the characters below 0x250: those of most texts in the Latin script.
var lowKinds = func() (table [0x250]uint8) {
	for r := range rune(len(table)) {
		table[r] = classify(r)
	}
	return table
}()

func kindOf(r rune) uint8 {
	if uint32(r) < uint32(len(lowKinds)) {
		return lowKinds[r]
	}
	return classify(r)
}

func classify(r rune) (kind uint8) {
	if unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f { // as str.split in Python
		kind |= kindSpace
	}
	if unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r) {
		kind |= kindAlphabetic
	}
	switch r {
	case '.', '?', '!', '…', '。', '？', '！', '．', '｡', '।', '؟', '۔', '։', '።':
		kind |= kindTerminal
	}
	if unicode.IsDigit(r) {
		kind |= kindDigit
	}
	if unicode.IsUpper(r) || unicode.IsTitle(r) {
		kind |= kindUpper
	}
	if unicode.IsLower(r) {
		kind |= kindLower
	}
	return kind
}

func (s *Side) load(text, language string) {
	*s = Side{Text: text, Language: language, runes: s.runes[:0], digits: s.digits[:0]}
	s.counts.Add(text)
	width := 0
	for _, r := range text {
		s.runes = append(s.runes, r)
		kind := kindOf(r)
		if kind&kindSpace != 0 {
			s.endToken(width)
			width = 0
			continue
		}
		width++
		if kind&kindAlphabetic != 0 {
			s.alphabetic++
		}
		if kind&(kindTerminal|kindDigit) != 0 {
			if kind&kindDigit != 0 {
				value := digitValue(r)
				s.digits = append(s.digits, value)
				s.values[value]++
			} else {
				s.terminals++
			}
		}
	}
	s.endToken(width)
	s.spaced = s.counts.WordLetters() == 1
}

func (s *Side) endToken(width int) {
	if width > 0 {
		s.tokens++
		s.inTokens += width
		s.longest = max(s.longest, width)
	}
}

// digitValue returns the value of a decimal digit of any script: these stand in tens.
func digitValue(r rune) byte {
	if r <= '9' {
		return byte(r - '0')
	}
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	return 0
}

// characters is the number of code points.
func (s *Side) characters() float64 { return float64(len(s.runes)) }

// words is the number of words: what white space separates, or what the letters would be elsewhere.
func (s *Side) words() float64 {
	if s.spaced {
		return float64(s.tokens)
	}
	return float64(max(s.tokens, s.counts.Of(characters.Letter)/s.counts.WordLetters()))
}

// share returns the share of so many characters in the text.
func (s *Side) share(n int) float64 {
	if len(s.runes) == 0 {
		return notApplicable
	}
	return float64(n) / float64(len(s.runes))
}

// isWord says whether a character is one of a word: a letter, mark, number or low line.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}
