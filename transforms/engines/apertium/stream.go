package apertium

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The stream that Apertium's programs hand on has letters with a meaning, which are
// written after a backslash, and blanks in brackets, which are passed through.
// apertium-destxt and apertium-retxt turn text into it and back, but buffer what
// they read until their input ends; so programs that are kept alive get the stream
// itself (-f none), and this replaces them.
//
// Source: apertium 3.8.3, `apertium-destxt`, `apertium-retxt`; the manual of the
// Apertium stream format.

// escaped are the characters that need a backslash.
const escaped = `\^$[]{}<>/@`

// ending goes where a text or a paragraph ends: a full stop that tells the
// sentences apart, and an empty blank that tells it from those of the text. Both
// are taken away again.
const ending = ".[]"

// deformat appends a text as a stream to dst. White space other than single spaces
// is passed through in brackets. Null characters, which end what is flushed at once,
// are left out.
func deformat(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !blank(rune(c)) && c != '~' {
			if strings.IndexByte(escaped, c) >= 0 {
				dst = append(dst, '\\')
			}
			if c != 0 {
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '~': // means something to the post-generator
			dst = append(dst, "[~]"...)
		case !blank(r):
			dst = append(dst, text[i:i+size]...)
		default:
			size = strings.IndexFunc(text[i:], func(r rune) bool { return !blank(r) })
			if size < 0 {
				size = len(text) - i
			}
			dst = appendBlanks(dst, text[i:i+size])
		}
		i += size
	}
	return append(dst, ending...)
}

// appendBlanks appends white space: an empty line ends a sentence.
func appendBlanks(dst []byte, blanks string) []byte {
	if blanks == " " {
		return append(dst, ' ')
	}
	if strings.Count(blanks, "\n") > 1 {
		dst = append(dst, ending...)
	}
	dst = append(dst, '[')
	dst = append(dst, blanks...)
	return append(dst, ']')
}

// blank says what is passed through as white space. No-break spaces are none: they
// are within numbers.
func blank(r rune) bool { return r != 0xa0 && r != 0x202f && r != 0x2007 && unicode.IsSpace(r) }

// complete says whether a stream has its end. Programs write a null character also
// when their input ends before one, which looks like an answer.
func complete(stream []byte) bool { return bytes.HasSuffix(stream, []byte("[]")) }

// reformat returns the text of a stream, without the marks of its ends.
func reformat(stream []byte) string {
	var b strings.Builder
	b.Grow(len(stream))
	for i := 0; i < len(stream); i++ {
		switch c := stream[i]; c {
		case '\\':
			if i++; i < len(stream) {
				b.WriteByte(stream[i])
			}
		case '.':
			if strings.HasPrefix(string(stream[i:min(len(stream), i+len(ending))]), ending) {
				i += len(ending) - 1
				continue
			}
			b.WriteByte(c)
		case '[', ']':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
