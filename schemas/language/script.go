package language

import (
	bcp47 "golang.org/x/text/language"
)

const (
	unknownScript = "Zzzz"
	unknownRegion = "ZZ"
)

// severalScripts are languages with more than one script in use, the usual one
// first where there is one. It decides which codes keep their script.
var severalScripts = map[string][]string{
	"aze": {"Latn", "Cyrl", "Arab"}, "azj": {"Latn", "Cyrl"}, "bel": {"Cyrl", "Latn"}, "ber": {"Latn", "Tfng", "Arab"},
	"bjn": {"Latn", "Arab"}, "ace": {"Latn", "Arab"}, "bos": {"Latn", "Cyrl"}, "ckb": {"Arab", "Latn"},
	"cmn": {"Hans", "Hant"}, "cnr": {"Latn", "Cyrl"}, "crh": {"Latn", "Cyrl"}, "ful": {"Latn", "Adlm"},
	"doi": {"Deva", "Arab"}, "gan": {"Hans", "Hant"}, "hak": {"Hans", "Hant", "Latn"}, "hau": {"Latn", "Arab"}, "hbs": {"Latn", "Cyrl"},
	"hif": {"Latn", "Deva"}, "iku": {"Cans", "Latn"}, "ike": {"Cans", "Latn"}, "jav": {"Latn", "Java"},
	"kaa": {"Cyrl", "Latn"}, "kab": {"Latn", "Tfng"}, "kas": {"Arab", "Deva"}, "kaz": {"Cyrl", "Latn", "Arab"},
	"khk": {"Cyrl", "Mong"}, "kir": {"Cyrl", "Arab", "Latn"}, "kmr": {"Latn", "Arab", "Cyrl"}, "kok": {"Deva", "Latn", "Knda"},
	"gom": {"Deva", "Latn", "Knda"}, "kur": {"Latn", "Arab", "Cyrl"}, "lad": {"Latn", "Hebr"}, "lzh": {"Hant", "Hans"},
	"min": {"Latn", "Arab"}, "mni": {"Beng", "Mtei", "Latn"}, "mon": {"Cyrl", "Mong"}, "msa": {"Latn", "Arab"},
	"nan": {"Hant", "Hans", "Latn"}, "pan": {"Guru", "Arab"}, "rom": {"Latn", "Cyrl"}, "ron": {"Latn", "Cyrl"},
	"lfn": {"Latn", "Cyrl"}, "san": {"Deva", "Latn"}, "sat": {"Olck", "Deva", "Beng", "Latn", "Orya"}, "snd": {"Arab", "Deva"},
	"srp": {"Cyrl", "Latn"},
	"sun": {"Latn", "Sund"}, "shi": {"Tfng", "Latn"}, "taq": {"Latn", "Tfng"}, "tat": {"Cyrl", "Latn"},
	"tgk": {"Cyrl", "Arab", "Latn"}, "tuk": {"Latn", "Cyrl", "Arab"}, "tzm": {"Tfng", "Latn", "Arab"}, "uig": {"Arab", "Cyrl", "Latn"},
	"uzb": {"Latn", "Cyrl", "Arab"}, "uzn": {"Latn", "Cyrl"}, "wuu": {"Hans", "Hant"}, "yue": {"Hant", "Hans"},
	"zha": {"Latn", "Hani"}, "zho": {"Hans", "Hant"},
}

// unlistedScripts are the scripts of languages in our table that
// golang.org/x/text has no script for, Latin apart.
var unlistedScripts = map[string][]string{
	"azb": {"Arab"}, "nog": {"Cyrl"}, "xal": {"Cyrl"}, "ars": {"Arab"}, "apc": {"Arab"}, "arb": {"Arab"}, "bua": {"Cyrl"}, "chm": {"Cyrl"},
	"orv": {"Cyrl"}, "ydd": {"Hebr"},
	"npi": {"Deva"}, "ory": {"Orya"}, "pbt": {"Arab"}, "pes": {"Arab"}, "prs": {"Arab"}, "bho": {"Deva"},
}

var latin = []string{"Latn"}

// Scripts returns the scripts (ISO 15924) that a language is usually written in,
// the most usual first: one for most languages, as in "Cyrl" for "rus", "Jpan"
// for "jpn" and "Kore" for "kor". A code with a script has that one only.
// Languages that nothing is known about count as written in Latin script. The
// result is shared where it can be: do not change it.
func Scripts(code string) []string {
	if s := script(code); s != "" {
		return []string{s}
	}
	if s, ok := severalScripts[code]; ok {
		return s
	}
	if s, ok := unlistedScripts[code]; ok {
		return s
	}
	base, err := bcp47.ParseBase(code)
	if err != nil {
		return latin
	}
	tag, err := bcp47.Raw.Compose(base)
	if err != nil {
		return latin
	}
	if s, _ := tag.Script(); s.String() != unknownScript {
		return []string{s.String()}
	}
	return latin
}

// scriptOfRegion returns the script that a tag's region implies, or "" where the
// region tells nothing beyond the language: Chinese always, others only where
// the region has another script than the language by itself ("az-IR", "sr-ME").
func scriptOfRegion(code string, t bcp47.Tag) string {
	script, _ := t.Script()
	usual := Scripts(code)
	if len(usual) == 1 || (script.String() == usual[0] && !isChinese(code)) {
		return ""
	}
	return script.String()
}

func isChinese(code string) bool { return code == "zho" || macrolanguage(code) == "zho" }
