package sentences

import (
	"iter"
	"strings"
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
	return func(yield func(string) bool) {
		rules := s.rules
		if rules == nil {
			rules = &generic
		}
		scan := scan{rules: rules, text: text, start: skipSpace(text, 0)}
		scan.all(yield)
	}
}

// scan goes through a text once, from left to right. Its methods are in the order in
// which they are asked.
type scan struct {
	*rules
	text  string
	start int  // where the sentence begins
	list  item // the last item of a numbered list
}

// cut is what a look at a stop gives: where the sentence ends, 0 if it goes on, where the one
// after it begins, and where to go on.
type cut struct{ end, start, next int }

// all yields each sentence. It passes over all bytes that can neither end a sentence nor
// begin one.
func (s *scan) all(yield func(string) bool) {
	text, stops := s.text, &plainStops
	switch {
	case s.spaces:
		stops = &spaceStops
	case s.mark == ':':
		stops = &colonStops
	}
	for offset := s.start; offset < len(text); {
		if !stops[text[offset]] {
			offset++
			continue
		}
		c := s.stop(offset)
		if c.end > s.start {
			if !yield(text[s.start:c.end]) {
				return
			}
			s.start = c.start
		}
		offset = c.next
	}
	if end := trimSpace(text, s.start, len(text)); end > s.start {
		yield(text[s.start:end])
	}
}

// stop looks at the character at text[offset], one of the stops.
func (s *scan) stop(offset int) cut {
	text := s.text
	r, width := utf8.DecodeRuneInString(text[offset:])
	kind := s.kindOf(text, offset, r, width)
	switch kind {
	case noMark:
		return cut{next: offset + width}
	case space:
		return s.clause(offset)
	case lineBreak:
		next := skipSpace(text, offset)
		if next < len(text) && parts(text, offset, next) {
			return cut{trimSpace(text, s.start, offset), next, next}
		}
		return cut{next: next}
	case bullet:
		if offset > s.start && isSpaceBefore(text, offset) && (isSpaceAt(text, offset+width) || r == hyphenBullet) {
			return cut{trimSpace(text, s.start, offset), offset, offset + width}
		}
		return cut{next: offset + width}
	case bracket:
		c, _ := s.item(offset)
		return c
	case fullStop:
		last := offset
		if strings.HasPrefix(text[offset+width:], ")") { // "1.)"
			last++
		}
		if c, ok := s.item(last); ok {
			return c
		}
	}
	m := s.markAt(offset, kind)
	switch {
	case m.next == len(text):
		return cut{m.end, m.next, m.next}
	case m.dots > 0 && !isSpaceBefore(text, offset) && isWordAt(text, m.next):
		// "It was weak. . . . The rest": the word before has a full stop of its own.
		dot := mark{kind: fullStop, terminated: offset + 1, end: offset + 1, next: m.next, single: true}
		if s.ends(offset, dot) {
			return cut{dot.end, skipSpace(text, dot.end), m.next}
		}
	case parts(text, m.end, m.next), s.ends(offset, m):
		return cut{m.end, m.next, m.next}
	}
	return cut{next: m.next}
}

// clause decides at a space in Thai or Lao text.
func (s *scan) clause(offset int) cut {
	text, next := s.text, skipSpace(s.text, offset)
	if next < len(text) && parts(text, offset, next) {
		return cut{trimSpace(text, s.start, offset), next, next}
	}
	last, _ := utf8.DecodeLastRuneInString(text[s.start:offset])
	first, _ := utf8.DecodeRuneInString(text[next:])
	if !isThaiLao(last) || !isThaiLao(first) {
		return cut{next: next}
	}
	phrase, rest := text[s.start:offset], text[next:]
	switch {
	case hasSuffix(phrase, repeaters), hasPrefix(rest, repeaters):
		return cut{next: next}
	case hasSuffix(phrase, finals):
		return cut{offset, next, next}
	case len(phrase) < minClause, hasPrefix(rest, joiners):
		return cut{next: next}
	}
	if space := strings.IndexByte(rest[:min(len(rest), minNextClause)], ' '); space >= 0 || len(rest) < minNextClause {
		return cut{next: next}
	}
	return cut{offset, next, next}
}

// item is an item of a numbered list: its number, where a is 1, and how it is written.
type item struct {
	number int
	letter bool
	style  string // ".", ")" or ".)"
}

// item looks at the full stop or the bracket at text[offset] and reports whether it ends the number
// of an item. The first item of a list ("1.", "a)") begins a sentence; from then on each
// next number that is written like it begins one, too.
func (s *scan) item(offset int) (c cut, ok bool) {
	text := s.text
	c.next = offset + 1
	begin, label := labelBefore(text, s.start, offset)
	if label.number == 0 || !isSpaceAt(text, offset+1) {
		return c, false
	}
	if begin == s.start || begin == skipBullet(text, s.start) {
		s.list = label
		return c, true
	}
	expected := s.list
	expected.number++
	end := trimSpace(text, s.start, begin)
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	first, _ := utf8.DecodeRuneInString(text[skipSpace(text, offset+1):])
	if label != expected || label.number == 1 || isContinuation(last) || isDash(last) || label.style == "." && isLower(first) {
		return c, false
	}
	s.list = label
	return cut{end, begin, offset + 1}, true
}

