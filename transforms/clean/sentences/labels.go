package sentences

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isCaption reports whether the sentence that begins at start is, up to the full
// stop at text[at], the label of a caption or a heading, which what follows at
// text[next] completes: one word and a number ("Table 11.3. Hardware",
// "Abbildung 4.2. Titel", "图 3. 标题"). Such a text has no verb and so is no sentence
// in any language. After a number without parts it may be one ("Take 3. Then
// …", "In 1999. …"): there a usual first word of the language begins the next, and
// a year ends it.
func (s *rules) isCaption(text string, start, at, next int) bool {
	if at == start || text[at-1] < '0' || text[at-1] > '9' { // most words
		return false
	}
	word, from := wordBefore(text, start, at)
	number := word
	if from == start {
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
		end := trimSpace(text, start, from)
		if end == from {
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
// text[at], and where it begins: up to three digits or a small letter, as in "1.", "1)", "1.)", "(1)" and
// "a)". The number is 0 if there is none.
func labelBefore(text string, start, at int) (from int, found item) {
	end := at
	found.style = "."
	if text[at] == ')' {
		found.style = ")"
		if end > start && text[end-1] == '.' {
			found.style, end = ".)", end-1
		}
	}
	from = end
	for from > start && end-from < 3 && text[from-1] >= '0' && text[from-1] <= '9' {
		from--
	}
	switch {
	case from < end:
		for _, digit := range []byte(text[from:end]) {
			found.number = 10*found.number + int(digit-'0')
		}
	case from > start && text[from-1] >= 'a' && text[from-1] <= 'z':
		from--
		found.number, found.letter = int(text[from]-'a')+1, true
	default:
		return at, item{}
	}
	if from > start && text[from-1] == '(' && text[at] == ')' {
		from--
	}
	before, _ := utf8.DecodeLastRuneInString(text[start:from])
	if from > start && !unicode.IsSpace(before) && before != hyphenBullet {
		return at, item{}
	}
	return from, found
}

// skipBullet returns the place behind the bullet at text[at] and its white space, or at.
func skipBullet(text string, at int) int {
	switch r, width := utf8.DecodeRuneInString(text[at:]); r {
	case '•', '‣', '◦', '▪', '●', '■', hyphenBullet, '-', '–', '*':
		return skipSpace(text, at+width)
	}
	return at
}

// noteNumber returns the end of the raised number of a footnote at text[end], behind the full stop at text[at]: "It fell.1 Then"
// but not "fig.1 Then", or end.
func (s *scan) noteNumber(at, end int) int {
	text, behind := s.text, end
	for behind < len(text) && behind < end+3 && text[behind] >= '0' && text[behind] <= '9' {
		behind++
	}
	next, _ := utf8.DecodeRuneInString(text[skipSpace(text, behind):])
	if behind == end || !isSpaceAt(text, behind) || behind < len(text) && !unicode.IsUpper(next) {
		return end
	}
	if word, _ := wordBefore(text, s.start, at); !isLowerWord(word) || utf8.RuneCountInString(word) < 3 || s.classOf(word) != common {
		return end
	}
	return behind
}
