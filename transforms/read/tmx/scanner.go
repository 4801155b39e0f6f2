package tmx

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxToken is the length of the longest tag, and of the longest piece of text that
// is given at once.
const maxToken = 64 << 10

type kind uint8

const (
	textToken kind = iota
	rawToken       // text in which no entities stand: of CDATA
	startToken
	endToken
	faultToken // what is not XML
)

// token is a piece of XML. Its slices last until the next one is read.
type token struct {
	kind kind
	// name is that of a tag, also of a faulty one, attributes what is behind it.
	name, attributes []byte
	// empty says of a start that it is the end, too.
	empty bool
	// text is that of text, or says what a fault is.
	text []byte
	// large says of a fault that it is a tag of more than maxToken bytes.
	large bool
}

// scanner cuts XML into tokens. It passes over comments, instructions and document
// types, of which it keeps the entities, and goes on after faults.
type scanner struct {
	from     io.Reader
	window   []byte // what was read and is not yet used
	buffer   []byte
	position int64 // of the window in the stream
	cdata    bool  // the window begins inside of a CDATA section
	err      error // what ended the stream
	entities entities
}

func newScanner(stream io.Reader) *scanner {
	return &scanner{from: stream, buffer: make([]byte, 4*maxToken), entities: entities{}}
}

// fill reads until the window has n bytes, at most a quarter of the buffer; it has
// fewer only at the end of the stream.
func (s *scanner) fill(n int) {
	for empty := 0; len(s.window) < n && s.err == nil; {
		if cap(s.window) < n {
			s.window = s.buffer[:copy(s.buffer, s.window)]
		}
		got, err := s.from.Read(s.window[len(s.window):cap(s.window)])
		s.window, s.err = s.window[:len(s.window)+got], err
		if got > 0 {
			empty = 0
		} else if empty++; empty > 100 && err == nil {
			s.err = io.ErrNoProgress
		}
	}
}

// atEnd says that nothing is left.
func (s *scanner) atEnd() bool { return len(s.window) == 0 && s.err != nil }

// use takes n bytes off the window.
func (s *scanner) use(n int) []byte {
	used := s.window[:n:n]
	s.window, s.position = s.window[n:], s.position+int64(n)
	return used
}

// next returns the next token, or what ended the stream: io.EOF.
func (s *scanner) next() (token, error) {
	for {
		if s.fill(1); len(s.window) == 0 {
			return token{}, s.err
		}
		switch {
		case s.cdata:
			if t := s.section(); len(t.text) > 0 {
				return t, nil
			}
		case s.window[0] != '<':
			return token{kind: textToken, text: s.text()}, nil
		case s.begins("<!--"):
			if !s.skip(4, "-->") {
				return faulty("a comment has no end"), nil
			}
		case s.begins("<![CDATA["):
			s.use(9)
			s.cdata = true
		case s.begins("<?"):
			if !s.skip(2, "?>") {
				return faulty("an instruction has no end"), nil
			}
		case s.begins("<!"):
			if !s.doctype() {
				return faulty("a document type has no end"), nil
			}
		default:
			return s.tag(), nil
		}
	}
}

func faulty(text string) token { return token{kind: faultToken, text: []byte(text)} }

func (s *scanner) begins(prefix string) bool {
	s.fill(len(prefix))
	return len(s.window) >= len(prefix) && string(s.window[:len(prefix)]) == prefix
}

// text returns text up to the next tag, or a piece of it.
func (s *scanner) text() []byte {
	n := bytes.IndexByte(s.window, '<')
	if n < 0 {
		s.fill(maxToken)
		n = bytes.IndexByte(s.window, '<')
	}
	if n < 0 {
		n = len(s.window)
	}
	if n >= maxToken {
		n = completeLength(s.window[:maxToken])
		// Neither an entity nor a line end is cut in two.
		if index := bytes.LastIndexByte(s.window[n-maxEntity:n], '&'); index >= 0 {
			n += index - maxEntity
		}
		if s.window[n-1] == '\r' {
			n--
		}
	}
	return s.use(n)
}

// completeLength returns the length of text without a character that is cut at its end.
func completeLength(text []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-i:]) {
				return len(text) - i
			}
			break
		}
	}
	return len(text)
}

