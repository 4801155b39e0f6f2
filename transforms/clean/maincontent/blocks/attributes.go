package blocks

import (
	"strings"

	nethtml "golang.org/x/net/html"
)

// Attributes are the attributes that are read in the tree of a page.
var Attributes = map[string]bool{
	"class": true, "id": true, "role": true, "itemprop": true, "itemtype": true, "property": true, "data-testid": true,
	"data-component": true, "aria-label": true, "aria-hidden": true, "aria-expanded": true, "aria-modal": true, "hidden": true,
	"style": true,
}

// attributes reads what the attributes of an element say.
func (w *walk) attributes(n *nethtml.Node, e *element) {
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			w.classes(a.Val, e, true)
		case "id":
			w.classes(a.Val, e, false)
		case "role":
			e.in |= byRole[strings.ToLower(a.Val)]
			w.name("role=", a.Val)
		case "itemprop":
			switch strings.ToLower(a.Val) {
			case "articlebody", "text", "description":
				e.item |= statedText
			}
			w.name("itemprop=", a.Val)
		case "itemtype":
			e.item |= statedItem
			w.name("itemtype=", a.Val[strings.LastIndexByte(a.Val, '/')+1:])
		case "property":
			w.name("property=", a.Val)
		case "data-testid", "data-component":
			w.name("data=", a.Val)
		case "aria-label":
			w.name("label=", a.Val)
		case "hidden":
			e.hidden |= hiddenAttribute
			e.unseen = max(e.unseen, hides(n.DataAtom))
		case "aria-hidden":
			if a.Val == "true" {
				e.hidden |= hiddenFromReaders
			}
		case "aria-expanded", "aria-modal":
			if a.Val == "false" || a.Key == "aria-modal" {
				e.hidden |= collapsed
			}
		case "style":
			if strings.Contains(a.Val, "display") && strings.Contains(strings.ReplaceAll(strings.ToLower(a.Val), " ", ""), "display:none") {
				e.hidden |= notDisplayed
			}
			if isHiding(a.Val) {
				e.unseen = max(e.unseen, hides(n.DataAtom))
			}
		}
	}
}

const (
	// maxNames is how many names of an element are taken, longestName how many bytes of each.
	maxNames    = 24
	longestName = 40
)

// name adds the name that an attribute gives.
func (w *walk) name(attribute, value string) {
	if len(value) > longestName {
		value = value[len(value)-longestName:]
	}
	h := hashOf(attribute)
	w.names = append(w.names, name{hash: (h ^ hashOf(value)) * hashPrime})
}

// classes adds the names in a class or an id, and the words that these are made of.
func (w *walk) classes(value string, e *element, class bool) {
	start := len(w.names)
	first := true
	for className := range strings.FieldsSeq(value) {
		if len(w.names)-start >= maxNames {
			return
		}
		if len(className) > longestName {
			className = className[:longestName]
		}
		h := hashOf(className)
		bits := uint32(0)
		if first && class {
			e.markup = (e.markup ^ uint64(h)) * 0x9e3779b97f4a7c15
		}
		first = false
		w.names = append(w.names, name{hash: h})
		eachWord(className, func(word string) {
			h := hashOf(word)
			if len(word) > 2 && len(word) < len(className) {
				w.names = append(w.names, name{hash: h, extra: true})
			}
			bits |= familyBits[h]
			for bits, k := familyBits[h]&(1<<familyCount-1), 0; bits != 0; bits, k = bits>>1, k+1 {
				if bits&1 != 0 {
					e.near[k] = 0
				}
			}
		})
		e.said |= bits
		e.named = e.named || bits&(wordSubject|wordContent|wordDropped) == wordSubject|wordContent
	}
}

// eachWord calls use with the words of a name such as main-content, mainContent or HTMLPage2.
func eachWord(s string, use func(string)) {
	start := -1
	lower := func(i int) bool { return i < len(s) && 'a' <= s[i] && s[i] <= 'z' }
	upper := func(i int) bool { return i < len(s) && 'A' <= s[i] && s[i] <= 'Z' }
	for i := 0; i <= len(s); i++ {
		letter := lower(i) || upper(i)
		if start >= 0 && (!letter || upper(i) && (lower(i-1) || i > start && lower(i+1))) {
			use(s[start:i])
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
	}
}
