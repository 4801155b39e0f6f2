package html

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html/atom"
)

// The parser bounds the depth of a tree and nothing else, and bad markup makes it
// multiply elements: each formatting element (b, font, i …) that is still open when its
// paragraph or cell ends is created anew in the next one, with its attributes (HTML
// standard, 13.2.4.3, "reconstruct the active formatting elements"), so that 500 open
// elements and 100,000 tags make 50 million nodes. Which tags have that effect depends
// on all of the parser's state, which cannot be told from outside. So the page is
// rewritten, byte for byte, before it is parsed, so that none can:
//
//   - a formatting element stays where it holds nothing but inline markup, well nested,
//     and is commented out elsewhere: it can then never be open and off the stack. Its
//     content stays. Blocks do not depend on inline markup.
//   - a is left, of which one at most is created anew. One that holds blocks, or was not
//     closed, keeps no attribute but its address.
//   - script, style, title and the like hold no "<", so that it does not matter whether
//     the parser takes their content for text, as it does but in svg and math.
//
// What is left makes about as many nodes as there are tags and texts between them, and
// at most about three times as many. These, end tags and attributes are counted while
// the page is scanned.

const (
	// attributesPerNode is how many attributes a page may have for each of the nodes that
	// it may have. Pages from the wild have about one.
	attributesPerNode = 2
	// maxTagAttributes is the number of attributes that a tag may have. The tokenizer
	// keeps a map as large as the largest tag, and clears it for every other.
	maxTagAttributes = 500
)

// simplifier follows the inline markup of a page and rewrites it.
type simplifier struct {
	scanner
	copied     []byte // memory for a copy of text
	owned      bool   // text is that copy
	nodes      int
	ends       int // end tags
	attributes int
	merged     int       // attributes of html and body tags
	foreign    int       // open svg and math elements, about
	inline     []element // open inline elements since the last boundary
	strayLink  bool      // an a has been left open
	xml        bool      // the page begins as XML: <title/> is empty, and not a title of all that follows
}

// element is an open inline element.
type element struct {
	name       atom.Atom
	start, end int // of its tag
	nameEnd    int
}

// simplify returns the page rewritten, as the comment above says. Text is not changed; what is returned holds until the next call.
// Noscript says that what noscript holds is tags. Reason and detail say which limit the page is beyond, and are "" where it is within.
// The cost is linear, a few percent of that of parsing.
func (s *simplifier) simplify(text []byte, maxNodes int, noscript bool) (simplified []byte, reason, detail string) {
	*s = simplifier{scanner: scanner{text: text, noscript: noscript}, copied: s.copied, inline: s.inline[:0],
		xml: bytes.HasPrefix(text, []byte("<?xml"))}
	for {
		if s.next() {
			s.nodes++ // the text before the tag
		}
		switch s.token {
		case endOfText:
			s.boundary()
			return s.text, "", ""
		case startTag:
			s.open()
			if s.scanner.attributes > maxTagAttributes {
				return nil, tooComplex, fmt.Sprintf("%d attributes of one tag", s.scanner.attributes)
			}
		case endTag:
			s.ends++
			s.close()
		case comment:
			s.nodes++
			if bytes.HasPrefix(s.text[s.start:], []byte("<![CDATA[")) {
				s.own()
				s.text[s.start+2] = ' ' // a comment in svg, too
			}
		}
		switch {
		case s.nodes > maxNodes:
			return nil, tooManyNodes, fmt.Sprintf("at least %d nodes", s.nodes)
		case s.ends > maxNodes:
			return nil, tooComplex, fmt.Sprintf("more than %d end tags", maxNodes)
		case s.attributes > attributesPerNode*maxNodes:
			return nil, tooComplex, fmt.Sprintf("more than %d attributes", attributesPerNode*maxNodes)
		case len(s.inline) > parserDepth:
			return nil, tooDeep, fmt.Sprintf("more than %d open elements", parserDepth)
		}
	}
}

// open handles a start tag.
func (s *simplifier) open() {
	s.nodes++
	s.attributes += s.scanner.attributes
	switch s.name {
	case atom.Html, atom.Body:
		// The parser merges the attributes of further tags, each time going through all
		// that it has: 90,000 tags took it minutes.
		s.nodes += s.merged
		s.merged += s.scanner.attributes
	case atom.Svg, atom.Math:
		if !s.selfClosing {
			s.foreign++
		}
	}
	if s.isRaw() {
		s.boundary()
		s.raw()
		return
	}
	switch inlineOf(s.name) {
	case lone:
	case formatting, ordinary:
		if s.name == atom.Nobr {
			s.void(s.start, s.at) // its start tag ends an open one
			return
		}
		if s.name == 0 && s.selfClosing && s.foreign > 0 {
			return // such as path in svg, of which a map has thousands
		}
		s.push()
	case link:
		if s.strayLink {
			s.boundary() // the tag ends that link, and what is open in it
		}
		if i := s.find(); i >= 0 {
			s.pop(i)
		}
		s.push()
	default:
		s.boundary()
	}
}

