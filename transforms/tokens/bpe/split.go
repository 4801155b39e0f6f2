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

func classify(r rune) class {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
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
