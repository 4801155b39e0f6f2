package html

import (
	"bytes"
	"io"
	"strings"

	nethtml "golang.org/x/net/html"
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

// scanner finds the tags of a page where the parser's tokenizer finds them, but that it
// takes the content of script, title and the like for text everywhere. Where the
// tokenizer decodes and copies, it only looks for the ends of things, several times
// faster.
type scanner struct {
	text        []byte
	at          int
	token       tokenKind
	start       int       // of the token; it ends at at
	name        atom.Atom // of a tag; 0 where it is not a name of HTML
	nameEnd     int
	attributes  int // of a start tag
	selfClosing bool
	lower       [16]byte
	unended     map[atom.Atom]bool // raw elements of which no end tag is left
	noscript    bool               // what noscript holds is tags
}

// next moves to the next tag and reports whether there is text before it.
func (s *scanner) next() bool {
	position := s.at
	for {
		i := bytes.IndexByte(s.text[s.at:], '<')
		if i < 0 || s.at+i+1 >= len(s.text) {
			s.at = len(s.text)
			s.token = endOfText
			return s.at > position
		}
		s.start = s.at + i
		s.at = s.start + 1
		switch c := s.text[s.at]; {
		case letter(c):
			s.token = startTag
			s.tag()
		case c == '/' && s.at+1 < len(s.text) && letter(s.text[s.at+1]):
			s.at++
			s.token = endTag
			s.tag()
		case c == '!' || c == '?' || c == '/' && s.at+1 < len(s.text):
			s.token = comment
			s.comment()
		default:
			continue // a bare "<" is text
		}
		return s.start > position
	}
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func tagSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// tag moves past a tag, from the first letter of its name. One that does not end is
// dropped by the parser, so that it ends the text.
func (s *scanner) tag() {
	n := 0
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if tagSpace(c) || c == '>' || c == '/' {
			break
		}
		if n < len(s.lower) {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			s.lower[n] = c
		}
		n++
	}
	s.nameEnd = s.at
	s.name = 0
	if n <= len(s.lower) {
		s.name = atom.Lookup(s.lower[:n])
	}
	a := attributeScanner{text: s.text, at: s.at}
	s.attributes = 0
	for a.next() {
		if a.keyEnd > a.key {
			s.attributes++
		}
	}
	s.at = a.at
	if s.at == len(s.text) {
		s.token = endOfText
		return
	}
	s.selfClosing = s.text[s.at-1] == '/' && a.valueEnd != s.at
	s.at++
}

// nameBytes returns the name of the tag as it is written.
func (s *scanner) nameBytes() []byte {
	start := s.start + 1
	if s.token == endTag {
		start++
	}
	return s.text[start:s.nameEnd]
}

// attributeScanner finds the attributes of a tag as the parser's tokenizer does.
type attributeScanner struct {
	text        []byte
	at          int // at last, where the ">" stands, or the length of text
	key, keyEnd int // an empty key is not an attribute
	valueEnd    int // without a quote
	end         int // with it
}

// next moves to the next attribute and reports whether there is one.
func (a *attributeScanner) next() bool {
	a.space()
	if a.at == len(a.text) || a.text[a.at] == '>' {
		return false
	}
	a.key = a.at
	for ; a.at < len(a.text); a.at++ {
		c := a.text[a.at]
		if tagSpace(c) || c == '/' || c == '>' || c == '=' && a.at > a.key {
			break
		}
	}
	a.keyEnd, a.valueEnd, a.end = a.at, a.at, a.at
	a.space()
	if a.at == len(a.text) {
		return true
	}
	switch a.text[a.at] {
	case '/':
		a.at++
		return true
	case '=':
		a.at++
		a.end = a.at
	default:
		return true
	}
	a.space()
	if a.at == len(a.text) {
		return true
	}
	switch quote := a.text[a.at]; quote {
	case '>':
	case '"', '\'':
		i := bytes.IndexByte(a.text[a.at+1:], quote)
		if i < 0 {
			a.at = len(a.text)
			return true
		}
		a.at += i + 2
		a.valueEnd, a.end = a.at-1, a.at
	default:
		for a.at < len(a.text) && !tagSpace(a.text[a.at]) && a.text[a.at] != '>' {
			a.at++
		}
		a.valueEnd, a.end = a.at, a.at
	}
	return true
}

func (a *attributeScanner) space() {
	for a.at < len(a.text) && tagSpace(a.text[a.at]) {
		a.at++
	}
}

// comment moves past a comment or the like.
func (s *scanner) comment() {
	rest := s.text[s.at:]
	if !bytes.HasPrefix(rest, []byte("!--")) {
		s.skipPast(">")
		return
	}
	s.at += len("!--")
	rest = s.text[s.at:]
	switch {
	case bytes.HasPrefix(rest, []byte(">")):
		s.at++
	case bytes.HasPrefix(rest, []byte("->")):
		s.at += 2
	default:
		// One search for both ends, so that none goes through the same text twice.
		for {
			i := bytes.Index(s.text[s.at:], []byte("--"))
			if i < 0 {
				s.at = len(s.text)
				return
			}
			s.at += i + 2
			if rest := s.text[s.at:]; bytes.HasPrefix(rest, []byte(">")) {
				s.at++
				return
			} else if bytes.HasPrefix(rest, []byte("!>")) {
				s.at += 2
				return
			}
			s.at-- // the second hyphen may be the first of the end
		}
	}
}

// skipPast moves past the next end, or to the end of the text.
func (s *scanner) skipPast(end string) {
	i := bytes.Index(s.text[s.at:], []byte(end))
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + len(end)
}

// isRaw reports whether the tokenizer takes the content of the start tag for text.
func (s *scanner) isRaw() bool {
	switch s.name {
	case atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp, atom.Iframe,
		atom.Noembed, atom.Noframes, atom.Plaintext:
		return true
	case atom.Noscript:
		return !s.noscript
	}
	return false
}

// rawEnd returns where the content of the start tag ends, in which tags are text, and
// whether an end tag is there.
func (s *scanner) rawEnd() (end int, closed bool) {
	if s.name == atom.Plaintext || s.unended[s.name] {
		return len(s.text), false
	}
	name := s.name.String()
	for offset := s.at; ; offset += len("</") {
		i := bytes.Index(s.text[offset:], []byte("</"))
		if i < 0 {
			if s.unended == nil {
				s.unended = map[atom.Atom]bool{}
			}
			s.unended[s.name] = true
			return len(s.text), false
		}
		offset += i
		nameEnd := offset + len("</") + len(name)
		if nameEnd >= len(s.text) || !bytes.EqualFold(s.text[offset+len("</"):nameEnd], []byte(name)) {
			continue
		}
		if c := s.text[nameEnd]; !tagSpace(c) && c != '/' && c != '>' {
			continue
		}
		if s.name == atom.Script && bytes.Contains(s.text[s.at:offset], []byte("<!--")) {
			return s.scriptEnd()
		}
		return offset, true
	}
}

// scriptEnd returns what rawEnd does of a script with a comment, within which the end
// tag of a script may be text. The tokenizer knows those rules.
func (s *scanner) scriptEnd() (end int, closed bool) {
	z := nethtml.NewTokenizer(io.MultiReader(strings.NewReader("<script>"), bytes.NewReader(s.text[s.at:])))
	z.Next()
	z.Next()
	end = s.at + len(z.Raw())
	return end, end < len(s.text)
}
