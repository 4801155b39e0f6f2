package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a character means for the end of sentences.
type kind uint8

const (
	noMark kind = iota
	space
	lineBreak
	bullet
	bracket // ')', which may end the number of a list item
	// Terminators from here on; of several in a row the greatest decides.
	ellipsis
	fullStop
	weak    // ';' and ':', which end sentences in some languages or places only
	exclaim // '!' and '?'
	hard    // a terminator that is nothing else
)

// The first bytes of characters that may be something else than none; all other
// bytes are passed over.
var (
	plainStops = stopBytes()
	colonStops = stopBytes(':')
	spaceStops = stopBytes(' ')
)

func stopBytes(extra ...byte) [256]bool {
	var t [256]bool
	for _, c := range append([]byte{
		'.', '!', '?', ')', ';', '\n', '\v', '\f', '\r', 0xC2, 0xCD, 0xD6, 0xD8, 0xDB, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEA, 0xEF, 0xF0,
	}, extra...) {
		t[c] = true
	}
	return t
}

// hyphenBullet begins items without a space behind it.
const hyphenBullet = '⁃'

// kindOf returns the kind of the character r of the given width at text[offset].
func (s *rules) kindOf(text string, offset int, r rune, width int) kind {
	switch r {
	case '.', '．':
		return fullStop
	case '!', '?', '\u037E': // the last is the Greek question mark, usually written ';'
		return exclaim
	case '…':
		return ellipsis
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return lineBreak
	case '•', '‣', '◦', '▪', '●', '■', hyphenBullet:
		return bullet
	case ')':
		return bracket
	case ' ':
		if s.spaces {
			return space
		}
		return noMark
	case ';':
		return weak
	case ':':
		if r == s.mark {
			return weak
		}
		return noMark
	case '\u1361': // Ethiopic word space; two are written for the full stop
		if next, _ := utf8.DecodeRuneInString(text[offset+width:]); next == r {
			return hard
		}
		if previous, _ := utf8.DecodeLastRuneInString(text[:offset]); previous == r {
			return hard
		}
		return noMark
	case '\u104A': // Burmese comma, a Sentence_Terminal by mistake
		return noMark
	case '\u0F0D', '\u0F0E', '\u17D4', '\u17D5': // Tibetan shad; Khmer khan, which Unicode 15 does not list, and bariyoosan
		return hard
	}
	if width > 1 && mayTerminate(text[offset], text[offset+1]) && unicode.Is(unicode.Sentence_Terminal, r) {
		return hard
	}
	return noMark
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

// isItem reports whether a list item begins at text[offset]: a bullet, or up to three
// digits or a letter with '.' or ')', and a space. Long dashes count before a
// capital only, because wrapped prose has them at line starts too.
func isItem(text string, offset int) bool {
	r, width := utf8.DecodeRuneInString(text[offset:])
	nextOffset := offset + width
	switch r {
	case '-', '*', '+', '•', '‣', '◦', '▪', '●', '■', '·', '・', hyphenBullet:
		return isSpaceAt(text, nextOffset)
	case '–', '—':
		next, _ := utf8.DecodeRuneInString(text[skipSpace(text, nextOffset):])
		return isSpaceAt(text, nextOffset) && unicode.IsUpper(next)
	}
	end := offset
	for end < len(text) && end < offset+3 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	number := end > offset
	if !number {
		if !unicode.IsLetter(r) {
			return false
		}
		end = nextOffset
	}
	if end >= len(text) || (text[end] != ')' && (text[end] != '.' || !number)) {
		return false
	}
	return isSpaceAt(text, end+1)
}

// noteBytes is how long a footnote mark may be that follows without a space: [12], [citation needed].
const noteBytes = 80

// closers returns the end of the closing quotes, brackets, footnote marks and
// invisible characters (direction marks, combining marks) at text[offset]. After a full-width terminator an initial quote opens the next
// sentence; after '.', '!' and '?' it closes, as in German.
func closers(text string, offset int, wide bool) int {
	for offset < len(text) {
		switch c := text[offset]; {
		case c == '"' || c == '\'' || c == ')' || c == ']' || c == '}':
			offset++
			continue
		case c == '[':
			end := strings.IndexByte(text[offset:min(len(text), offset+noteBytes)], ']')
			if !isWordAt(text, offset+1) || end < 0 {
				return offset
			}
			offset += end + 1
			continue
		case c < utf8.RuneSelf:
			return offset
		}
		r, width := utf8.DecodeRuneInString(text[offset:])
		if !unicode.In(r, unicode.Pe, unicode.Pf, unicode.Cf, unicode.Mn) && (wide || !unicode.Is(unicode.Pi, r)) {
			return offset
		}
		offset += width
	}
	return offset
}

// footnote returns the end of a mark like "[12]" at text[offset], or offset.
func footnote(text string, offset int) int {
	if offset == len(text) || text[offset] != '[' {
		return offset
	}
	end := offset + 1
	for end < len(text) && end < offset+4 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end > offset+1 && end < len(text) && text[end] == ']' {
		return end + 1
	}
	return offset
}

// spacedDots reads full stops with single spaces before them, as in ". . .", from text[offset], which
// is behind a full stop. It returns how many there are and where they end.
func spacedDots(text string, offset int) (count, end int) {
	for {
		r, width := utf8.DecodeRuneInString(text[offset:])
		if (r != ' ' && r != '\u00a0') || offset+width >= len(text) || text[offset+width] != '.' ||
			isWordAt(text, offset+width+1) || strings.HasPrefix(text[offset+width+1:], ".") {
			return count, offset
		}
		count++
		offset += width + 1
	}
}

// isSymbol reports whether the terminators text[offset:m.terminated] end nothing: a mark right behind a
// comma, a colon or an opening bracket, as in "(?)" and "Fax:?", and an omission such as "[...]".
func isSymbol(text string, offset int, m mark) bool {
	if m.kind == fullStop {
		return false
	}
	previous, _ := utf8.DecodeLastRuneInString(text[:offset])
	return isContinuation(previous) || previous == '(' || previous == '['
}

// titleBytes is how far from a mark the brackets of the title that it belongs to may stand.
const titleBytes = 120

// inTitle reports whether text[offset], in a sentence that begins at start, is in a title: 《…》.
func inTitle(text string, start, offset int) bool {
	prefix := text[max(start, offset-titleBytes):offset]
	open := strings.LastIndex(prefix, "《")
	if open < 0 || open < strings.LastIndex(prefix, "》") {
		return false
	}
	suffix := text[offset:min(len(text), offset+titleBytes)]
	closed, next := strings.Index(suffix, "》"), strings.Index(suffix, "《")
	return closed >= 0 && (next < 0 || closed < next)
}

// isContinuation reports whether r cannot begin a sentence: SContinue of UAX #29
// without dashes, which begin turns of speech.
func isContinuation(r rune) bool {
	switch r {
	case ',', ';', ':', '،', '؛', '՝', '、', '，', '；', '：', '﹐', '﹑', '､', '߸', '᠂', '᠈':
		return true
	}
	return false
}

// isContinuing reports whether r is a sign that no sentence begins with.
func isContinuing(r rune) bool {
	switch r {
	case '/', '%', '=', '№':
		return true
	}
	return false
}

func isDash(r rune) bool { return r == '-' || r == '–' || r == '—' || r == '―' }

// isOpener reports whether r opens something that a letter follows.
func isOpener(r rune) bool {
	switch r {
	case '"', '\'', '`', '¿', '¡', '*', '_':
		return true
	}
	if r < utf8.RuneSelf {
		return r == '-' || r == '(' || r == '[' || r == '{'
	}
	return isDash(r) || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pf)
}

