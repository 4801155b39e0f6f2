package html

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/read/rights"
)

const (
	// maxLinkedData is the size in bytes above which a script with linked data is passed over.
	maxLinkedData = 256 << 10
	// linkedDepth is how many lists, graphs and main entities may be within each other: [{"@graph": [{"mainEntity": [{…}]}]}] has six.
	linkedDepth = 6
)

// entity is what is read of a thing in JSON-LD.
type entity struct {
	Type       json.RawMessage `json:"@type"`
	Graph      json.RawMessage `json:"@graph"`
	MainEntity json.RawMessage `json:"mainEntity"`
	License    json.RawMessage `json:"license"`
	ID         json.RawMessage `json:"@id"`
	URL        json.RawMessage `json:"url"`
	PageOf     json.RawMessage `json:"mainEntityOfPage"`
	Citation   json.RawMessage `json:"citation"`
	BasedOn    json.RawMessage `json:"isBasedOn"`
	Mentions   json.RawMessage `json:"mentions"`
	HasPart    json.RawMessage `json:"hasPart"`
}

// others are the names of the works that a thing is not, but cites, mentions or has in it.
func (t *entity) others() (names []string) {
	for _, data := range []json.RawMessage{t.Citation, t.BasedOn, t.Mentions, t.HasPart} {
		names = append(names, linkedTexts(data)...)
	}
	return names
}

// elsewhere says whether a thing has an address on another host than the page.
func (t *entity) elsewhere(host string) bool {
	for _, data := range []json.RawMessage{t.ID, t.URL, t.PageOf} {
		for _, address := range linkedTexts(data) {
			if other := hostOf(address); other != "" && host != "" && other != host {
				return true
			}
		}
	}
	return false
}

// hostOf is the host of an address without www, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// linkedLicenses returns the names of the licences that a script with JSON-LD gives a page on a host: those of pages and texts that are not
// within another thing, but for graphs and main entities, that no other thing cites, and that have no address on another host. Scripts
// that are malformed or too large have none.
func linkedLicenses(script *nethtml.Node, host string) (names []string) {
	if script.FirstChild == nil || len(script.FirstChild.Data) > maxLinkedData || !strings.Contains(script.FirstChild.Data, `"license"`) {
		return nil
	}
	things := entitiesOf([]byte(script.FirstChild.Data), linkedDepth)
	cited := map[string]bool{}
	for _, t := range things {
		for _, name := range t.others() {
			cited[name] = name != ""
		}
	}
	for _, t := range things {
		if !slices.ContainsFunc(linkedTexts(t.Type), isPageOrText) || t.elsewhere(host) ||
			slices.ContainsFunc(linkedTexts(t.ID), func(name string) bool { return cited[name] }) {
			continue
		}
		for _, address := range linkedTexts(t.License) {
			names = append(names, rights.License(address))
		}
	}
	return names
}

// entitiesOf returns the things in lists, graphs and main entities.
func entitiesOf(data []byte, depth int) (things []entity) {
	var list []json.RawMessage
	var thing entity
	switch {
	case depth == 0 || len(data) == 0:
	case jsonfile.Unmarshal(data, &list) == nil:
		for _, one := range list {
			things = append(things, entitiesOf(one, depth-1)...)
		}
	case jsonfile.Unmarshal(data, &thing) == nil:
		things = append(entitiesOf(thing.Graph, depth-1), entitiesOf(thing.MainEntity, depth-1)...)
		things = append(things, thing)
	}
	return things
}

// linkedTexts returns a text, the addresses of a thing, or those of each in a list.
func linkedTexts(data json.RawMessage) []string {
	var text string
	var thing struct {
		ID  string `json:"@id"`
		URL string `json:"url"`
	}
	var list []json.RawMessage
	switch {
	case len(data) == 0:
		return nil
	case jsonfile.Unmarshal(data, &text) == nil:
		return []string{text}
	case jsonfile.Unmarshal(data, &thing) == nil:
		if thing.URL == "" {
			thing.URL = thing.ID
		}
		return []string{thing.URL}
	}
	if jsonfile.Unmarshal(data, &list) != nil {
		return nil
	}
	var texts []string
	for _, one := range list {
		if len(one) > 0 && one[0] != '[' {
			texts = append(texts, linkedTexts(one)...)
		}
	}
	return texts
}

// isPageOrText says of a type of schema.org, or its address, whether its licence is that of the page, as that of a picture, of data or of
// a program that the page shows is not.
func isPageOrText(kind string) bool {
	kind = kind[strings.LastIndexAny(kind, "/#:")+1:]
	return strings.HasSuffix(kind, "Page") || strings.HasSuffix(kind, "Article") || strings.HasSuffix(kind, "Posting") ||
		slices.Contains([]string{"Book", "Chapter", "Course", "CreativeWork", "HowTo", "LearningResource", "Recipe", "Report"}, kind)
}

// licensesText says whether the property of an element in microdata is the licence of a page or a text.
func licensesText(n *nethtml.Node) bool {
	kinds, ok := licensed(n)
	return ok && slices.ContainsFunc(kinds, isPageOrText)
}

// licensesOther says whether the property is the licence of something else, such as a picture.
func licensesOther(n *nethtml.Node) bool {
	kinds, ok := licensed(n)
	return ok && !slices.ContainsFunc(kinds, isPageOrText)
}

// licensed returns the types of the thing whose licence an element tells in microdata, if it does.
func licensed(n *nethtml.Node) (kinds []string, ok bool) {
	if !isLicense(attribute(n, "itemprop")) {
		return nil, false
	}
	for n = n.Parent; n != nil; n = n.Parent {
		if kinds := strings.Fields(attribute(n, "itemtype")); len(kinds) > 0 {
			return kinds, true
		}
	}
	return nil, false
}

// ofMicrodata says whether an attribute is read for licensesText.
func ofMicrodata(name atom.Atom, key string) bool {
	return key == "itemtype" || key == "itemprop" && (name == atom.A || name == atom.Link || name == atom.Meta)
}
