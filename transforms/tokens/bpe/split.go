package bpe

import (
	"unicode"
	"unicode/utf8"
)

// class of a character in the regular expression of GPT-2.
type class uint8

const (
	other class = iota
	letter
	number
	space
)

// ascii holds the classes of ASCII.
var ascii = func() (table [utf8.RuneSelf]class) {
	for r := range table {
		table[r] = classify(rune(r))
	}
	return table
}()

// newLetters and newNumbers are those of Unicode 15.1 and 16, which the regular expressions of tokenizers 0.23.3 know; Go 1.26 has
// Unicode 15.
var (
	newLetters = &unicode.RangeTable{
		R16: []unicode.Range16{{0x1c89, 0x1c8a, 1}, {0xa7cb, 0xa7cd, 1}, {0xa7da, 0xa7dc, 1}},
		R32: []unicode.Range32{
			{0x105c0, 0x105f3, 1}, {0x10d4a, 0x10d65, 1}, {0x10d6f, 0x10d85, 1}, {0x10ec2, 0x10ec4, 1}, {0x11380, 0x11389, 1},
			{0x1138b, 0x1138b, 1}, {0x1138e, 0x1138e, 1}, {0x11390, 0x113b5, 1}, {0x113b7, 0x113b7, 1}, {0x113d1, 0x113d1, 1},
			{0x113d3, 0x113d3, 1}, {0x11bc0, 0x11be0, 1}, {0x13460, 0x143fa, 1}, {0x16100, 0x1611d, 1}, {0x16d40, 0x16d6c, 1},
			{0x18cff, 0x18cff, 1}, {0x1e5d0, 0x1e5ed, 1}, {0x1e5f0, 0x1e5f0, 1}, {0x2ebf0, 0x2ee5d, 1},
		},
	}
	newNumbers = &unicode.RangeTable{R32: []unicode.Range32{
		{0x10d40, 0x10d49, 1}, {0x116d0, 0x116e3, 1}, {0x11bf0, 0x11bf9, 1}, {0x16130, 0x16139, 1}, {0x16d70, 0x16d79, 1},
		{0x1ccf0, 0x1ccf9, 1}, {0x1e5f1, 0x1e5fa, 1},
	}}
)

func classify(r rune) class {
	switch {
	case unicode.IsLetter(r), unicode.Is(newLetters, r):
		return letter
	case unicode.IsNumber(r), unicode.Is(newNumbers, r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// next returns the class and the bytes of the character that a text begins with.
func next(text string) (class, int) {
	if text[0] < utf8.RuneSelf {
		return ascii[text[0]], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	return classify(r), size
}

// word returns the length of the first match of
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// in a text that is not empty, where it begins: every text is a chain of them.
func word(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	end := 0
	if text[0] == ' ' && len(text) > 1 {
		end = 1
	}
	kind, size := next(text[end:])
	if kind != space {
		return end + size + run(text[end+size:], kind)
	}
	// White space up to the last character before something else, which takes a space with it.
	last, size := 0, 0
	for end = 0; end < len(text); end += size {
		if kind, size = next(text[end:]); kind != space {
			if last > 0 {
				return last
			}
			return end
		}
		last = end
	}
	return end
}

// run returns the length of the characters of a class that a text begins with.
func run(text string, kind class) (n int) {
	for n < len(text) {
		k, size := next(text[n:])
		if k != kind {
			break
		}
		n += size
	}
	return n
}

// contraction returns the length of the ending of an English contraction that a text begins with, 0 for none.
func contraction(text string) int {
	if text[0] != '\'' || len(text) < 2 {
		return 0
	}
	switch text[1] {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(text) > 2 {
		switch text[1:3] {
		case "re", "ve", "ll":
			return 3
		}
	}
	return 0
}