// isUncasedBefore reports whether the letter before text[offset] has no case: a
// lower-case letter after it may be a foreign word that begins a sentence.
func isUncasedBefore(text string, offset int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:offset])
	return unicode.IsLetter(r) && !isLower(r) && !unicode.IsUpper(r)
}

// isUnspaced reports whether r belongs to a script that writes sentences without
// spaces between them: Han, kana, Hangul (which often does), Thai, Lao, Burmese,
// Khmer.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF:
		return true
	case r < 0x3040:
		return false
	}
	return r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 &&
		r <= 0x3FFFF
}

func isThaiLao(r rune) bool { return r >= 0x0E01 && r <= 0x0EDF }

// skipSpace returns the first place from offset on that holds no white space.
func skipSpace(text string, offset int) int {
	for offset < len(text) {
		if c := text[offset]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return offset
			}
			offset++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[offset:])
		if !unicode.IsSpace(r) {
			return offset
		}
		offset += width
	}
	return offset
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

// isSpaceAt reports whether white space or the end of the text is at text[offset].
func isSpaceAt(text string, offset int) bool {
	r, _ := utf8.DecodeRuneInString(text[min(offset, len(text)):])
	return offset >= len(text) || unicode.IsSpace(r)
}

func isSpaceBefore(text string, offset int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:offset])
	return offset > 0 && unicode.IsSpace(r)
}

// isWordAt reports whether a letter or digit is at text[offset].
func isWordAt(text string, offset int) bool {
	r, _ := utf8.DecodeRuneInString(text[offset:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
