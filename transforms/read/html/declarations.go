package html

import (
	"cmp"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// declarations fills in what the page says of itself in front of its text: language, title, address.
func (p *Page) declarations() {
	var languages declaredLanguages
	for n := range p.Root.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		languages.add(n)
		switch n.DataAtom {
		case atom.Title:
			if p.Title == "" && n.Namespace == "" && n.FirstChild != nil {
				p.Title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
			}
		case atom.Link:
			if p.Canonical == "" && strings.EqualFold(strings.TrimSpace(attribute(n, "rel")), "canonical") {
				p.Canonical = strings.TrimSpace(attribute(n, "href"))
			}
		}
		if n.DataAtom == atom.Body {
			languages.tell(metaOfName, languageOfParts(n))
			break
		}
	}
	p.Language = languages.best()
}

// declaredLanguages are the languages that the elements of a page declare, by what declares them.
type declaredLanguages [4]string

// What declares a language, in the order in which it counts.
const (
	ofPage = iota // of the html element; some pages have it at the body only
	contentLanguage
	locale
	metaOfName
)

func (d *declaredLanguages) best() string { return cmp.Or(d[:]...) }

func (d *declaredLanguages) tell(source int, tag string) { d[source] = cmp.Or(d[source], tag) }

// add takes what an element declares.
func (d *declaredLanguages) add(n *nethtml.Node) {
	switch n.DataAtom {
	case atom.Html:
		d.tell(ofPage, cmp.Or(languageTag(attribute(n, "lang")), languageTag(attribute(n, "xml:lang"))))
	case atom.Body:
		d.tell(ofPage, languageTag(attribute(n, "lang")))
	case atom.Meta:
		content := attribute(n, "content")
		switch name := attribute(n, "name"); {
		case strings.EqualFold(attribute(n, "http-equiv"), "content-language"):
			first, _, _ := strings.Cut(content, ",")
			d.tell(contentLanguage, languageTag(first))
		case strings.EqualFold(attribute(n, "property"), "og:locale"):
			d.tell(locale, languageTag(content))
		case strings.EqualFold(name, "language") || strings.EqualFold(name, "dc.language"):
			if code, _, _ := strings.Cut(content, "-"); len(code) <= 3 { // others write English
				d.tell(metaOfName, languageTag(content))
			}
		}
	}
}

// languageOfParts returns the language that the div elements of a body declare, as pages made of DocBook do,
// or "" if they declare none or several.
func languageOfParts(body *nethtml.Node) (tag string) {
	for n := range body.ChildNodes() {
		if n.DataAtom != atom.Div {
			continue
		}
		switch lang := languageTag(attribute(n, "lang")); {
		case lang == "" || lang == tag:
		case tag != "":
			return ""
		default:
			tag = lang
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
