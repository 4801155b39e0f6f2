package html

import (
	"cmp"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// declarations fills in what the page says of itself: language, title, address.
func (p *Page) declarations() {
	var metaLanguage, locale, named string
	for n := range p.Root.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			if p.Language = languageTag(attribute(n, "lang")); p.Language == "" {
				p.Language = languageTag(attribute(n, "xml:lang"))
			}
		case atom.Title:
			if p.Title == "" && n.Namespace == "" && n.FirstChild != nil {
				p.Title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
			}
		case atom.Link:
			if p.Canonical == "" && strings.EqualFold(strings.TrimSpace(attribute(n, "rel")), "canonical") {
				p.Canonical = strings.TrimSpace(attribute(n, "href"))
			}
		case atom.Meta:
			content := attribute(n, "content")
			if metaLanguage == "" && strings.EqualFold(attribute(n, "http-equiv"), "content-language") {
				first, _, _ := strings.Cut(content, ",")
				metaLanguage = languageTag(first)
			}
			if locale == "" && strings.EqualFold(attribute(n, "property"), "og:locale") {
				locale = languageTag(content)
			}
			if name := attribute(n, "name"); named == "" && (strings.EqualFold(name, "language") || strings.EqualFold(name, "dc.language")) {
				if code, _, _ := strings.Cut(content, "-"); len(code) <= 3 { // others write English
					named = languageTag(content)
				}
			}
		}
		if n.DataAtom == atom.Body {
			// Some pages put the language here only.
			if p.Language == "" {
				p.Language = languageTag(attribute(n, "lang"))
			}
			if named == "" {
				named = languageOfParts(n)
			}
			break
		}
	}
	p.Language = cmp.Or(p.Language, metaLanguage, locale, named)
}

// languageOfParts returns the language that the div elements of a body declare, as pages made of DocBook do,
// or "" if they declare none or several.
func languageOfParts(body *nethtml.Node) (tag string) {
	for n := range body.ChildNodes() {
		if n.DataAtom != atom.Div {
			continue
		}
		switch of := languageTag(attribute(n, "lang")); {
		case of == "" || of == tag:
		case tag != "":
			return ""
		default:
			tag = of
		}
	}
	return tag
}

// attribute returns the value of an attribute of n, or "".
func attribute(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// languageTag returns s with hyphens for underscores if it has the form of a BCP 47
// tag, otherwise "": what pages write there is at times a name or a template.
func languageTag(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "-")
	if s == "" || len(s) > 35 {
		return ""
	}
	for i, part := range strings.Split(s, "-") {
		if len(part) < 1 || len(part) > 8 || i == 0 && len(part) < 2 {
			return ""
		}
		for _, c := range []byte(part) {
			letter := 'a' <= c|0x20 && c|0x20 <= 'z'
			if !letter && (i == 0 || c < '0' || c > '9') {
				return ""
			}
		}
	}
	return s
}
