// Package disguise writes texts in other scripts: what a model learns of pages in English then holds
// for pages in Chinese or Thai, too. It is not a translation; nothing is left of the words but their lengths, their marks
// and which of them are the same.
package disguise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// disguised is how many domains there are for each whose pages are also trained on in another script.
const disguised = 2

// ForDomain returns the function that writes the texts of a domain in another script, or nil for about every second
// domain. The domain decides which script, and equal words of it stay equal. The function may be used from several
// goroutines and takes time in proportion to the text.
func ForDomain(domain string) func(text string) string {
	h := xxh3.HashString(domain)
	if h%disguised != 0 {
		return nil
	}
	script := scripts[h/disguised%uint64(len(scripts))]
	return func(text string) string { return script.disguise(text, uint32(h>>32)) }
}

// script is a way to write that differs from that of European languages.
type script struct {
	first   rune // of its letters
	letters int
	// most is how many letters of a word stay: words of Chinese are short.
	most         int
	spaces       bool // between words
	capitals     rune // how far before a letter its capital is, 0 for none
	stop, comma  string
	ask, exclaim string
}

// scripts are those that disguise writes: Chinese, Thai, Khmer, Ethiopic and Cyrillic.
var scripts = []script{
	{first: 0x4e00, letters: 4000, most: 2, stop: "。", comma: "，", ask: "？", exclaim: "！"},
	{first: 0x0e01, letters: 46, most: 5, stop: " ", comma: " ", ask: " ", exclaim: " "},
	{first: 0x1780, letters: 35, most: 5, stop: "។ ", comma: " ", ask: "? ", exclaim: "! "},
	{first: 0x1200, letters: 72, most: 4, spaces: true, stop: "።", comma: "፣", ask: "?", exclaim: "!"},
	{first: 0x0430, letters: 32, most: 12, spaces: true, capitals: 0x20, stop: ".", comma: ",", ask: "?", exclaim: "!"},
}

// disguise writes a text in another script: equal words of one seed stay equal, capitals vanish where the script has none, digits and
// signs stay, and words are parted, or not, as the script does.
func (s script) disguise(text string, seed uint32) string {
	var b strings.Builder
	b.Grow(2 * len(text))
	hash, length, capital := seed, 0, false
	end := func() {
		for n := range min(length, s.most) {
			letter := s.first + rune(hash>>(2*n)%uint32(s.letters))
			if n == 0 && capital {
				letter -= s.capitals
			}
			b.WriteRune(letter)
		}
		hash, length = seed, 0
	}
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(text[i:])
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			if length == 0 {
				capital = unicode.IsUpper(r)
			}
			hash = (hash ^ uint32(unicode.ToLower(r))) * 16777619
			length++
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+width:])
		last := i+width == len(text) || unicode.IsSpace(next) || next == '"' || next == '”'
		inWord := length > 0
		end()
		switch {
		case r == ' ':
			if s.spaces || !inWord || !unicode.IsLetter(next) {
				b.WriteByte(' ')
			}
		case r == '.' && last:
			b.WriteString(s.stop)
		case r == ',' && last:
			b.WriteString(s.comma)
		case r == '?' && last:
			b.WriteString(s.ask)
		case r == '!' && last:
			b.WriteString(s.exclaim)
		default:
			b.WriteRune(r)
		}
	}
	end()
	return strings.Join(strings.Fields(b.String()), " ")
}
