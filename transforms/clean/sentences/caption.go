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
func (s Splitter) isCaption(text string, start, at, next int) bool {
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
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsMark(r)) || i == 0 && unicode.IsLower(r) {
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
