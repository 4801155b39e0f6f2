package charset

import (
	"bytes"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// leastShare is how many valid sequences UTF-8 that is called so has for each byte that is damaged.
	leastShare = 4
	// leastWide is from how many valid sequences on a text that is said to be in a set of two bytes a
	// character is UTF-8. Such a sequence is one character of GBK or EUC-KR by a chance of 0.15 at most, and
	// all of the text has to be of them.
	leastWide = 4
	// mostDamaged and leastDamaged: damaged UTF-8 that is said to be in another set has at most one damaged
	// byte for so many valid sequences, and at least so many of these.
	mostDamaged, leastDamaged = 10, 8
)

// surrogate returns the half of a character of UTF-16 at the beginning of data that is written as if it was a character itself, in
// three bytes, or 0. Java, Oracle and JavaScript write so; no text in another set has such bytes.
func surrogate(data []byte) rune {
	if len(data) < 3 || data[0] != 0xed || data[1] < 0xa0 || data[1] > 0xbf || data[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(data[1]&0x3f)<<6 | rune(data[2]&0x3f)
}

// paired returns data with characters in the place of two halves.
func paired(data []byte) []byte {
	var text []byte
	last := 0
	for i := 0; i+6 <= len(data); i++ {
		if data[i] != 0xed {
			continue
		}
		if r := utf16.DecodeRune(surrogate(data[i:]), surrogate(data[i+3:])); r != utf8.RuneError {
			text = utf8.AppendRune(append(text, data[last:i]...), r)
			last, i = i+6, i+5
		}
	}
	if last == 0 {
		return data
	}
	return append(text, data[last:]...)
}

// countUTF8 returns how many characters beyond ASCII are UTF-8, and how many bytes are
// none. A character that the end of the data has cut counts as neither, and half a one of UTF-16 as one.
func countUTF8(data []byte) (valid, invalid int) {
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			valid++
		case !utf8.FullRune(data[i:]):
			return valid, invalid
		case surrogate(data[i:]) != 0:
			valid, size = valid+1, 3
		default:
			invalid++
		}
		i += size
	}
	return valid, invalid
}

// withoutCutCharacter returns data without the bytes at its end that begin a character of UTF-8 and do not end it, as in a page
// that a crawler has cut.
func withoutCutCharacter(data []byte) []byte {
	for i := len(data) - 1; i >= max(0, len(data)-utf8.UTFMax); i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return data[:i]
			}
			break
		}
	}
	return data
}

// ReadsAsUTF8 reports whether data with characters beyond ASCII is UTF-8, although it is said to
// be in c; none stands for nothing said. A wrong declaration is the commonest fault of pages.
//
// Text in a set of single bytes is valid UTF-8 by no chance: of 45,552 sentences of Tatoeba in 28
// languages, in their sets, none with a character beyond ASCII was. In sets of two bytes a
// few characters can be; then UTF-8 is right if in the set the characters are rare, or in UTF-8 they are letters in
// Latin words, marks, symbols at letters or digits, or common words.
func (c Charset) ReadsAsUTF8(data []byte) bool {
	valid, invalid := countUTF8(data)
	switch {
	case valid == 0:
		return false
	case !c.Known() || c.IsUTF8():
		return valid >= leastShare*invalid
	case invalid > 0 || c.IsUTF16Or32():
		return valid >= leastDamaged && valid >= mostDamaged*invalid
	}
	wide := c.wide()
	return wide == nil || valid >= leastWide || !wide.common(data) || readsAsWords(data, wide.single != nil)
}

// readsAsWords reports whether the words and marks beyond ASCII of valid UTF-8 are such as texts have, and not what chance makes of
// characters in a set of two bytes. Letters are enough where the other reading is kana of half width.
func readsAsWords(data []byte, letters bool) bool {
	isGap := func(r rune) bool { return r < utf8.RuneSelf && !isLetterOfASCII(r) && (r < '0' || r > '9') }
	for word := range bytes.FieldsFuncSeq(data, isGap) {
		if !readsAsWord(word, letters) {
			return false
		}
	}
	return true
}

func isLetterOfASCII(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// readsAsWord reports that of a word, with the marks in it.
func readsAsWord(word []byte, letters bool) bool {
	latin := bytes.ContainsFunc(word, isLetterOfASCII)
	if r, _ := utf8.DecodeRune(word); unicode.Is(unicode.Cyrillic, r) && len(tables().words[string(word)]) > 0 {
		return true
	}
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		prefix, suffix := word[:i], word[i+size:]
		i += size
		_, mark := marks[r]
		switch {
		case r < utf8.RuneSelf || mark || isUnit(r, prefix, suffix):
		case !unicode.IsLetter(r) || !tables().letters[unicode.ToLower(r)] || !letters && !(latin && unicode.Is(unicode.Latin, r)):
			return false
		}
	}
	return true
}

// isUnit reports whether r stands as signs of units and numbers do between characters of ASCII, such as in m², µm, 5 kΩ, 10½, ±5 and ¥5.
func isUnit(r rune, prefix, suffix []byte) bool {
	switch {
	case unicode.Is(unicode.No, r) || r == 'Ω':
		return len(prefix) > 0 && prefix[len(prefix)-1] < utf8.RuneSelf
	case r == 'µ' || r == 'μ':
		return len(suffix) > 0 && isLetterOfASCII(rune(suffix[0]))
	case r < 0x100 || r >= 0x2000: // between them are marks of phonetics
		return (unicode.IsSymbol(r) || unicode.IsPunct(r)) && len(suffix) > 0 && suffix[0] >= '0' && suffix[0] <= '9'
	}
	return false
}
