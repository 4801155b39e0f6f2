package language

import (
	"strings"
	"testing"
)

func TestFamily(t *testing.T) {
	for code, want := range map[string]string{
		"eng": "Germanic", "zho_Hant": "Sino-Tibetan", "zsm": "Austronesian", "ajp": "Semitic", "hun": "Uralic", "mhr": "Uralic",
		"mon": "Mongolic", "szl": "Slavic",
		"pes": "Iranian", "urd": "Indo-Aryan", "eus": "", "und": "", "hat": "",
	} {
		if got := Family(code); got != want {
			t.Errorf("Family(%q) = %q, want %q", code, got, want)
		}
	}
	seen := map[string]string{}
	for family, codes := range families {
		for code := range strings.FieldsSeq(codes) {
			if parsed, err := Parse(code); err != nil || parsed != code || seen[code] != "" {
				t.Errorf("%s of %s: %q, %v, also in %q", code, family, parsed, err, seen[code])
			}
			if whole := familyOf[macrolanguage(code)]; whole != "" && whole != family {
				t.Errorf("%s is of %s, and its macrolanguage of %s", code, family, whole)
			}
			seen[code] = family
		}
	}
	// Of the table these have none: isolates, creoles, and languages without a relative there.
	var without []string
	for _, e := range entries {
		if Family(e.code) == "" {
			without = append(without, e.code)
		}
	}
	if got, want := strings.Join(without, " "), "aym bis cbk chr eus grn hat hau luo nah nav pap que tpi"; got != want {
		t.Errorf("languages without a family: %s, want %s", got, want)
	}
}
