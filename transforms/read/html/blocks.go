package html

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Block is a run of text between two block boundaries: a paragraph, a heading, a
// cell, or loose text in a div.
type Block struct {
	// Ordinal is the number of block boundaries before the block; see the package comment.
	Ordinal int32
	Kind    Kind
	// Text is not empty and is valid UTF-8. White space (of any script) is collapsed
	// to single spaces and trimmed. A "\n" stands for a br element, and for line ends in
	// preformatted text, "\n\n" for more br; no other control character occurs. Soft hyphens
	// and byte order marks are dropped; nothing else is normalised.
	Text string
	// Content is Text without the links at its end that are of use on the page alone: those to its own
	// address ("Setup¶") or to an editor. It is not empty.
	Content string
	// LinkDensity is the share of the block's characters, white space aside, that are
	// inside links (a elements with an address), from 0 to 1.
	LinkDensity float32
}

// Text is a text node of a page that holds a part of a block.
type Text struct {
	Node *nethtml.Node
	// Block is the index, in Page.Blocks, of the block that the text belongs to.
	Block int
}

// span is where a block and its content end.
type span struct{ content, text int }

// enumeration is the state and the result of a walk through a tree.
type enumeration struct {
	blocks  []Block // without their texts
	texts   []Text
	ordinal int32

	nodes, depth         int // size of the tree
	characters, replaced int // of the text, white space aside; replaced counts U+FFFD

	text    []byte // of all blocks, one after the other
	ends    []span // where each block and its content end in text
	start   int    // where the current block starts
	content int    // where its content ends
	marks   int    // open links around the current position that are not content
	pending string // white space before the next character: "", " ", "\n" or "\n\n"
	links   int    // open links around the current position
	linked  int    // characters of the current block inside links
	first   int    // value of characters at the start of the current block
	kinds   []Kind // of the open elements that have a kind
}

