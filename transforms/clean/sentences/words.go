package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes of the longest word before a full stop that can
// be an abbreviation, and of the longest first word that is looked up.
const maxWord = 32

// wordBefore returns the word that ends at text[at], without what opens it, and
// where it begins; "" if white space or punctuation stands there, or if the word
// is longer than any abbreviation. Full stops and hyphens inside belong to it.
func wordBefore(text string, start, at int) (word string, from int) {
	from = at
	for from > start {
		r, width := utf8.DecodeLastRuneInString(text[start:from])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '.' && r != '-' && !isOrdinalSign(r) {
			break
		}
		if from -= width; at-from > maxWord {
			return "", at
		}
	}
	return text[from:at], from
}

// class tells how a word with a full stop behaves.
type class uint8

const (
	common  class = iota // the full stop ends the sentence
	never                // it does not: "Dr."
	maybe                // it does if a usual first word follows: "Inc."
	number               // it does not before a number: "Nr."
	ordinal              // a number that the full stop makes an ordinal: "3."
)

// class classifies the word text[from:from+len(word)].
func (s *rules) class(text string, start, from int, word string) class {
	if c := s.classOf(word); c != common {
		return c
	}
	if at := strings.LastIndexByte(word, '-'); at >= 0 { // J.-P. Martin
		if before, width := utf8.DecodeLastRuneInString(word[:at]); before != '.' && width < at && !isDigits(word[at+1:]) {
			return common // Objective-C
		}
		word = word[at+1:]
		from += at + 1
	}
	first, width := utf8.DecodeRuneInString(word)
	before, _ := utf8.DecodeLastRuneInString(text[start:from])
	switch {
	case isDigits(word):
		if s.ordinals && len(word) <= 2 && before != ':' {
			return ordinal
		}
	case width == len(word):
		return s.letterClass(text, start, from, before, first)
	case isAcronym(word):
		if isLower(first) {
			return never
		}
		return maybe
	case s.ordinals && isRoman(word):
		return ordinal
	}
	return common
}

// classOf looks a word up in the lists of the language. A single capital is
// an initial and not looked up: "С." is not "с." for page.
func (s *rules) classOf(word string) class {
	if first, width := utf8.DecodeRuneInString(word); width == len(word) && unicode.IsUpper(first) {
		return common
	}
	var buffer [maxWord + 8]byte
	folded := fold(buffer[:0], word)
	switch {
	case listed(s.never, folded):
		return never
	case listed(s.maybe, folded):
		return maybe
	case listed(s.number, folded):
		return number
	case listed(everywhere, folded):
		return never
	}
	return common
}

// letterClass classifies the single letter r at text[from], which stands behind
// the character before (RuneError at the start): an initial, or a part of an
// abbreviation written with spaces ("z. B."), or a word of one letter. After a
// number it is a unit or "year" and can end a sentence ("в 1990 г.").
func (s *rules) letterClass(text string, start, from int, before, r rune) class {
	free := from == start || unicode.IsSpace(before) || isOpener(before) && before != '-'
	switch {
	case isDegree(text, start, from):
		return common // 20 deg. C.
	case r == 'I' && s.pronoun && !isNameBefore(text, start, trimSpace(text, start, from)):
		return common
	case unicode.IsUpper(r):
		if free || before == '-' || before == '’' || before == '/' {
			return maybe
		}
		return common // -20 °C.
	case isLower(r):
		if !free || before == '\'' {
			return common // vista-a., n'y., tv:n.
		}
		return s.spacedClass(text, start, from, r)
	case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Georgian):
		return never
	}
	return common
}

// isDegree reports whether "deg." or "degrees" stands before text[from]: the letter there is a unit.
func isDegree(text string, start, from int) bool {
	end := trimSpace(text, start, from)
	if end == from {
		return false
	}
	before := strings.TrimSuffix(text[start:end], ".")
	return strings.HasSuffix(before, " deg") || strings.HasSuffix(before, " degrees")
}

// spacedClass classifies the single lower-case letter r at text[from] by what
// stands before it.
func (s *rules) spacedClass(text string, start, from int, r rune) class {
	end := trimSpace(text, start, from)
	if end > start && text[end-1] == '.' {
		// The last letter of an abbreviation written with spaces: "z. B.", "и т. д."
		first, at := wordBefore(text, start, end-1)
		if utf8.RuneCountInString(first) == 1 {
			var buffer [maxWord]byte
			if listed(s.maybe, utf8.AppendRune(fold(buffer[:0], text[at:end]), r)) {
				return maybe
			}
			return never
		}
	}
	if end > start && text[end-1] >= '0' && text[end-1] <= '9' || strings.ContainsRune(s.words, r) {
		return common
	}
	return maybe
}

