package maincontent

import (
	"fmt"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// work is what drives the library's time and memory beyond the size of a page. All of
// it is counted in one pass over the tree that the library gets.
type work struct {
	nodes      int
	text       int // bytes of all texts
	paragraphs int // p elements
	prose      int // bytes of their texts
	depths     int // sum over nodes of the elements around each
	weighed    int // sum over texts of their bytes, times the elements around whose texts are weighed
	stripped   int // sum over nodes of the elements around each that are stripped at last
	lists      int // sum over nodes of the square of the lists and items around each
	tails      int // sum over elements of their marked children, times the bytes of their own texts
}

// String says what there is much of.
func (w work) String() string {
	return fmt.Sprintf("%d nodes, %d bytes, %d paragraphs of %d, depths %d, weighed %d, stripped %d, lists %d, tails %d",
		w.nodes, w.text, w.paragraphs, w.prose, w.depths, w.weighed, w.stripped, w.lists, w.tails)
}

// time estimates the nanoseconds that the library takes at worst, beside a time that is
// proportional to the size of the page. The factors are measured on pages made for one
// of them each.
func (w work) time() int {
	return 80*w.depths + // going through what is around, and what is in, each element
		15*w.weighed + // joining the texts of elements with links
		10*w.lists + // going through inner lists from outer ones
		w.tails + // joining texts to what stands before a removed element
		w.paragraphs*w.prose*3/2 // joining the texts of paragraphs, for each of five queries
}

// copies estimates the nodes that the library holds at worst, beside copies of the page:
// it puts copies of the content of an element in its place, and keeps the element.
func (w work) copies() int { return w.stripped }

// workOf measures a tree.
func workOf(root *nethtml.Node) work {
	var w work
	depth, weighed, stripped, listed, paragraphs := 0, 0, 0, 0, 0
	for n := root; ; {
		w.nodes++
		w.depths += depth
		w.stripped += stripped
		w.lists += listed * listed
		switch n.Type {
		case nethtml.TextNode:
			w.text += len(n.Data)
			w.weighed += weighed * len(n.Data)
			w.prose += paragraphs * len(n.Data)
		case nethtml.ElementNode:
			if n.DataAtom == atom.P {
				w.paragraphs++
			}
			w.tails += tailsOf(n)
		}
		if n.FirstChild != nil {
			depth++
			weighed += count(isWeighed(n))
			stripped += count(isStrippedLate(n))
			listed += count(isList(n))
			paragraphs += count(n.DataAtom == atom.P)
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			depth--
			weighed -= count(isWeighed(n))
			stripped -= count(isStrippedLate(n))
			listed -= count(isList(n))
			paragraphs -= count(n.DataAtom == atom.P)
		}
		if n == root {
			return w
		}
		n = n.NextSibling
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// tailsOf returns the number of an element's children with attributes, which the library
// may remove for them, times the bytes of its texts, which it joins for each.
func tailsOf(n *nethtml.Node) int {
	marked, text := 0, 0
	for c := range n.ChildNodes() {
		if c.Type == nethtml.TextNode {
			text += len(c.Data)
		} else if len(c.Attr) > 0 {
			marked++
		}
	}
	return marked * text
}

// isStrippedLate reports whether the library puts the content of an element in its place
// when it has found the main content.
func isStrippedLate(n *nethtml.Node) bool { return n.DataAtom == atom.Span || n.DataAtom == atom.A }

// isList reports whether the library, where elements like n stand within one another,
// goes through what each holds from each of those around it.
func isList(n *nethtml.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Dl, atom.Li, atom.Dd, atom.Dt:
		return true
	}
	return false
}

// isWeighed reports whether the library compares all the text of an element with that of
// its links, or collects it for another reason.
func isWeighed(n *nethtml.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Blockquote, atom.Pre,
		atom.Q, atom.Code:
		return true
	}
	return false
}
