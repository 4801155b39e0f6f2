package html

import (
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Kind says what sort of markup a block is in.
type Kind uint8

// The kinds of blocks. A block takes the kind of its nearest ancestor that has
// one: text of a div in a td is a Cell, of a p in a td a Paragraph.
const (
	Other        Kind = iota // div, section, blockquote, figcaption, caption …
	Paragraph                // p
	Heading                  // h1 to h6
	ListItem                 // li, dt, dd
	Cell                     // td, th
	Preformatted             // pre, listing, xmp, plaintext: seldom prose
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Paragraph:
		return "paragraph"
	case Heading:
		return "heading"
	case ListItem:
		return "list item"
	case Cell:
		return "cell"
	case Preformatted:
		return "preformatted"
	}
	return "other"
}

// class says what an element means for the text around it.
type class uint8

const (
	inline    class = iota // part of the running text
	block                  // begins and ends a block
	ignored                // no part of the text; the words before and after it touch
	separator              // no part of the text, but separates words: a button, a video
	lineBreak              // br
)

// classify returns the class of an element. Unknown elements are inline, as in
// browsers.
func classify(n *nethtml.Node) class {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption,
		atom.Center, atom.Col, atom.Colgroup, atom.Dd, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.Frame, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li,
		atom.Listing, atom.Main, atom.Marquee, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Plaintext, atom.Pre, atom.Search, atom.Section, atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul, atom.Xmp:
		return block
	case atom.Br:
		return lineBreak
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Title,
		atom.Noembed, atom.Noframes,
		// Pronunciations between the words of a ruby text would break its sentences.
		atom.Rp, atom.Rt, atom.Rtc:
		return ignored
	case atom.Audio, atom.Button, atom.Canvas, atom.Datalist, atom.Embed, atom.Iframe,
		atom.Input, atom.Map, atom.Math, atom.Object, atom.Optgroup, atom.Option,
		atom.Select, atom.Svg, atom.Textarea, atom.Video:
		return separator
	}
	return inline
}

// Ignored reports whether the text inside element n belongs to no block: scripts,
// form controls, formulas and embedded media. Comments are ignored too.
func Ignored(n *nethtml.Node) bool {
	if n.Type != nethtml.ElementNode {
		return n.Type == nethtml.CommentNode
	}
	c := classify(n)
	return c == ignored || c == separator
}

// kindOf returns the kind that an element gives its text, and whether it gives one.
func kindOf(a atom.Atom) (Kind, bool) {
	switch a {
	case atom.P:
		return Paragraph, true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return Heading, true
	case atom.Li, atom.Dt, atom.Dd:
		return ListItem, true
	case atom.Td, atom.Th:
		return Cell, true
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		return Preformatted, true
	case atom.Blockquote, atom.Caption, atom.Figcaption, atom.Table, atom.Article,
		atom.Main, atom.Nav, atom.Aside, atom.Header, atom.Footer:
		// What is in these is not part of an outer cell or list item's own text.
		return Other, true
	}
	return Other, false
}

// IsBlock reports whether element n begins and ends blocks.
func IsBlock(n *nethtml.Node) bool { return n.Type == nethtml.ElementNode && classify(n) == block }