// mark is what is at a possible end of a sentence.
type mark struct {
	kind kind
	// The terminators are text[at:terminated]; closing quotes and brackets follow up
	// to end, white space up to next.
	terminated, end, next int
	dots                  int  // how many full stops with spaces between follow the first
	single                bool // one full stop alone
	wide                  bool // the last terminator is full-width: 。 ！ ？
}

// markAt reads terminators, closers and white space from text[offset].
func (s *scan) markAt(offset int, first kind) mark {
	text, m := s.text, mark{kind: first, terminated: offset}
	for count := 0; m.terminated < len(text); count++ {
		r, width := utf8.DecodeRuneInString(text[m.terminated:])
		k := s.kindOf(text, m.terminated, r, width)
		if k < ellipsis || count > 0 && (k == weak || first == weak) {
			break
		}
		m.kind = max(m.kind, k)
		m.single = count == 0 && k == fullStop
		m.wide = r >= '\u3000'
		m.terminated += width
		if k == hard { // also behind quotes: “？”。
			if end := closers(text, m.terminated, m.wide); end > m.terminated && end < len(text) {
				if r, width := utf8.DecodeRuneInString(text[end:]); s.kindOf(text, end, r, width) == hard {
					m.terminated = end
				}
			}
		}
	}
	switch {
	case m.kind == fullStop && !m.single: // "..."
		m.kind = ellipsis
	case m.single:
		if m.dots, m.terminated = spacedDots(text, m.terminated); m.dots > 0 {
			m.single = false
			if m.dots < 3 { // with four, the last is a full stop
				m.kind = ellipsis
			}
		}
	}
	m.end = closers(text, m.terminated, m.wide)
	if m.single && m.end == m.terminated {
		m.end = s.noteNumber(offset, m.end)
	}
	m.next = skipSpace(text, m.end)
	s.withCitation(offset, &m)
	if m.next < len(text) && text[m.next] == '[' && footnote(text, s.start) == s.start {
		// "It fell. [12] Then", but in a list of sources each begins with its number.
		if end := footnote(text, m.next); isSpaceAt(text, end) {
			m.end, m.next = end, skipSpace(text, end)
		}
	}
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

// maxOpeners bounds the search for the first letter behind opening marks.
const maxOpeners = 6

// ends reports whether the sentence ends with the mark m, whose terminators begin at
// text[offset]. Something follows: m.next < len(text).
func (s *scan) ends(offset int, m mark) bool {
	text := s.text
	r, width := utf8.DecodeRuneInString(text[m.next:])
	if isContinuation(r) || m.kind != hard && (isSymbol(text, offset, m) || isContinuing(r)) {
		return false
	}
	if m.next == m.end {
		return s.endsWithoutSpace(offset, m, r)
	}
	// What decides is the first letter or digit, behind quotes, brackets and dashes.
	first, place, dash := r, m.next, false
	for n := 0; n < maxOpeners && isOpener(first); n++ {
		dash = dash || isDash(first)
		place = skipSpace(text, place+width)
		first, width = utf8.DecodeRuneInString(text[place:])
	}
	switch {
	case m.kind == hard:
		return true
	case m.kind == weak:
		return s.endsWeakly(offset, place, first)
	case first == '.' && isSpaceAt(text, place+1), m.kind == ellipsis && dash:
		return false // "Why?''." and "Well… — he said"
	case m.kind == exclaim && m.end == offset+1 && s.isNameWithMark(offset) && isWordAt(text, m.next):
		return s.startsWith(text, m.next) // "We use Yahoo! Mail."
	case isLower(first) && !(m.single && isUncasedBefore(text, offset)):
		return s.endsBeforeLower(offset, place, m, dash)
	case m.kind == ellipsis:
		// "the thing is ... I mean": the pronoun's capital says nothing.
		return !(s.pronoun && wordAfter(text, place) == "I")
	case !m.single || m.end > m.terminated:
		return true
	case s.isCaption(text, s.start, offset, m.next):
		return false
	case unicode.IsDigit(first):
		return s.endsBeforeNumber(offset, m.next)
	default:
		return !s.abbreviated(offset, m.next)
	}
}

// endsWithoutSpace decides where no white space follows, r being what follows.
func (s *scan) endsWithoutSpace(offset int, m mark, r rune) bool {
	text := s.text
	if m.kind == weak {
		return false
	}
	previous, _ := utf8.DecodeLastRuneInString(text[:offset])
	if m.kind == hard {
		// In Japanese a particle after a quotation goes on with the sentence. A mark may belong to a
		// title: 《摔跤吧！爸爸》.
		return !(m.end > m.terminated && strings.ContainsRune("とっのはがをにでもなやかだし", r)) && !inTitle(text, s.start, offset)
	}
	if isUnspaced(r) && isUnspaced(previous) && m.kind != ellipsis {
		// ดร.สมิธ, ม.ค.: no sentence ends with it. In Korean a particle goes on behind a quotation: "가자."라고.
		return !(m.kind == fullStop && isThaiLao(previous) || m.end > m.terminated && unicode.Is(unicode.Hangul, r))
	}
	if m.end > m.terminated || !unicode.IsUpper(r) {
		return false
	}
	// A space is missing: "It works.The rest". Names of files are in Latin letters.
	if word, _ := wordBefore(text, s.start, offset); isLowerWord(word) {
		return s.startsWith(text, m.next) && isWordEndAt(text, m.next) ||
			m.single && previous > unicode.MaxLatin1 && !unicode.Is(unicode.Latin, previous) &&
				utf8.RuneCountInString(word) >= 5 && s.classOf(word) == common
	}
	return false
}

// endsWeakly decides at a mark that ends sentences in some languages or places only, where
// the first letter is at text[place].
func (s *scan) endsWeakly(offset, place int, first rune) bool {
	if rune(s.text[offset]) == s.mark {
		return unicode.IsLetter(first) && !isLower(first)
	}
	// Where a usual first word has a capital, the writer began a sentence.
	return unicode.IsUpper(first) && !(s.pronoun && wordAfter(s.text, place) == "I") && s.startsWith(s.text, place)
}

// endsBeforeLower decides where a lower-case letter follows at text[place].
func (s *scan) endsBeforeLower(offset, place int, m mark, dash bool) bool {
	text := s.text
	switch {
	case m.end > m.terminated || dash: // "Why?" he asked.
		return false
	case m.kind == exclaim:
		// Some write English like this: "Why? because." In other languages a small letter goes on with the sentence, as it
		// does behind a name: "at Yahoo! in".
		begin, _ := utf8.DecodeRuneInString(text[s.start:])
		return (s.pronoun || isLower(begin)) &&
			!(m.terminated == offset+1 && (text[offset] == '!' && isNameBefore(text, s.start, offset) || s.isSubject(offset, place)))
	case m.single:
		// Some write no capitals. Addresses have none.
		word, _ := wordBefore(text, s.start, offset)
		if !isLowerWord(word) || utf8.RuneCountInString(word) < 3 || s.classOf(word) != common {
			return false
		}
		if isAddress(text[place:]) {
			return true
		}
		next := wordAfter(text, place)
		begin, _ := utf8.DecodeRuneInString(text[s.start:])
		return s.pronoun && next == "i" || isLower(begin) && s.startsLower(next)
	}
	return false
}

// abbreviated reports whether the full stop at text[offset] belongs to the word
// before it and ends no sentence, where no lower-case letter and no digit
// follows at text[next].
func (s *scan) abbreviated(offset, next int) bool {
	text := s.text
	word, begin := wordBefore(text, s.start, offset)
	if word == "" {
		return false
	}
	if (begin == s.start || begin == skipBullet(text, s.start)) && isListMark(word) {
		return true
	}
	switch s.class(text, s.start, begin, word) {
	case never:
		return true
	case maybe: // "A. A. Milne", "in 2002 г. – That"
		r, _ := utf8.DecodeRuneInString(text[next:])
		return isDash(r) || !s.startsWith(text, next) || isInitial(word) && isInitialAt(text, next)
	case ordinal:
		r, _ := utf8.DecodeRuneInString(text[next:])
		return unicode.IsLetter(r) && !s.startsWith(text, next)
	case number:
		nextWord := wordAfter(text, next)
		return isRoman(nextWord) || isNumbered(nextWord)
	}
	return false
}

// endsBeforeNumber reports whether the full stop at text[offset] ends a sentence
// where a digit follows at text[next]: not after abbreviations and short words,
// which may be abbreviations that the lists lack, and not after short numbers.
// Before the number of a list item short words end a sentence too.
func (s *scan) endsBeforeNumber(offset, next int) bool {
	text := s.text
	word, begin := wordBefore(text, s.start, offset)
	if begin == s.start && isListMark(word) {
		return false
	}
	if isBook(text, s.start, begin, word, next) {
		return false
	}
	if isDigits(word) {
		return len(word) >= 4 && !isItem(text, next) // 2024. 3. 5.
	}
	if word != "" && s.class(text, s.start, begin, word) != common {
		return false
	}
	if strings.HasSuffix(word, "str") { // Hauptstr. 5
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	cased := isLower(last) || unicode.IsUpper(last)
	return !cased || utf8.RuneCountInString(word) >= 4 || isItem(text, next)
}
