package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ends reports whether the sentence that begins at start ends with the mark m,
// whose terminators begin at text[at]. Something follows: m.next < len(text).
func (s Splitter) ends(text string, start, at int, m mark) bool {
	r, width := utf8.DecodeRuneInString(text[m.next:])
	if isContinuation(r) {
		return false
	}
	if m.next == m.end {
		return endsWithoutSpace(text, at, m, r)
	}
	// What decides is the first letter or digit, behind quotes, brackets and dashes.
	first, dash := r, false
	for i, n := m.next, 0; n < maxOpeners && isOpener(first); n++ {
		dash = dash || isDash(first)
		i = skipSpace(text, i+width)
		first, width = utf8.DecodeRuneInString(text[i:])
	}
	switch {
	case m.kind == hard:
		return true
	case unicode.IsLower(first) && !(m.single && isUncasedBefore(text, at)):
		// "Why?" he asked. But: Why? because.
		return m.kind == exclaim && m.end == m.terminated && !dash
	case m.kind == weak:
		return unicode.IsLetter(first)
	case !m.single || m.end > m.terminated:
		return true
	case s.isCaption(text, start, at, m.next):
		return false
	case unicode.IsDigit(first):
		return s.endsBeforeNumber(text, start, at, m.next)
	default:
		return !s.abbreviated(text, start, at, m.next)
	}
}

// maxOpeners bounds the search for the first letter behind opening marks.
const maxOpeners = 6

// endsWithoutSpace decides where no white space follows, r being what follows.
func endsWithoutSpace(text string, at int, m mark, r rune) bool {
	if m.kind == ellipsis || m.kind == weak {
		return false
	}
	if m.kind != hard {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if m.kind == fullStop && isThaiLao(before) {
			return false // ดร.สมิธ, ม.ค.: no sentence ends with it
		}
		return isUnspaced(r) && isUnspaced(before)
	}
	// In Japanese a particle after a quotation goes on with the sentence.
	if m.end > m.terminated && strings.ContainsRune("とっのはがをにでもなやかだし", r) {
		return false
	}
	return true
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

func isDash(r rune) bool { return r == '-' || r == '–' || r == '—' || r == '―' }

// isOpener reports whether r opens something that a letter follows.
func isOpener(r rune) bool {
	switch r {
	case '"', '\'', '¿', '¡', '*', '_':
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
	return unicode.IsLetter(r) && !unicode.IsLower(r) && !unicode.IsUpper(r)
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