// section returns a piece of a CDATA section.
func (s *scanner) section() token {
	s.fill(maxToken + len("]]>") - 1) // so that a piece of maxToken bytes has nothing of the end
	n := bytes.Index(s.window, []byte("]]>"))
	if n >= 0 && n <= maxToken {
		text := s.use(n)
		s.use(3)
		s.cdata = false
		return token{kind: rawToken, text: text}
	}
	if s.err != nil && n < 0 {
		s.use(len(s.window))
		s.cdata = false
		return faulty("a CDATA section has no end")
	}
	if n = completeLength(s.window[:maxToken]); s.window[n-1] == '\r' {
		n--
	}
	return token{kind: rawToken, text: s.use(n)}
}

// skip passes over n bytes and what follows up to an end.
func (s *scanner) skip(n int, end string) bool {
	for s.use(n); ; s.use(len(s.window) - len(end) + 1) {
		if s.fill(len(end)); len(s.window) < len(end) {
			s.use(len(s.window))
			return false
		}
		if index := bytes.Index(s.window, []byte(end)); index >= 0 {
			s.use(index + len(end))
			return true
		}
	}
}

// doctype passes over a declaration with all that is declared in it.
func (s *scanner) doctype() bool {
	depth := 0
	if s.begins("<!DOCTYPE") {
		clear(s.entities) // of a memory before
	}
	for {
		if s.fill(1); len(s.window) == 0 {
			return false
		}
		switch c := s.window[0]; {
		case s.begins("<!--"):
			if !s.skip(4, "-->") {
				return false
			}
			continue
		case c == '"' || c == '\'':
			if !s.skip(1, string(c)) {
				return false
			}
			continue
		case c == '<':
			if depth++; s.begins("<!ENTITY") {
				s.fill(2 * maxMeaning)
				s.entities.declare(s.window)
			}
		case c == '>':
			if depth--; depth == 0 {
				s.use(1)
				return true
			}
		}
		s.use(1)
	}
}

// tag returns a tag. In an attribute there is no <: where one comes, the tag that
// has no end ends, so that a forgotten quote does not swallow what follows.
func (s *scanner) tag() token {
	var quote byte
	for i := 1; ; i++ {
		if i >= len(s.window) {
			if s.fill(i + 1); i >= len(s.window) {
				s.use(i)
				return faulty("a tag has no end")
			}
		}
		switch c := s.window[i]; {
		case c == '<':
			return faultyTag(s.use(i)[1:])
		case i == maxToken:
			t := faultyTag(s.use(i)[1:])
			t.large, t.text = true, fmt.Appendf(nil, "a tag of more than %d bytes", maxToken)
			return t
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return cutTag(s.use(i + 1)[1:i])
		}
	}
}

// faultyTag is the fault of what is behind a < and is not a tag.
func faultyTag(tag []byte) token {
	t := faulty("a < begins no tag")
	t.name = tag[:nameLength(tag)]
	return t
}

// cutTag reads what stands between < and >.
func cutTag(tag []byte) token {
	t := token{kind: startToken}
	if len(tag) > 0 && tag[0] == '/' {
		t.kind, tag = endToken, tag[1:]
	} else if len(tag) > 0 && tag[len(tag)-1] == '/' {
		t.empty, tag = true, tag[:len(tag)-1]
	}
	n := 0
	for n < len(tag) && !isSpace(tag[n]) {
		n++
	}
	t.name, t.attributes = tag[:n], bytes.TrimLeft(tag[n:], spaces)
	if t.kind == startToken && !isName(t.name) {
		return faultyTag(tag)
	}
	if !isName(t.name) || t.kind == endToken && len(t.attributes) > 0 {
		return faulty("a < begins no tag")
	}
	return t
}

const spaces = " \t\r\n"

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// isName says whether an element or attribute may have a name. Beyond ASCII all do.
func isName(name []byte) bool { return len(name) > 0 && nameLength(name) == len(name) }

// nameLength returns the length of the name that text begins with.
func nameLength(text []byte) int {
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= utf8.RuneSelf
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return i
		}
	}
	return len(text)
}
