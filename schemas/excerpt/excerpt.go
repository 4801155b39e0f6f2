// Package excerpt shortens texts to a number of bytes or characters.
package excerpt

import (
	"strings"
	"unicode/utf8"
)

// Bytes returns the first n bytes of a text, or some fewer where those would end within a
// character.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[:n]
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// Characters returns the first n characters of a text, and … for the rest.
func Characters(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}
