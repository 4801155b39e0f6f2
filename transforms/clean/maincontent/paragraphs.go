package maincontent

import (
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/html"
)

// manyParagraphs is the number of paragraphs, times the bytes of their texts, from which a
// page gets fewer paragraphs. The library joins the texts of all paragraphs, copying
// what it has for each, in order to see whether they have 750 characters. Of 70,000 pages
// five have more: reference manuals, release notes. A novel has, too.
const manyParagraphs = 500_000_000

// joinParagraphs gives a copy of a page fewer paragraphs where it has too many: so many
// that stand next to each other with the same attributes become one, and in items of
// lists and cells their texts stand alone. Marks still tell which text is whose.
func joinParagraphs(root *nethtml.Node) {
	w := workOf(root)
	many := w.paragraphs * w.prose / manyParagraphs
	if many == 0 {
		return
	}
	var list []*nethtml.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.P && n.Type == nethtml.ElementNode {
			list = append(list, n)
		}
	}
	joined := map[*nethtml.Node]int{} // how many stand in a paragraph
	for _, p := range list {
		if before := paragraphBefore(p); before != nil && joined[before] < many && slices.Equal(before.Attr, p.Attr) {
			before.AppendChild(&nethtml.Node{Type: nethtml.TextNode, Data: " "})
			moveChildren(p, before, nil)
			p.Parent.RemoveChild(p)
			joined[before]++
			continue
		}
		switch p.Parent.DataAtom {
		case atom.Li, atom.Dd, atom.Dt, atom.Td, atom.Th:
			moveChildren(p, p.Parent, p)
			p.Parent.InsertBefore(&nethtml.Node{Type: nethtml.TextNode, Data: " "}, p)
			p.Parent.RemoveChild(p)
		}
	}
}

// paragraphBefore returns the paragraph before p, if there is nothing but white space
// between the two.
func paragraphBefore(p *nethtml.Node) *nethtml.Node {
	n := p.PrevSibling
	for n != nil && (n.Type == nethtml.CommentNode || n.Type == nethtml.TextNode && strings.TrimSpace(n.Data) == "") {
		n = n.PrevSibling
	}
	if n != nil && n.DataAtom == atom.P {
		return n
	}
	return nil
}

// moveChildren moves what n holds into another element, before the child next.
func moveChildren(n, to, next *nethtml.Node) {
	for n.FirstChild != nil {
		c := n.FirstChild
		n.RemoveChild(c)
		to.InsertBefore(c, next)
	}
}

// manyTails is the product, of the children of an element that have attributes and the
// bytes of its own texts, from which the children lose their attributes. Where the
// library removes children for their classes, it copies the text between them for each.
// Of 70,000 pages 300 have more: listings of programs, with a class for each word.
const manyTails = 10_000_000

// unmarkInline takes the attributes from inline elements in a copy of a page where too
// many of them stand between texts.
func unmarkInline(root *nethtml.Node) {
	for n := range root.Descendants() {
		if n.Type != nethtml.ElementNode || tailsOf(n) <= manyTails {
			continue
		}
		for c := range n.ChildNodes() {
			if !html.IsBlock(c) {
				c.Attr = nil
			}
		}
	}
}
