package html

import (
	"bytes"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/rights"
)

// mayLicense says whether markup may name a licence.
func mayLicense(markup []byte) bool {
	return bytes.Contains(markup, []byte("license")) || bytes.Contains(markup, []byte("creativecommons.org/"))
}

// terms fills in the licences that the page gives itself, and the uses that it opts out of, wherever they are: an image or a frame in a
// head ends it for the parser. Licences are those of links and of metadata that say that they are licences (rel=license, CC REL's and
// Dublin Core's properties, and schema.org's of pages and texts, in JSON-LD and microdata); if there are none, the one to which all links
// to Creative Commons lead. Links within figures are left out there: they are about pictures of others.
func (p *Page) terms() {
	var stated, linked []string
	for n := range p.Root.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.A, atom.Link:
			address := attribute(n, "href")
			switch {
			case licensesOther(n):
			case isLicense(attribute(n, "rel")) || licensesText(n):
				stated = append(stated, rights.License(address))
			case n.DataAtom == atom.A && strings.Contains(address, "creativecommons.org/") && !inFigure(n):
				linked = append(linked, rights.License(address))
			}
		case atom.Script:
			stated = append(stated, linkedLicenses(n, hostOf(p.Canonical))...)
		case atom.Meta:
			switch name := attribute(n, "name"); {
			case strings.EqualFold(name, "robots"):
				p.OptOuts |= rights.Robots(attribute(n, "content"))
			case strings.EqualFold(name, "tdm-reservation"):
				p.OptOuts |= rights.TDM(attribute(n, "content"))
			}
			if isLicense(attribute(n, "name")) || isLicense(attribute(n, "property")) || licensesText(n) {
				if name := rights.License(attribute(n, "content")); name != rights.Unknown { // most are the name of an owner
					stated = append(stated, name)
				}
			}
		}
	}
	if p.Licenses = rights.Join(stated); p.Licenses == "" {
		if only := rights.Join(linked); !strings.Contains(only, ",") && only != rights.Unknown {
			p.Licenses = only
		}
	}
}

// isLicense says whether one of the words in an attribute is the relation or the property of a licence.
func isLicense(words string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		switch word {
		case "license", "cc:license", "xhv:license", "dct:license", "dcterms.license", "dc.rights", "dcterms.rights":
			return true
		}
	}
	return false
}

func inFigure(n *nethtml.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Figure || n.DataAtom == atom.Figcaption {
			return true
		}
	}
	return false
}
