package filters

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most marks at the ends of a sentence that are not a sign of junk: a quotation
// mark in a quotation mark before it, "?!" and a quotation mark behind it.
const (
	maxOpening = 2
	maxClosing = 3
)

// freeMarks returns how many punctuation marks at the ends of a text belong to any
// sentence: quotation marks, terminators and the inverted marks of Spanish.
func freeMarks(text string) int {
	free := 0
	for n := 0; n < maxOpening; n++ {
		r, width := firstMark(text)
		if !isQuotationMark(r) && r != '¿' && r != '¡' {
			break
		}
		free++
		text = text[width:]
	}
	for n := 0; n < maxClosing; n++ {
		r, end := lastMark(text)
		if !isQuotationMark(r) && !isTerminator(r) {
			break
		}
		free++
		text = text[:end]
	}
	return free
}

// isUtterance reports whether a text is something that somebody says: it ends
// with an exclamation or a question mark, or is in quotation marks and has a
// terminator before the last one.
func isUtterance(text string) bool {
	first, _ := firstMark(text)
	last, end := lastMark(text)
	quoted := isQuotationMark(first) && isQuotationMark(last)
	for n := 0; n < maxClosing && isQuotationMark(last); n++ {
		text = text[:end]
		last, end = lastMark(text)
	}
	return strings.ContainsRune("!?！？؟፧‼‽⁇⁈⁉", last) || quoted && isTerminator(last)
}

// firstMark returns the first character that is not white space, and where the next
// one begins. An empty text gives RuneError and 0.
func firstMark(text string) (r rune, next int) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	r, width := utf8.DecodeRuneInString(rest)
	return r, len(text) - len(rest) + width
}

// lastMark returns the last character that is not white space, and where it begins.
func lastMark(text string) (r rune, offset int) {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	r, width := utf8.DecodeLastRuneInString(text)
	return r, len(text) - width
}

func isQuotationMark(r rune) bool { return unicode.Is(unicode.Quotation_Mark, r) }

func isTerminator(r rune) bool { return r == '…' || unicode.Is(unicode.Sentence_Terminal, r) }
