package personal

import (
	"net/url"
	"slices"
	"strings"

	bcp47 "golang.org/x/text/language"

	"github.com/nyaruka/phonenumbers"

	"sentweave/schemas/language"
)

// worldwide are domains of countries under which sites of all countries are.
var worldwide = []string{"AI", "CC", "CO", "FM", "GG", "IO", "LA", "LY", "ME", "NU", "SH", "ST", "TO", "TV", "WS"}

// Region returns the country in which a page's telephone numbers are most likely: that of its address's domain, else the one in which most
// speakers of its language are (CLDR's likely subtags), as ISO 3166; "" if neither tells one. Code is ISO 639-3 with an optional script.
func Region(address, code string) string {
	if u, err := url.Parse(address); err == nil {
		host := u.Hostname()
		region := strings.ToUpper(host[strings.LastIndexByte(host, '.')+1:])
		if region == "UK" {
			region = "GB"
		}
		if !slices.Contains(worldwide, region) && phonenumbers.GetSupportedRegions()[region] {
			return region
		}
	}
	if tag, err := language.BCP47(code); err == nil && code != language.Undetermined {
		if region, _ := bcp47.Make(tag).Region(); phonenumbers.GetSupportedRegions()[region.String()] {
			return region.String()
		}
	}
	return ""
}
