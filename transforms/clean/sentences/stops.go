package sentences

import (
	"unicode"
	"unicode/utf8"
)

// kind is what a character means for the end of sentences.
type kind uint8

const (
	none kind = iota
	space
	lineBreak
	bullet
	// Terminators from here on; of several in a row the greatest decides.
	ellipsis
	fullStop
	weak    // a mark that ends sentences in one language only
	exclaim // '!' and '?'
	hard    // a terminator that is nothing else
)

// The first bytes of characters that may be something else than none; all other
// bytes are passed over.
var (
	plainStops = stopBytes()
	markStops  = stopBytes(':', ';')
	spaceStops = stopBytes(' ')
)

func stopBytes(more ...byte) [256]bool {
	var t [256]bool
	for _, c := range append([]byte{'.', '!', '?', '\n', '\v', '\f', '\r', 0xC2, 0xCD, 0xD6, 0xD8, 0xDB, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEA, 0xEF, 0xF0}, more...) {
		t[c] = true
	}
	return t
}

// kindOf returns the kind of the character r of the given width at text[at].
func (s Splitter) kindOf(text string, at int, r rune, width int) kind {
	switch r {
	case '.', '．':
		return fullStop
	case '!', '?', '\u037E': // the last is the Greek question mark, usually written ';'
		return exclaim
	case '…':
		return ellipsis
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return lineBreak
	case '•', '‣', '◦', '▪', '●', '■':
		return bullet
	case ' ':
		if s.rules.spaces {
			return space
		}
		return none
	case ':', ';':
		if r == s.rules.mark {
			return weak
		}
		return none
	case '\u1361': // Ethiopic word space; two are written for the full stop
		if next, _ := utf8.DecodeRuneInString(text[at+width:]); next == r {
			return hard
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); before == r {
			return hard
		}
		return none
	case '\u104A': // Burmese comma, a Sentence_Terminal by mistake
		return none
	case '\u0F0D', '\u0F0E', '\u17D4', '\u17D5': // Tibetan shad; Khmer khan, which Unicode 15 does not list, and bariyoosan
		return hard
	}
	if width > 1 && mayTerminate(text[at], text[at+1]) && unicode.Is(unicode.Sentence_Terminal, r) {
		return hard
	}
	return none
}

// mayTerminate tells from the first two bytes of a character whether it may be a
// terminator: it spares most letters the search in Unicode's table.
func mayTerminate(first, second byte) bool {
	switch first {
	case 0xE0:
		return second == 0xA0 || second == 0xA5
	case 0xE2:
		return second == 0x80 || second == 0x81 || second >= 0xB3
	case 0xE3:
		return second == 0x80
	case 0xEA:
		return second < 0xB0
	case 0xEF:
		return second >= 0xB8 && second <= 0xBD
	}
	return true
}

// parts reports whether the white space text[from:to] parts sentences, with or
// without a terminator: an empty line, a paragraph separator, or a line break
// before a bullet or a list number.
func parts(text string, from, to int) bool {
	breaks := 0
	for i := from; i < to; {
		r, width := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '\u2029':
			return true
		case '\r':
			if i+1 < to && text[i+1] == '\n' {
				width++
			}
			breaks++
		case '\n', '\u0085', '\u2028':
			breaks++
		}
		i += width
	}
	return breaks > 1 || breaks == 1 && isItem(text, to)
}

// isItem reports whether a list item begins at text[at]: a bullet, or up to three
// digits or a letter with '.' or ')', and a space. Long dashes count before a
// capital only, because wrapped prose has them at line starts too.
func isItem(text string, at int) bool {
	r, width := utf8.DecodeRuneInString(text[at:])
	after := at + width
	switch r {
	case '-', '*', '+', '•', '‣', '◦', '▪', '●', '■', '·', '・':
		return isSpaceAt(text, after)
	case '–', '—':
		next, _ := utf8.DecodeRuneInString(text[skipSpace(text, after):])
		return isSpaceAt(text, after) && unicode.IsUpper(next)
	}
	end := at
	for end < len(text) && end < at+3 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	number := end > at
	if !number {
		if !unicode.IsLetter(r) {
			return false
		}
		end = after
	}
	if end >= len(text) || (text[end] != ')' && (text[end] != '.' || !number)) {
		return false
	}
	return isSpaceAt(text, end+1)
}

// skipSpace returns the first place from at on that holds no white space.
func skipSpace(text string, at int) int {
	for at < len(text) {
		if c := text[at]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return at
			}
			at++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsSpace(r) {
			return at
		}
		at += width
	}
	return at
}

// trimSpace returns end without the white space before it, but not below start.
func trimSpace(text string, start, end int) int {
	for end > start {
		r, width := utf8.DecodeLastRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= width
	}
	return end
}

// isSpaceAt reports whether white space or the end of the text is at text[at].
func isSpaceAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[min(at, len(text)):])
	return at >= len(text) || unicode.IsSpace(r)
}

func isSpaceBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return at > 0 && unicode.IsSpace(r)
}

// isWordAt reports whether a letter or digit is at text[at].
func isWordAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
