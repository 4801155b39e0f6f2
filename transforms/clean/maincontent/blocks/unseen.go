package blocks

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Unseen says how the markup of a block hides it from those who look at the page.
type Unseen uint8

const (
	// Seen: nothing hides the block.
	Seen Unseen = iota
	// Folded: an element that holds blocks hides it, such as the part of a page behind a tab or a button.
	Folded
	// Invisible: its own paragraph, heading or passage does, which nothing unfolds.
	Invisible
)

// Unseen says how block i is hidden, by attributes alone: style sheets are not read.
func (p *Page) Unseen(i int) Unseen {
	return p.elements[p.blocks[i].element].unseen
}

// hides says how an element with a hidden attribute, or whose style says so, hides what it holds.
func hides(a atom.Atom) Unseen {
	switch a {
	case atom.P, atom.Span, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Font, atom.Em, atom.Strong, atom.B,
		atom.I, atom.Small:
		return Invisible
	}
	return Folded
}

// hidingStyles are the declarations by which an element is not shown.
var hidingStyles = map[string]bool{
	"display:none": true, "visibility:hidden": true, "visibility:collapse": true, "font-size:0": true, "font-size:0px": true,
}

// isHiding reports whether a style attribute hides its element. The last declaration of a property counts.
func isHiding(style string) bool {
	if !strings.ContainsRune(style, ':') {
		return false
	}
	hiding := map[string]bool{}
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		declaration = strings.TrimSuffix(strings.Join(strings.Fields(declaration), ""), "!important")
		property, _, _ := strings.Cut(declaration, ":")
		hiding[property] = hidingStyles[declaration]
	}
	return hiding["display"] || hiding["visibility"] || hiding["font-size"]
}
