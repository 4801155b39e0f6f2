package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// narrowest and widest are the widths of columns of text that are known to be
	// wrapped: a newspaper's column, and a terminal's line with some more.
	narrowest, widest = 30, 130
	// slack is how many characters a line may end earlier than the rule of the next
	// word says, for programs that count differently.
	slack = 2
	// fullLines is the percentile of the lengths of lines that is taken for the width.
	fullLines = 90
)

// Paragraphs splits plain text at blank lines into paragraphs, in order. White space of
// all scripts, and control characters with it, is collapsed and trimmed; soft hyphens and
// byte order marks are dropped; no paragraph is empty.
//
// Lines that a program broke to fit a width are joined: with a space, or with nothing
// between two characters of scripts without spaces and after a hyphen between letters
// (the hyphen stays, for it may belong to the word). Other line ends, of verse, lists
// and addresses, remain as "\n". A line end counts as made by a program if the first
// word of the next line would not have fitted on the line. The width is the 90th
// percentile of the lengths of all lines that another follows, in characters, and has
// to be between 30 and 130. A line that is indented more than the one before, or begins
// as an item of a list, is never joined to it.
//
// Lines end as those of Lines and Blocks do. The text is gone through twice, and takes no memory but that of the paragraph at
// hand, and of a copy if it has "\r".
func Paragraphs(content string) iter.Seq[string] {
	if strings.IndexByte(content, '\r') >= 0 {
		content = feeds.Replace(content)
	}
	return func(yield func(string) bool) {
		width := wrapWidth(content)
		var b []byte
		var previous textLine
		for raw := range strings.SplitSeq(content, "\n") {
			l := lineOf(raw)
			if l.length == 0 {
				if len(b) > 0 && !yield(string(b)) {
					return
				}
				b = b[:0]
				continue
			}
			if len(b) > 0 {
				b = appendJoint(b, previous, l, width)
			}
			b = append(b, l.text...)
			previous = l
		}
		if len(b) > 0 {
			yield(string(b))
		}
	}
}

// feeds makes "\n" of the other line ends.
var feeds = strings.NewReplacer("\r\r\n", "\n", "\r\n", "\n", "\r", "\n")

// textLine is a line with white space collapsed.
type textLine struct {
	text   string
	length int // in characters; 0 for a blank line
	first  int // length of its first word
	indent int // white space before it, in characters
	item   bool
}

func lineOf(raw string) textLine {
	text := collapse(raw)
	l := textLine{text: text, length: utf8.RuneCountInString(text), item: isItem(text)}
	for _, r := range raw {
		if !unicode.IsSpace(r) {
			break
		}
		l.indent++
	}
	first, _, _ := strings.Cut(text, " ")
	for _, r := range first {
		l.first++
		if unspaced(r) {
			break // a line may break after each character
		}
	}
	return l
}

// collapse returns s with white space collapsed and trimmed, and without invisible
// characters.
func collapse(s string) string {
	if isCollapsed(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	pending := false
	for _, r := range s {
		switch {
		case invisible(r):
		case r < ' ' || r >= 0x7f && r < 0xa0 || unicode.IsSpace(r):
			pending = b.Len() > 0
		default:
			if pending {
				b.WriteByte(' ')
				pending = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isCollapsed reports whether collapse would leave s as it is.
func isCollapsed(s string) bool {
	space := true
	for _, r := range s {
		switch {
		case r > ' ' && r < 0x7f:
			space = false
		case r == ' ':
			if space {
				return false
			}
			space = true
		case r < 0xa0 || r == utf8.RuneError || invisible(r) || unicode.IsSpace(r):
			return false
		default:
			space = false
		}
	}
	return !space || s == ""
}

// invisible reports whether r is a soft hyphen, a byte order mark or no character.
func invisible(r rune) bool {
	return r == '\u00ad' || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}

// unspaced reports whether r is of a script that writes words without spaces and
// breaks lines anywhere.
func unspaced(r rune) bool {
	if r < 0x2e80 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Yi) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 &&
		r <= 0xff60
}

// isItem reports whether a line begins as an item of a list: "- x", "* x", "12. x", "3) x".
func isItem(s string) bool {
	mark, rest, found := strings.Cut(s, " ")
	if !found || rest == "" {
		return false
	}
	switch mark {
	case "-", "*", "+", "•", "–", "—", "·", "◦", "▪":
		return true
	}
	digits := strings.TrimLeft(mark, "0123456789")
	return (digits == "." || digits == ")") && len(mark) >= 2 && len(mark) <= 4
}

// wrapWidth returns the width that the text was wrapped at, or 0.
func wrapWidth(content string) int {
	var counts [widest + 2]int // of lines that another follows, by length; the last of longer ones
	total, previous := 0, 0
	for raw := range strings.SplitSeq(content, "\n") {
		length := utf8.RuneCountInString(collapse(raw))
		if length > 0 && previous > 0 {
			counts[min(previous, widest+1)]++
			total++
		}
		previous = length
	}
	if total == 0 {
		return 0
	}
	width, rank := 0, (total-1)*fullLines/100
	for width <= widest && rank >= counts[width] {
		rank -= counts[width]
		width++
	}
	if width < narrowest || width > widest {
		return 0
	}
	return width
}

// appendJoint appends to b what stands between two lines of a paragraph.
func appendJoint(b []byte, line, next textLine, width int) []byte {
	full := width > 0 && line.length+1+next.first > width-slack && line.length <= width+width/4
	if !full || next.item || next.indent > line.indent {
		return append(b, '\n')
	}
	last, size := utf8.DecodeLastRuneInString(line.text)
	first, _ := utf8.DecodeRuneInString(next.text)
	if unspaced(last) && unspaced(first) {
		return b
	}
	if last == '-' {
		previous, _ := utf8.DecodeLastRuneInString(line.text[:len(line.text)-size])
		if unicode.IsLetter(previous) && unicode.IsLetter(first) {
			return b
		}
	}
	return append(b, ' ')
}
