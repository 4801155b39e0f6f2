package sentences

import (
	"strings"
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

func stopBytes(more ...byte) [256]bool {
	var t [256]bool
	for _, c := range append([]byte{'.', '!', '?', ')', ';', '\n', '\v', '\f', '\r', 0xC2, 0xCD, 0xD6, 0xD8, 0xDB, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE3, 0xEA, 0xEF, 0xF0}, more...) {
		t[c] = true
	}
	return t
}

// hyphenBullet begins items without a space behind it.
const hyphenBullet = '⁃'

// kindOf returns the kind of the character r of the given width at text[at].
func (s *rules) kindOf(text string, at int, r rune, width int) kind {
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
		return none
	case ';':
		return weak
	case ':':
		if r == s.mark {
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
	case '-', '*', '+', '•', '‣', '◦', '▪', '●', '■', '·', '・', hyphenBullet:
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

// noteBytes is how long a footnote mark may be that follows without a space: [12], [citation needed].
const noteBytes = 80

// closers returns the end of the closing quotes, brackets, footnote marks and
// invisible characters (direction marks, combining marks) at text[at]. After a full-width terminator an initial quote opens the next
// sentence; after '.', '!' and '?' it closes, as in German.
func closers(text string, at int, wide bool) int {
	for at < len(text) {
		switch c := text[at]; {
		case c == '"' || c == '\'' || c == ')' || c == ']' || c == '}':
			at++
			continue
		case c == '[':
			end := strings.IndexByte(text[at:min(len(text), at+noteBytes)], ']')
			if !isWordAt(text, at+1) || end < 0 {
				return at
			}
			at += end + 1
			continue
		case c < utf8.RuneSelf:
			return at
		}
		r, width := utf8.DecodeRuneInString(text[at:])
		if !unicode.In(r, unicode.Pe, unicode.Pf, unicode.Cf, unicode.Mn) && (wide || !unicode.Is(unicode.Pi, r)) {
			return at
		}
		at += width
	}
	return at
}

// footnote returns the end of a mark like "[12]" at text[at], or at.
func footnote(text string, at int) int {
	if at == len(text) || text[at] != '[' {
		return at
	}
	end := at + 1
	for end < len(text) && end < at+4 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end > at+1 && end < len(text) && text[end] == ']' {
		return end + 1
	}
	return at
}

// spacedDots reads full stops with single spaces before them, as in ". . .", from text[at], which
// is behind a full stop. It returns how many there are and where they end.
func spacedDots(text string, at int) (count, end int) {
	for {
		r, width := utf8.DecodeRuneInString(text[at:])
		if (r != ' ' && r != '\u00a0') || at+width >= len(text) || text[at+width] != '.' || isWordAt(text, at+width+1) || strings.HasPrefix(text[at+width+1:], ".") {
			return count, at
		}
		count++
		at += width + 1
	}
}

// isSymbol reports whether the terminators text[at:m.terminated] end nothing: a mark right behind a
// comma, a colon or an opening bracket, as in "(?)" and "Fax:?", and an omission such as "[...]".
func isSymbol(text string, at int, m mark) bool {
	if m.kind == fullStop {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return isContinuation(before) || before == '(' || before == '['
}

// titleBytes is how far from a mark the brackets of the title that it belongs to may stand.
const titleBytes = 120

// inTitle reports whether text[at], in a sentence that begins at start, stands in a title: 《…》.
func inTitle(text string, start, at int) bool {
	before := text[max(start, at-titleBytes):at]
	open := strings.LastIndex(before, "《")
	if open < 0 || open < strings.LastIndex(before, "》") {
		return false
	}
	after := text[at:min(len(text), at+titleBytes)]
	closed, next := strings.Index(after, "》"), strings.Index(after, "《")
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

// isUncasedBefore reports whether the letter before text[at] has no case: a
// lower-case letter after it may be a foreign word that begins a sentence.
func isUncasedBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
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
	return r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF
}

func isThaiLao(r rune) bool { return r >= 0x0E01 && r <= 0x0EDF }

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
