package sentences

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Splitter splits texts of one language. It is a small value without state: any
// number of goroutines may use it.
type Splitter struct{ rules *rules }

// New returns a Splitter for a language, given as a code of schemas/language
// ("deu", "zho_Hant"). Languages without rules of their own, and "und", get
// those that hold everywhere and the abbreviations that many languages share.
func New(language string) Splitter { return Splitter{rulesOf(language)} }

// All yields the sentences of text, a block such as a paragraph or a heading, as
// substrings of text: nothing is copied, and they keep the text in memory. A text of
// white space has no sentences. Bytes that are not UTF-8 are kept and end nothing.
func (s Splitter) All(text string) iter.Seq[string] {
	return func(yield func(string) bool) { s.all(text, yield) }
}

func (s Splitter) all(text string, yield func(string) bool) {
	if s.rules == nil {
		s.rules = &generic
	}
	stops := &plainStops
	switch {
	case s.rules.spaces:
		stops = &spaceStops
	case s.rules.mark != 0:
		stops = &markStops
	}
	start := skipSpace(text, 0)
	for at := start; at < len(text); {
		if !stops[text[at]] {
			at++
			continue
		}
		end, next := s.stop(text, start, at)
		if end > start {
			if !yield(text[start:end]) {
				return
			}
			start = next
		}
		at = next
	}
	if end := trimSpace(text, start, len(text)); end > start {
		yield(text[start:end])
	}
}

// stop looks at the character at text[at], one of the stops. If the sentence
// that begins at start ends with it, or before it, stop returns the sentence's
// end and the start of the next one; else an end of 0 and the place to go on at.
func (s Splitter) stop(text string, start, at int) (end, next int) {
	r, width := utf8.DecodeRuneInString(text[at:])
	kind := s.kindOf(text, at, r, width)
	switch kind {
	case none:
		return 0, at + width
	case space:
		return s.clause(text, start, at)
	case lineBreak:
		next = skipSpace(text, at)
		if next < len(text) && parts(text, at, next) {
			return trimSpace(text, start, at), next
		}
		return 0, next
	case bullet:
		if at > start && isSpaceBefore(text, at) && isSpaceAt(text, at+width) {
			return trimSpace(text, start, at), at
		}
		return 0, at + width
	}
	m := s.mark(text, at, kind)
	switch {
	case m.next == len(text):
		return m.end, m.next
	case parts(text, m.end, m.next), s.ends(text, start, at, m):
		return m.end, m.next
	}
	return 0, m.next
}

// mark is what stands at a possible end of a sentence.
type mark struct {
	kind kind
	// The terminators are text[at:terminated]; closing quotes and brackets follow up
	// to end, white space up to next.
	terminated, end, next int
	single                bool // one full stop alone
	wide                  bool // the last terminator is full-width: 。 ！ ？
}

// mark reads terminators, closers and white space from text[at].
func (s Splitter) mark(text string, at int, first kind) mark {
	m := mark{kind: first, terminated: at}
	for count := 0; m.terminated < len(text); count++ {
		r, width := utf8.DecodeRuneInString(text[m.terminated:])
		k := s.kindOf(text, m.terminated, r, width)
		if k < ellipsis || (count > 0 && k == weak) {
			break
		}
		if k == fullStop && count > 0 && m.kind == fullStop {
			k = ellipsis
		}
		m.kind = max(m.kind, k)
		m.single = count == 0 && k == fullStop
		m.wide = r >= '\u3000'
		m.terminated += width
	}
	m.end = closers(text, m.terminated, m.wide)
	m.next = skipSpace(text, m.end)
	if m.next > m.end && m.next < len(text) && (text[m.next] >= utf8.RuneSelf || text[m.next] == ')' || text[m.next] == ']') {
		// Spaced closing marks, as in French "… ? »", belong to the sentence before. An
		// opening mark would be followed by a letter.
		r, width := utf8.DecodeRuneInString(text[m.next:])
		if unicode.In(r, unicode.Pe, unicode.Pf) && !isWordAt(text, m.next+width) && !parts(text, m.end, m.next) {
			m.end = closers(text, m.next+width, m.wide)
			m.next = skipSpace(text, m.end)
		}
	}
	return m
}

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
			end := footnote(text, at)
			if end == at {
				return at
			}
			at = end
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
	end := at + 1
	for end < len(text) && end < at+4 && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end > at+1 && end < len(text) && text[end] == ']' {
		return end + 1
	}
	return at
}
