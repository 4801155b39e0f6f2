package blocks

import "sentweave/transforms/read/html"

// Markup names what a block is by its markup: a paragraph, a heading, a list item, a cell, code,
// a quotation, a caption, or other text.
func (p *Page) Markup(i int) string {
	ancestors, kind := p.elements[p.blocks[i].element].in, p.source.Blocks[i].Kind
	switch {
	case kind == html.Heading:
		return "heading"
	case ancestors&inCode != 0 && kind == html.Preformatted:
		return "code"
	case ancestors&inQuote != 0:
		return "quotation"
	case ancestors&inFigure != 0:
		return "caption"
	case kind == html.Other && ancestors&inTable != 0:
		return "cell"
	case kind == html.Other && ancestors&inItem != 0:
		return "list item"
	}
	return kind.String()
}

// nearName is how near, in block elements, a name has to be to be given as a reason.
const nearName = 3

// placeNames are the families whose names tell what else than main content a block is, the
// surest first.
var placeNames = []struct{ family, reason string }{
	{"consent", "cookie banner"}, {"sharing", "sharing"}, {"advertising", "advertisement"}, {"related", "related links"},
	{"comments", "comments"}, {"sign-up", "sign-up or search"}, {"sidebar", "sidebar"}, {"popup", "popup"},
	{"footer", "footer"}, {"navigation", "navigation"}, {"author", "author or date"}, {"header", "header"},
}

// Place says in a few words what a block that is not main content probably is, by where it
// stands: "navigation", "sidebar", "cookie banner". It is a guess for people, by which nothing is decided.
func (p *Page) Place(i int) string {
	b := &p.blocks[i]
	e := &p.elements[b.element]
	switch {
	case e.in&inNavigation != 0:
		return "navigation"
	case e.in&inFooter != 0:
		return "footer"
	case e.unseen != Seen:
		return "hidden"
	case e.in&inDialog != 0:
		return "popup"
	}
	for distance := uint8(0); distance <= nearName; distance++ {
		for _, place := range placeNames {
			if e.near[familyOf(place.family)] == distance {
				return place.reason
			}
		}
	}
	switch {
	case e.in&inAside != 0:
		return "sidebar"
	case e.in&inForm != 0:
		return "form"
	case e.in&inHeader != 0:
		return "header"
	case b.linked*2 > b.words:
		return "links"
	}
	return "unlike the rest"
}

func familyOf(name string) int {
	for i := range families {
		if families[i].name == name {
			return i
		}
	}
	return 0
}
