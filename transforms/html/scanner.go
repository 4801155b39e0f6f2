package html

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// tokenKind is what a scanner finds.
type tokenKind uint8

const (
	endOfText tokenKind = iota
	startTag
	endTag
	comment // also doctypes and processing instructions
)

// scanner finds the tags of a page. It is for estimates: where the parser's tokenizer
// decodes and copies, it only looks for the ends of things, several times faster.
type scanner struct {
	text       []byte
	at         int
	token      tokenKind
	name       atom.Atom // of a tag; 0 where it is not a name of HTML
	attributes []byte    // of a start tag, raw
	lower      [16]byte
}

// next moves to the next tag and reports whether there is text before it.
func (s *scanner) next() bool {
	from := s.at
	for {
		i := bytes.IndexByte(s.text[s.at:], '<')
		if i < 0 || s.at+i+1 >= len(s.text) {
			s.at = len(s.text)
			s.token = endOfText
			return s.at > from
		}
		start := s.at + i
		s.at = start + 1
		switch c := s.text[s.at]; {
		case letter(c):
			s.token = startTag
			s.tag()
		case c == '/' && s.at+1 < len(s.text) && letter(s.text[s.at+1]):
			s.at++
			s.token = endTag
			s.tag()
		case c == '!' || c == '?' || c == '/':
			s.token = comment
			s.comment()
		default:
			continue // a bare "<" is text
		}
		return start > from
	}
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// tag reads a name and skips to the end of the tag.
func (s *scanner) tag() {
	n := 0
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c <= ' ' || c == '>' || c == '/' {
			break
		}
		if n < len(s.lower) {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			s.lower[n] = c
		}
		n++
		s.at++
	}
	s.name = 0
	if n <= len(s.lower) {
		s.name = atom.Lookup(s.lower[:n])
	}
	start := s.at
	s.at = tagEnd(s.text, s.at)
	s.attributes = s.text[start:s.at]
	s.at = min(s.at+1, len(s.text))
}

// tagEnd returns the position of the ">" that ends a tag whose attributes begin at i,
// or the length of text. A ">" between quotes does not count.
func tagEnd(text []byte, i int) int {
	value := false // after "=": a quote opens a value
	for i < len(text) {
		switch c := text[i]; {
		case c == '>':
			return i
		case c == '=':
			value = true
		case value && (c == '"' || c == '\''):
			j := bytes.IndexByte(text[i+1:], c)
			if j < 0 {
				return len(text)
			}
			i += j + 1
			value = false
		case c > ' ':
			value = false
		}
		i++
	}
	return i
}

// comment skips to the end of a comment or the like.
func (s *scanner) comment() {
	end := ">"
	rest := s.text[s.at:]
	if bytes.HasPrefix(rest, []byte("!--")) {
		rest = rest[3:]
		s.at += 3
		if !bytes.HasPrefix(rest, []byte(">")) && !bytes.HasPrefix(rest, []byte("->")) {
			end = "-->"
		}
	}
	i := bytes.Index(rest, []byte(end))
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

// skipRawText moves to the end tag of an element in which tags are text, and reports
// whether it moved.
func (s *scanner) skipRawText() bool {
	switch s.name {
	case atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp, atom.Iframe,
		atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext:
	default:
		return false
	}
	from, name := s.at, s.lower[:len(s.name.String())]
	for {
		i := bytes.Index(s.text[s.at:], []byte("</"))
		if i < 0 || s.name == atom.Plaintext {
			s.at = len(s.text)
			return s.at > from
		}
		s.at += i + 2
		if len(s.text)-s.at >= len(name) && bytes.EqualFold(s.text[s.at:s.at+len(name)], name) {
			s.at -= 2
			return s.at > from
		}
	}
}
