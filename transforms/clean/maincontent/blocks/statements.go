package blocks

import (
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// head reads what the page says of itself.
func (w *walk) head(head *nethtml.Node) {
	for n := range head.Descendants() {
		switch {
		case n.Type != nethtml.ElementNode:
		case n.DataAtom == atom.Script:
			w.script(n)
		case n.DataAtom == atom.Meta:
			var key, content string
			for _, a := range n.Attr {
				switch a.Key {
				case "name", "property":
					key = a.Val
				case "content":
					content = a.Val
				}
			}
			switch {
			case strings.EqualFold(key, "og:type"):
				for i, kind := range []string{"article", "website", "product", "profile"} {
					if strings.HasPrefix(strings.ToLower(content), kind) {
						w.counts.open = uint8(i + 1)
					}
				}
			case strings.EqualFold(key, "description") || len(w.counts.description) == 0 && strings.EqualFold(key, "og:description"):
				_, words := countText(w.written(content), nil)
				w.counts.description = set(words)
			}
		}
	}
}

// script looks for the types that linked data gives.
func (w *walk) script(n *nethtml.Node) {
	if n.FirstChild == nil || !strings.Contains(n.FirstChild.Data, "@type") || !strings.Contains(n.FirstChild.Data, "schema.org") {
		return
	}
	for i, kind := range linkedTypes {
		if strings.Contains(n.FirstChild.Data, `"`+kind+`"`) {
			w.counts.types |= 1 << i
		}
	}
}