// listed searches a list of words that are parted by spaces.
func listed(list string, word []byte) bool {
	for {
		at := strings.Index(list, string(word))
		if at < 0 {
			return false
		}
		end := at + len(word)
		if list[at-1] == ' ' && list[end] == ' ' {
			return true
		}
		list = list[end:]
		if list[0] != ' ' {
			list = list[strings.IndexByte(list, ' '):]
		}
	}
}

// fold appends the lower-case form of word to dst.
func fold(dst []byte, word string) []byte {
	for _, r := range word {
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// wordAfter returns the letters and digits at text[at], up to maxWord bytes.
func wordAfter(text string, at int) string {
	end := at
	for end < len(text) && end-at < maxWord {
		r, width := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		end += width
	}
	return text[at:end]
}

// startsWith reports whether a usual first word of the language is at text[at],
// behind opening marks.
func (s *rules) startsWith(text string, at int) bool {
	for n := 0; n < maxOpeners && at < len(text); n++ {
		r, width := utf8.DecodeRuneInString(text[at:])
		if !isOpener(r) {
			break
		}
		at = skipSpace(text, at+width)
	}
	word := wordAfter(text, at)
	if word == "" {
		return false
	}
	var buffer [maxWord + 8]byte
	return listed(s.starters, append(buffer[:0], word...))
}

// startsLower reports whether word is a usual first word in small letters.
func (s *rules) startsLower(word string) bool {
	first, width := utf8.DecodeRuneInString(word)
	if word == "" || !isLower(first) {
		return false
	}
	var buffer [maxWord + 8]byte
	return listed(s.starters, append(utf8.AppendRune(buffer[:0], unicode.ToUpper(first)), word[width:]...))
}

// isWordEndAt reports whether the word at text[at] ends with white space, a comma or an apostrophe.
func isWordEndAt(text string, at int) bool {
	end := at + len(wordAfter(text, at))
	return isSpaceAt(text, end) || strings.HasPrefix(text[end:], ",") || strings.HasPrefix(text[end:], "'") || strings.HasPrefix(text[end:], "’")
}

// isLower reports whether r is a small letter. Sentences of Georgian begin with letters that Unicode counts as small.
func isLower(r rune) bool { return unicode.IsLower(r) && !unicode.Is(unicode.Georgian, r) }

// isLowerWord reports whether word is two or more small letters.
func isLowerWord(word string) bool {
	for _, r := range word {
		if !isLower(r) {
			return false
		}
	}
	return utf8.RuneCountInString(word) > 1
}

// isNameBefore reports whether the word that ends at text[at] has a capital and then small
// letters, and is not the first of the sentence that begins at start.
func isNameBefore(text string, start, at int) bool {
	word, from := wordBefore(text, start, at)
	first, width := utf8.DecodeRuneInString(word)
	return from > start && unicode.IsUpper(first) && isLowerWord(word[width:]) && trimSpace(text, start, from) > start
}

// isInitial reports whether word is a single capital.
func isInitial(word string) bool {
	r, width := utf8.DecodeRuneInString(word)
	return width == len(word) && unicode.IsUpper(r)
}

// isInitialAt reports whether a single capital and a full stop stand at text[at].
func isInitialAt(text string, at int) bool {
	word := wordAfter(text, at)
	return isInitial(word) && strings.HasPrefix(text[at+len(word):], ".")
}

// isAddress reports whether text begins with the address of a page.
func isAddress(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "www.")
}

// isOrdinalSign reports whether r is the sign in "N°" and "1ª".
func isOrdinalSign(r rune) bool { return r == '°' || r == 'º' || r == 'ª' }

func isDigits(word string) bool {
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return word != ""
}

// isRoman reports whether word is a Roman numeral of at most six capitals.
func isRoman(word string) bool {
	return word != "" && len(word) <= 6 && strings.Trim(word, "IVXLC") == ""
}

// isAcronym reports whether word is single letters, with their vowel signs, parted by full stops.
func isAcronym(word string) bool {
	letters := 0
	for word != "" {
		r, width := utf8.DecodeRuneInString(word)
		if !unicode.IsLetter(r) {
			return false
		}
		letters++
		if word = strings.TrimLeftFunc(word[width:], unicode.IsMark); word != "" {
			if word[0] != '.' {
				return false
			}
			word = word[1:]
		}
	}
	return letters > 1
}
