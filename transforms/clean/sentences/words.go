package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the length in bytes of the longest word before a full stop that can
// be an abbreviation, and of the longest first word that is looked up.
const maxWord = 32

// wordBefore returns the word that ends at text[offset], without what opens it, and
// where it begins; "" if white space or punctuation is there, or if the word
// is longer than any abbreviation. Full stops and hyphens inside belong to it.
func wordBefore(text string, start, offset int) (word string, begin int) {
	begin = offset
	for begin > start {
		r, width := utf8.DecodeLastRuneInString(text[start:begin])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '.' && r != '-' && !isOrdinalSign(r) {
			break
		}
		if begin -= width; offset-begin > maxWord {
			return "", offset
		}
	}
	return text[begin:offset], begin
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

// class classifies the word text[begin:begin+len(word)].
func (s *rules) class(text string, start, begin int, word string) class {
	if c := s.classOf(word); c != common {
		return c
	}
	if hyphen := strings.LastIndexByte(word, '-'); hyphen >= 0 { // J.-P. Martin
		if previous, width := utf8.DecodeLastRuneInString(word[:hyphen]); previous != '.' && width < hyphen && !isDigits(word[hyphen+1:]) {
			return common // Objective-C
		}
		word = word[hyphen+1:]
		begin += hyphen + 1
	}
	first, width := utf8.DecodeRuneInString(word)
	previous, _ := utf8.DecodeLastRuneInString(text[start:begin])
	switch {
	case isDigits(word):
		if s.ordinals && len(word) <= 2 && previous != ':' {
			return ordinal
		}
	case width == len(word):
		return s.letterClass(text, start, begin, previous, first)
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

// letterClass classifies the single letter r at text[begin], which is behind
// the previous character (RuneError at the start): an initial, or a part of an
// abbreviation written with spaces ("z. B."), or a word of one letter. After a
// number it is a unit or "year" and can end a sentence ("в 1990 г.").
func (s *rules) letterClass(text string, start, begin int, previous, r rune) class {
	free := begin == start || unicode.IsSpace(previous) || isOpener(previous) && previous != '-'
	switch {
	case isDegree(text, start, begin):
		return common // 20 deg. C.
	case r == 'I' && s.pronoun && !isNameBefore(text, start, trimSpace(text, start, begin)):
		return common
	case unicode.IsUpper(r):
		if free || previous == '-' || previous == '’' || previous == '/' {
			return maybe
		}
		return common // -20 °C.
	case isLower(r):
		if !free || previous == '\'' {
			return common // vista-a., n'y., tv:n.
		}
		return s.spacedClass(text, start, begin, r)
	case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Georgian):
		return never
	}
	return common
}

// isDegree reports whether "deg." or "degrees" comes before text[begin]: the letter there is a unit.
func isDegree(text string, start, begin int) bool {
	end := trimSpace(text, start, begin)
	if end == begin {
		return false
	}
	word := strings.TrimSuffix(text[start:end], ".")
	return strings.HasSuffix(word, " deg") || strings.HasSuffix(word, " degrees")
}

// spacedClass classifies the single lower-case letter r at text[begin] by what
// comes before it.
func (s *rules) spacedClass(text string, start, begin int, r rune) class {
	end := trimSpace(text, start, begin)
	if end > start && text[end-1] == '.' {
		// The last letter of an abbreviation written with spaces: "z. B.", "и т. д."
		first, wordStart := wordBefore(text, start, end-1)
		if utf8.RuneCountInString(first) == 1 {
			var buffer [maxWord]byte
			if listed(s.maybe, utf8.AppendRune(fold(buffer[:0], text[wordStart:end]), r)) {
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
		index := strings.Index(list, string(word))
		if index < 0 {
			return false
		}
		end := index + len(word)
		if list[index-1] == ' ' && list[end] == ' ' {
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

// wordAfter returns the letters and digits at text[offset], up to maxWord bytes.
func wordAfter(text string, offset int) string {
	end := offset
	for end < len(text) && end-offset < maxWord {
		r, width := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		end += width
	}
	return text[offset:end]
}

// startsWith reports whether a usual first word of the language is at text[offset],
// behind opening marks.
func (s *rules) startsWith(text string, offset int) bool {
	for n := 0; n < maxOpeners && offset < len(text); n++ {
		r, width := utf8.DecodeRuneInString(text[offset:])
		if !isOpener(r) {
			break
		}
		offset = skipSpace(text, offset+width)
	}
	word := wordAfter(text, offset)
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

// isWordEndAt reports whether the word at text[offset] ends with white space, a comma or an apostrophe.
func isWordEndAt(text string, offset int) bool {
	end := offset + len(wordAfter(text, offset))
	return isSpaceAt(text, end) || strings.HasPrefix(text[end:], ",") || strings.HasPrefix(text[end:], "'") ||
		strings.HasPrefix(text[end:], "’")
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

// isNameBefore reports whether the word that ends at text[offset] has a capital and then small
// letters, and is not the first of the sentence that begins at start.
func isNameBefore(text string, start, offset int) bool {
	word, begin := wordBefore(text, start, offset)
	first, width := utf8.DecodeRuneInString(word)
	return begin > start && unicode.IsUpper(first) && isLowerWord(word[width:]) && trimSpace(text, start, begin) > start
}

// isInitial reports whether word is a single capital.
func isInitial(word string) bool {
	r, width := utf8.DecodeRuneInString(word)
	return width == len(word) && unicode.IsUpper(r)
}

// isInitialAt reports whether a single capital and a full stop are at text[offset].
func isInitialAt(text string, offset int) bool {
	word := wordAfter(text, offset)
	return isInitial(word) && strings.HasPrefix(text[offset+len(word):], ".")
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
