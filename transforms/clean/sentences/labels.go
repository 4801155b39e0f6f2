package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isCaption reports whether the sentence that begins at start is, up to the full
// stop at text[offset], the label of a caption or a heading, which what follows at
// text[next] completes: one word and a number ("Table 11.3. Hardware",
// "Abbildung 4.2. Titel", "图 3. 标题"). Such a text has no verb and so is not a sentence
// in any language. After a number without parts it may be one ("Take 3. Then
// …", "In 1999. …"): there a usual first word of the language begins the next, and
// a year ends it.
func (s *rules) isCaption(text string, start, offset, next int) bool {
	if offset == start || text[offset-1] < '0' || text[offset-1] > '9' { // most words
		return false
	}
	word, begin := wordBefore(text, start, offset)
	number := word
	if begin == start {
		// Scripts without spaces may write the word and the number together: 图3.
		digits := strings.IndexAny(word, "0123456789")
		if digits <= 0 {
			return false
		}
		if last, _ := utf8.DecodeLastRuneInString(word[:digits]); !isUnspaced(last) {
			return false
		}
		word, number = word[:digits], word[digits:]
	} else {
		end := trimSpace(text, start, begin)
		if end == begin {
			return false
		}
		var first int
		if word, first = wordBefore(text, start, end); first != start {
			return false
		}
	}
	parts, ok := labelNumber(number)
	if !ok || !isLabel(word) {
		return false
	}
	return parts > 1 || len(number) < 4 && !s.startsWith(text, next)
}

// isLabel reports whether a word is letters and marks and does not begin with a
// lower-case letter.
func isLabel(word string) bool {
	for i, r := range word {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r)) || i == 0 && isLower(r) {
			return false
		}
	}
	return word != ""
}

// labelNumber returns the number of parts of a number like "3", "11.3", "2-1" or
// "A.4": digits, up to four in each part, where the first may be a capital.
func labelNumber(number string) (parts int, ok bool) {
	for len(number) > 0 {
		end := strings.IndexAny(number, ".-")
		if end < 0 {
			end = len(number)
		}
		part := number[:end]
		capital := parts == 0 && end < len(number) && len(part) == 1 && part[0] >= 'A' && part[0] <= 'Z'
		if !capital && (!isDigits(part) || len(part) > 4) {
			return 0, false
		}
		parts++
		if end == len(number) {
			return parts, true
		}
		number = number[end+1:]
	}
	return 0, false
}

// isListMark reports whether word, alone before its full stop, numbers an item of
// a list: "1", "12", "2.1", "a", "iv".
func isListMark(word string) bool {
	if utf8.RuneCountInString(word) == 1 {
		return true
	}
	if strings.Trim(word, "0123456789.") == "" {
		return len(word) <= 3 || strings.Contains(word, ".")
	}
	return len(word) <= 4 && (strings.Trim(word, "ivx") == "" || isRoman(word))
}

// labelBefore returns the label of a list item that ends with the full stop or the bracket at
// text[offset], and where it begins: up to three digits or a small letter, as in "1.", "1)", "1.)", "(1)" and
// "a)". The number is 0 if there is none.
func labelBefore(text string, start, offset int) (begin int, label item) {
	end := offset
	label.style = "."
	if text[offset] == ')' {
		label.style = ")"
		if end > start && text[end-1] == '.' {
			label.style, end = ".)", end-1
		}
	}
	begin = end
	for begin > start && end-begin < 3 && text[begin-1] >= '0' && text[begin-1] <= '9' {
		begin--
	}
	switch {
	case begin < end:
		for _, digit := range []byte(text[begin:end]) {
			label.number = 10*label.number + int(digit-'0')
		}
	case begin > start && text[begin-1] >= 'a' && text[begin-1] <= 'z':
		begin--
		label.number, label.letter = int(text[begin]-'a')+1, true
	default:
		return offset, item{}
	}
	if begin > start && text[begin-1] == '(' && text[offset] == ')' {
		begin--
	}
	previous, _ := utf8.DecodeLastRuneInString(text[start:begin])
	if begin > start && !unicode.IsSpace(previous) && previous != hyphenBullet {
		return offset, item{}
	}
	return begin, label
}

// skipBullet returns the place behind the bullet at text[offset] and its white space, or offset.
func skipBullet(text string, offset int) int {
	switch r, width := utf8.DecodeRuneInString(text[offset:]); r {
	case '•', '‣', '◦', '▪', '●', '■', hyphenBullet, '-', '–', '*':
		return skipSpace(text, offset+width)
	}
	return offset
}

// noteNumber returns the end of the raised number of a footnote at text[end], behind the full stop at text[offset]: "It fell.1 Then"
// but not "fig.1 Then", or end.
func (s *scan) noteNumber(offset, end int) int {
	text, numberEnd := s.text, end
	for numberEnd < len(text) && numberEnd < end+3 && text[numberEnd] >= '0' && text[numberEnd] <= '9' {
		numberEnd++
	}
	next, _ := utf8.DecodeRuneInString(text[skipSpace(text, numberEnd):])
	if numberEnd == end || !isSpaceAt(text, numberEnd) || numberEnd < len(text) && !unicode.IsUpper(next) {
		return end
	}
	if word, _ := wordBefore(text, s.start, offset); !isLowerWord(word) || utf8.RuneCountInString(word) < 3 || s.classOf(word) != common {
		return end
	}
	return numberEnd
}
