package rights

import (
	"slices"
	"strings"
)

// OptOuts are the uses of a page that its author or server opts out of.
type OptOuts uint8

// The names of opt-outs, in order. Those of robots are directives of the meta element robots and of the header X-Robots-Tag; the last one
// is that of the TDM Reservation Protocol (W3C Community Group, 2022), by which a right holder reserves text and data mining under article
// 4 of the European directive on copyright in the digital single market.
var optOuts = []string{"noai", "noarchive", "noimageai", "noindex", "noml", "nosnippet", "tdm-reservation"}

const reservation OptOuts = 1 << 6

// Names returns the names of all opt-outs.
func Names() []string { return optOuts }

// Has says whether an opt-out is among them.
func (o OptOuts) Has(name string) bool {
	i := slices.Index(optOuts, name)
	return i >= 0 && o>>i&1 == 1
}

// String returns the names, in order, joined by commas.
func (o OptOuts) String() string {
	var names []string
	for i, name := range optOuts {
		if o>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// Robots returns the opt-outs that the directives of a meta element, or of a line of the header, name for all programs. A line that begins
// with the name of a program, as in "otherbot: noindex", is for this one.
func Robots(directives string) (o OptOuts) {
	for directive := range strings.SplitSeq(strings.ToLower(directives), ",") {
		name, _, hasValue := strings.Cut(strings.TrimSpace(directive), ":")
		if hasValue {
			if !slices.Contains([]string{"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"}, name) {
				return o
			}
			continue
		}
		if name == "none" { // noindex and nofollow
			name = "noindex"
		}
		if i := slices.Index(optOuts, name); i >= 0 && OptOuts(1)<<i != reservation {
			o |= 1 << i
		}
	}
	return o
}

// TDM returns the opt-out that the value of tdm-reservation means, in the header or a meta element: "1" reserves.
func TDM(value string) OptOuts {
	if strings.TrimSpace(value) == "1" {
		return reservation
	}
	return 0
}
