// Package rights reads what a page or its server says of licences, and of uses that are reserved.
//
// # Determinism
//
// All results are functions of the texts. Nothing is looked up.
package rights

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Unknown stands for a licence whose address tells no name.
const Unknown = "other"

// creativeCommons matches the path of a licence or a mark of Creative Commons: kind, version and jurisdiction (CC REL, Abelson et al.
// 2008).
var creativeCommons = regexp.MustCompile(`creativecommons\.org/(licenses|publicdomain)/([a-z-]+)/?` +
	`(?:(\d\.\d)/?(?:([a-z]{2}|igo|scotland)(?:[/"'\s).]|$))?)?`)

var publicDomain = map[string]string{"publicdomain/zero": "cc0", "publicdomain/mark": "cc-pdm", "licenses/publicdomain": "cc-pddc"}

// License returns the name of the licence at an address, or in a text that holds the address of one of Creative Commons: its SPDX
// identifier in small letters, such as cc-by-sa-4.0, without a version where the address has none. Known are the licences of Creative
// Commons, and addresses of GNU, the OSI, the Apache Foundation and SPDX. Another address is Unknown, and an empty one "".
func License(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if address == "" {
		return ""
	}
	if m := creativeCommons.FindStringSubmatch(address); m != nil {
		name := publicDomain[m[1]+"/"+m[2]]
		if name == "" && m[1] == "licenses" {
			name = "cc-" + m[2]
		}
		if name == "" {
			return Unknown
		}
		for _, part := range m[3:] {
			if part != "" {
				name += "-" + part
			}
		}
		return name
	}
	_, path, _ := strings.Cut(address, "://")
	path = strings.TrimSuffix(strings.TrimPrefix(path, "www."), "/")
	for _, site := range []string{"gnu.org/licenses/", "gnu.org/copyleft/", "opensource.org/licenses/", "opensource.org/license/",
		"spdx.org/licenses/", "apache.org/licenses/license-"} {
		name, ok := strings.CutPrefix(path, site)
		if !ok {
			continue
		}
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".html"), ".txt"), ".en")
		switch {
		case strings.HasPrefix(name, "fdl"):
			name = "g" + name
		case strings.HasPrefix(site, "apache"):
			name = "apache-" + name
		}
		if isName.MatchString(name) {
			return name
		}
	}
	return Unknown
}

var isName = regexp.MustCompile(`^[a-z][a-z0-9.-]{0,40}$`)

// families are those of Creative Commons.
var families = strings.Fields("cc-by cc-by-sa cc-by-nd cc-by-nc cc-by-nc-sa cc-by-nc-nd cc0 cc-pdm cc-pddc")

// Check returns an error for what License never returns as a name or a part of it, as far as that can be told.
func Check(license string) error {
	if !isName.MatchString(license) {
		return fmt.Errorf("%q is no name of a licence: they are in small letters, such as cc-by-sa-4.0, gfdl or mit", license)
	}
	if family := Family(license); strings.HasPrefix(license, "cc") && !slices.Contains(families, family) {
		return fmt.Errorf("%q is none of Creative Commons' licences, which are %s", license, strings.Join(families, ", "))
	}
	return nil
}

// Family returns the name of a licence without version and jurisdiction: cc-by-sa for cc-by-sa-3.0-de.
func Family(license string) string {
	parts := strings.Split(license, "-")
	for i, part := range parts {
		if i > 0 && part[:min(1, len(part))] >= "0" && part[:min(1, len(part))] <= "9" {
			return strings.Join(parts[:i], "-")
		}
	}
	return license
}

// Join returns the names of licences, each once, in order, joined by commas.
func Join(names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// Allowed says whether all licences of a page (as Join joins them) are among those that are wanted, which are names or families. A page
// without one is not allowed.
func Allowed(licenses string, wanted []string) bool {
	for name := range strings.SplitSeq(licenses, ",") {
		if name == "" || !slices.Contains(wanted, name) && !slices.Contains(wanted, Family(name)) {
			return false
		}
	}
	return true
}