// walk walks a tree without recursion: depth must not cost stack.
func (e *enumeration) walk(root *nethtml.Node) {
	*e = enumeration{blocks: e.blocks[:0], texts: e.texts[:0], text: e.text[:0], ends: e.ends[:0], kinds: e.kinds[:0]}
	depth := 0
	for n := root; ; {
		e.nodes++
		if e.enter(n) && n.FirstChild != nil {
			n = n.FirstChild
			depth++
			e.depth = max(e.depth, depth)
			continue
		}
		for e.leave(n); n != root && n.NextSibling == nil; e.leave(n) {
			n = n.Parent
			depth--
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	e.endBlock()
}

// result returns the blocks. Their texts share one allocation.
func (e *enumeration) result() []Block {
	list := slices.Clone(e.blocks)
	text := string(e.text)
	start := 0
	for i, end := range e.ends {
		list[i].Text, list[i].Content = text[start:end.text], text[start:end.content]
		start = end.text
	}
	return list
}

// enter handles the start of a node and reports whether to visit its children.
func (e *enumeration) enter(n *nethtml.Node) bool {
	switch n.Type {
	case nethtml.DocumentNode:
		return true
	case nethtml.TextNode:
		e.write(n)
		return false
	case nethtml.ElementNode:
	default:
		return false
	}
	switch classify(n) {
	case ignored:
		e.skip(n)
		return false
	case separator:
		e.space(" ")
		e.skip(n)
		return false
	case lineBreak:
		if e.pending == "\n" {
			e.pending = "\n\n" // as people part paragraphs
		}
		e.space("\n")
	case block:
		e.boundary()
		if k, ok := kindOf(n.DataAtom); ok {
			e.kinds = append(e.kinds, k)
		}
	default:
		if isLink(n) {
			e.links++
		}
		if isMark(n) {
			e.marks++
		}
	}
	return true
}

// leave handles the end of a node.
func (e *enumeration) leave(n *nethtml.Node) {
	if n.Type != nethtml.ElementNode {
		return
	}
	switch classify(n) {
	case block:
		e.boundary()
		if _, ok := kindOf(n.DataAtom); ok {
			e.kinds = e.kinds[:len(e.kinds)-1]
		}
	case inline:
		if isLink(n) {
			e.links--
		}
		if isMark(n) {
			e.marks--
		}
	}
}

// skip counts the nodes below n, which are not visited.
func (e *enumeration) skip(n *nethtml.Node) {
	for d := range n.Descendants() {
		_ = d
		e.nodes++
	}
}

// boundary ends the current block and begins the next.
func (e *enumeration) boundary() {
	e.endBlock()
	e.ordinal++
	e.start, e.content, e.first, e.linked, e.pending = len(e.text), len(e.text), e.characters, 0, ""
}

// endBlock adds the current block to the result if it has text.
func (e *enumeration) endBlock() {
	if len(e.text) > e.start {
		characters := e.characters - e.first
		e.blocks = append(e.blocks, Block{
			Ordinal:     e.ordinal,
			Kind:        e.kind(),
			LinkDensity: float32(e.linked) / float32(characters),
		})
		if e.content == e.start { // it has nothing else
			e.content = len(e.text)
		}
		e.ends = append(e.ends, span{e.content, len(e.text)})
	}
}

func (e *enumeration) kind() Kind {
	if len(e.kinds) == 0 {
		return Other
	}
	return e.kinds[len(e.kinds)-1]
}

// space notes white space; a line break outweighs a space.
func (e *enumeration) space(s string) {
	if len(e.text) > e.start && (e.pending == "" || e.pending == " ") {
		e.pending = s
	}
}

// flush writes the white space that was noted.
func (e *enumeration) flush() {
	e.text = append(e.text, e.pending...)
	e.pending = ""
}

// write appends the text of a node to the current block.
func (e *enumeration) write(n *nethtml.Node) {
	previous := e.characters
	lines := e.kind() == Preformatted
	s := n.Data
	for i := 0; i < len(s); {
		b := s[i]
		if b > ' ' && b < 0x7f {
			j := i + 1
			for j < len(s) && s[j] > ' ' && s[j] < 0x7f {
				j++
			}
			e.flush()
			e.text = append(e.text, s[i:j]...)
			e.characters += j - i
			i = j
			continue
		}
		if b < utf8.RuneSelf {
			if b == '\n' && lines {
				e.space("\n")
			} else {
				e.space(" ")
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\u00ad' || r == '\ufeff' || r == '\ufffe' || r == '\uffff':
		case r < 0xa0 || unicode.IsSpace(r): // C1 controls and the spaces of all scripts
			e.space(" ")
		default:
			if r == utf8.RuneError {
				e.replaced++
			}
			e.flush()
			e.text = utf8.AppendRune(e.text, r)
			e.characters++
		}
	}
	if e.characters == previous {
		return
	}
	if e.links > 0 {
		e.linked += e.characters - previous
	}
	if e.marks == 0 {
		e.content = len(e.text)
	}
	e.texts = append(e.texts, Text{Node: n, Block: len(e.blocks)})
}

// isLink reports whether n is a link; an anchor without an address is not.
func isLink(n *nethtml.Node) bool {
	if n.DataAtom != atom.A {
		return false
	}
	for _, a := range n.Attr {
		if a.Key == "href" {
			return true
		}
	}
	return false
}

// isMark reports whether n is a link that is not content: to edit what follows, as MediaWiki has it, or one that holds
// nothing but a sign, such as documentation has behind headings for their addresses.
func isMark(n *nethtml.Node) bool {
	if n.DataAtom == atom.Span {
		return attribute(n, "class") == "mw-editsection"
	}
	text := n.FirstChild
	if n.DataAtom != atom.A || text == nil || text.Type != nethtml.TextNode || text.NextSibling != nil || len(text.Data) > 16 {
		return false
	}
	switch sign := strings.TrimSpace(text.Data); sign {
	case "¶", "#", "§", "🔗", "\u200b":
		return true
	default: // a sign of a font of icons
		r, width := utf8.DecodeRuneInString(sign)
		return width == len(sign) && unicode.Is(unicode.Co, r)
	}
}
