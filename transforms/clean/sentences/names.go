package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names and citations whose marks end nothing, or are behind the sentence that they belong to.

// marked lists names that end with an exclamation mark and come before other names: "Yahoo! Mail".
const marked = " yahoo jeopardy joomla kahoot "

// isNameWithMark reports whether the mark at text[offset] belongs to a name of marked.
func (s *scan) isNameWithMark(offset int) bool {
	word, _ := wordBefore(s.text, s.start, offset)
	first, _ := utf8.DecodeRuneInString(word)
	var buffer [maxWord + 8]byte
	return s.text[offset] == '!' && unicode.IsUpper(first) && listed(marked, fold(buffer[:0], word))
}

// What an English sentence goes on with behind its subject: verbs that also begin questions, and others.
const (
	auxiliaries  = " is are was were has had have will would can could does did may might should "
	conjunctions = " and or "
)

// isSubject reports whether the sentence up to the mark at text[offset] is a title or a name, of which
// the word at text[place] says something: "Yahoo! is a company.", "Guess? makes jeans.", but not "Wow!
// is that you?" and "Help! we cried."
func (s *scan) isSubject(offset, place int) bool {
	if !s.isTitle(offset) {
		return false
	}
	next := wordAfter(s.text, place)
	var buffer [maxWord + 8]byte
	word := append(buffer[:0], next...)
	switch {
	case next == "":
		return false
	case listed(auxiliaries, word):
		return !isQuestion(s.text[place:])
	case listed(conjunctions, word):
		return true
	}
	return len(next) > 3 && (strings.HasSuffix(next, "s") || strings.HasSuffix(next, "ed")) && !s.startsLower(next)
}

// mostTitleWords bounds the words of a title.
const mostTitleWords = 8

// isTitle reports whether the words of the sentence up to text[offset] are a title: all have a capital, but
// for short ones between the others, and a single one is not a usual first word such as "Why".
func (s *scan) isTitle(offset int) bool {
	text := s.text[s.start:offset]
	if len(text) > mostTitleWords*maxWord {
		return false
	}
	words := 0
	capital, last := false, ""
	for word := range strings.FieldsSeq(text) {
		first, _ := utf8.DecodeRuneInString(word)
		capital = unicode.IsUpper(first)
		if words++; words > mostTitleWords || !capital && (words == 1 || utf8.RuneCountInString(word) > 4) {
			return false
		}
		last = word
	}
	return capital && (words > 1 || !s.startsWith(last, 0))
}

// lookedAhead is how far the end of a question is looked for, in bytes.
const lookedAhead = 120

// isQuestion reports whether the next mark that ends sentences is a question mark.
func isQuestion(text string) bool {
	text = text[:min(len(text), lookedAhead)]
	index := strings.IndexAny(text, ".!?")
	return index >= 0 && text[index] == '?'
}

// isBook reports whether the word text[begin:], which has a full stop and a number at text[next] behind
// it, is the abbreviation of a book or of what is numbered: "Phil. 4:8", "(Chap. 3)".
func isBook(text string, start, begin int, word string, next int) bool {
	const longest = 6
	first, width := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || !isLowerWord(word[width:]) || utf8.RuneCountInString(word) > longest {
		return false
	}
	if begin > start && text[begin-1] == '(' {
		return true
	}
	for n, colon := next, false; n < len(text) && n < next+8; n++ {
		switch c := text[n]; {
		case c == ':' && !colon && n > next:
			colon = true
		case c < '0' || c > '9':
			return false
		case colon:
			return true
		}
	}
	return false
}

// isNumbered reports whether word is a number that begins with a letter, such as that of Fig. S1.
func isNumbered(word string) bool {
	return len(word) > 1 && word[0] >= 'A' && word[0] <= 'Z' && isDigits(word[1:])
}

// citationBytes is how long a citation in brackets may be.
const citationBytes = 60

// withCitation takes a citation in brackets, "Is it true? (Phil. 4:8) No.", to the sentence before it,
// if another one follows.
func (s *scan) withCitation(offset int, m *mark) {
	text := s.text
	if m.next == m.end || m.next >= len(text) || text[m.next] != '(' || m.kind != exclaim && !m.single || parts(text, m.end, m.next) {
		return
	}
	end := citation(text, m.next)
	next := skipSpace(text, end)
	first, _ := utf8.DecodeRuneInString(text[next:])
	if end == m.next || next == end && end < len(text) || next < len(text) && !unicode.IsUpper(first) ||
		m.single && s.abbreviated(offset, m.next) {
		return
	}
	m.end, m.next = end, next
}

// citation returns the end of a citation at text[offset], "(Phil. 4:8)" or "(Smith 2004)": words and a
// number in brackets, without an end of a sentence; or offset.
func citation(text string, offset int) int {
	inside := text[offset+1 : min(len(text), offset+citationBytes)]
	end := strings.IndexAny(inside, "()!?;\n")
	if end < 2 || inside[end] != ')' || inside[end-1] == '.' {
		return offset
	}
	first, _ := utf8.DecodeRuneInString(inside)
	last := inside[end-1]
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) || last < '0' || last > '9' ||
		!strings.ContainsFunc(inside[:end], unicode.IsLetter) {
		return offset
	}
	return offset + 1 + end + 1
}