// close handles an end tag.
func (s *simplifier) close() {
	if s.foreign > 0 && (s.name == atom.Svg || s.name == atom.Math) {
		s.foreign--
	}
	if i := s.find(); i >= 0 {
		s.pop(i)
		return
	}
	if inlineOf(s.name) == formatting {
		s.void(s.start, s.at)
		return
	}
	s.boundary() // it may end something around what is open
}

// raw handles the content of a start tag in which tags are text.
func (s *simplifier) raw() {
	if s.xml && s.selfClosing && s.foreign == 0 {
		s.void(s.start, s.at)
		return
	}
	end, closed := s.at, false
	if s.foreign == 0 || !s.selfClosing {
		end, closed = s.rawEnd()
	}
	if s.foreign > 0 && !closed {
		// In svg this may be an empty element, or one that another end tag ends: under
		// another name, its content is tags wherever it stands.
		s.own()
		s.text[s.start+1] = 'x'
		if s.name == atom.Xmp {
			s.text[s.start+1] = 'y'
		}
		return
	}
	for {
		i := bytes.IndexByte(s.text[s.at:end], '<')
		if i < 0 {
			break
		}
		s.own()
		s.at += i + 1
		s.text[s.at-1] = ' '
	}
	s.at = end
	s.nodes++
}

func (s *simplifier) push() {
	s.inline = append(s.inline, element{s.name, s.start, s.at, s.nameEnd})
}

// find returns the index of the innermost open element with the name of the tag, or -1.
func (s *simplifier) find() int {
	for i := len(s.inline) - 1; i >= 0; i-- {
		e := &s.inline[i]
		if e.name == s.name && (e.name != 0 || bytes.EqualFold(s.text[e.start+1:e.nameEnd], s.nameBytes())) {
			return i
		}
	}
	return -1
}

// pop ends element i. What is open in it is not well nested.
func (s *simplifier) pop(i int) {
	s.lose(s.inline[i+1:])
	s.inline = s.inline[:i]
}

// boundary handles a tag that may end open elements: of a block, or of something that
// changes what tags mean.
func (s *simplifier) boundary() {
	s.lose(s.inline)
	s.inline = s.inline[:0]
}

// lose rewrites the tags of elements that hold more than inline markup.
func (s *simplifier) lose(list []element) {
	for _, e := range list {
		switch inlineOf(e.name) {
		case formatting:
			s.void(e.start, e.end)
		case link:
			s.strayLink = true
			s.keepAddress(e)
		}
	}
}

// void makes a tag a comment, which is as long.
func (s *simplifier) void(start, end int) {
	s.own()
	s.text[start+1] = '?'
	fill(s.text[start+2 : end-1])
}

// keepAddress takes all attributes but the first href from a tag.
func (s *simplifier) keepAddress(e element) {
	s.own()
	a := attributeScanner{text: s.text[:e.end], at: e.nameEnd}
	last, hasAddress := e.nameEnd, false
	for a.next() {
		if !hasAddress && bytes.EqualFold(a.text[a.key:a.keyEnd], []byte("href")) {
			hasAddress = true
			fill(s.text[last:a.key])
			last = a.at
		}
	}
	fill(s.text[last : e.end-1])
}

func fill(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// own makes text a copy that may be written to.
func (s *simplifier) own() {
	if !s.owned {
		s.copied = append(s.copied[:0], s.text...)
		s.text, s.owned = s.copied, true
	}
}

// inlineKind says how a tag goes with open inline elements.
type inlineKind uint8

const (
	boundary   inlineKind = iota // it may end them
	ordinary                     // an inline element
	formatting                   // an inline element that the parser creates anew
	link                         // a, which it creates anew, too, and which cannot hold another
	lone                         // it has no content
)

func inlineOf(name atom.Atom) inlineKind {
	switch name {
	case 0, atom.Abbr, atom.Acronym, atom.Bdi, atom.Bdo, atom.Cite, atom.Data, atom.Del,
		atom.Dfn, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Picture, atom.Q,
		atom.Samp, atom.Span, atom.Sub, atom.Sup, atom.Time, atom.Var:
		return ordinary
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S,
		atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return formatting
	case atom.A:
		return link
	case atom.Br, atom.Img, atom.Source, atom.Wbr:
		return lone
	}
	return boundary
}
