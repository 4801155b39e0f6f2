package rights

import (
	"strings"
	"testing"
)

func TestLicense(t *testing.T) {
	for _, tt := range []struct{ address, want, family string }{
		{"", "", ""},
		{"https://creativecommons.org/licenses/by-sa/4.0/", "cc-by-sa-4.0", "cc-by-sa"},
		{"//creativecommons.org/licenses/by/3.0/de/deed.en", "cc-by-3.0-de", "cc-by"},
		{"http://creativecommons.org/licenses/by-nc-nd/4.0/?ref=chooser-v1", "cc-by-nc-nd-4.0", "cc-by-nc-nd"},
		{"https://creativecommons.org/licenses/by/4.0/deed.de", "cc-by-4.0", "cc-by"},
		{"https://creativecommons.org/licenses/by/3.0/igo/legalcode", "cc-by-3.0-igo", "cc-by"},
		{"https://creativecommons.org/publicdomain/zero/1.0/", "cc0-1.0", "cc0"},
		{"https://creativecommons.org/publicdomain/mark/1.0/deed.de", "cc-pdm-1.0", "cc-pdm"},
		{"http://creativecommons.org/licenses/publicdomain/", "cc-pddc", "cc-pddc"},
		{"http://creativecommons.org/licenses/by/", "cc-by", "cc-by"},
		{"https://creativecommons.org/licenses/", "other", "other"},
		{"under the Creative Commons Attribution License (http://creativecommons.org/licenses/by/2.0/), which", "cc-by-2.0", "cc-by"},
		{"https://www.gnu.org/copyleft/fdl.html", "gfdl", "gfdl"},
		{"https://www.gnu.org/licenses/gpl-3.0.en.html", "gpl-3.0", "gpl"},
		{"https://www.apache.org/licenses/LICENSE-2.0", "apache-2.0", "apache"},
		{"https://opensource.org/licenses/MIT", "mit", "mit"},
		{"https://spdx.org/licenses/BSD-3-Clause.html", "bsd-3-clause", "bsd"},
		{"/licensing", "other", "other"},
		{"https://www.gnu.org/licenses/", "other", "other"},
	} {
		if got := License(tt.address); got != tt.want || Family(got) != tt.family {
			t.Errorf("%q is %q of %q, want %q of %q", tt.address, got, Family(got), tt.want, tt.family)
		}
	}
}

func TestAllowed(t *testing.T) {
	wanted := []string{"cc-by", "cc-by-sa-4.0", "cc0"}
	for licenses, want := range map[string]bool{
		"": false, "cc-by-4.0": true, "cc-by-3.0-de": true, "cc-by-sa-4.0": true, "cc-by-sa-3.0": false, "cc-by-nc-4.0": false,
		"other": false,
		Join([]string{"cc0-1.0", "cc-by-4.0", "cc0-1.0", ""}): true, Join([]string{"cc-by-4.0", "cc-by-nd-4.0"}): false,
	} {
		if Allowed(licenses, wanted) != want {
			t.Errorf("%q: want %t", licenses, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for license, want := range map[string]bool{"cc-by": true, "cc-by-sa-3.0-de": true, "cc0": true, "mit": true, "other": true,
		"": false, "CC-BY": false, "cc-by4": false, "ccby": false, "a b": false} {
		if (Check(license) == nil) != want {
			t.Errorf("%q: want %t", license, want)
		}
	}
}

// The directives are those of developers.google.com on robots meta tags, DeviantArt's noai (2022), and TDMRep's examples.
func TestOptOuts(t *testing.T) {
	for directives, want := range map[string]string{
		"": "", "all": "", "index, follow": "", "noindex, nofollow": "noindex", "NONE": "noindex",
		"noai, noimageai": "noai,noimageai",
		"noarchive,noai,noimageai,max-image-preview:large,max-snippet:-1,index,nosnippet": "noai,noarchive,noimageai,nosnippet",
		"googlebot: noindex, nofollow": "", "unavailable_after: 25 Jun 2026 15:00:00 PST, noml": "noml", "tdm-reservation": "",
	} {
		if got := Robots(directives).String(); got != want {
			t.Errorf("%q is %q, want %q", directives, got, want)
		}
	}
	o := TDM(" 1 ") | Robots("noai") | TDM("0")
	if o.String() != "noai,tdm-reservation" || !o.Has("noai") || o.Has("noindex") || o.Has("x") {
		t.Error(o)
	}
}

func FuzzRights(f *testing.F) {
	f.Add("https://creativecommons.org/licenses/by/3.0/de/deed.en")
	f.Add("noai, max-snippet:-1")
	f.Fuzz(func(t *testing.T, text string) {
		license := License(text)
		if (license == "") != (strings.TrimSpace(text) == "") || len(license) > 80 || Join([]string{license}) != license {
			t.Errorf("%q is %q", text, license)
		}
		if o := Robots(text); Robots(o.String()) != o&^reservation {
			t.Errorf("%q is %v", text, o)
		}
	})
}
