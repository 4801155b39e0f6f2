package characters

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"sentweave/schemas/language"
)

// script is a writing system that this package tells from others.
type script struct {
	// code is that of ISO 15924, name that of package unicode.
	code, name string
	// dense: a character is a word or a syllable, so short texts say much.
	dense bool
	// unspaced: words are not separated by white space.
	unspaced bool
	// word is the usual number of letters in a word, where unspaced.
	word int
	// weight is the number of letters of an alphabet that one letter is worth; 0
	// stands for 1. It is that of dense and of unspaced scripts only: letters of the
	// English side of Tatoeba by those of the other, 2.8 for Chinese, 2.1 for Korean,
	// 1.9 for Japanese (26 % of it Han), 1.7 for Khmer, 1.6 for Amharic, 1.2 for
	// Thai (their marks are not letters), in halves.
	weight float64
}

// scripts are at most 56, so that with the classes they are 64. The first entry stands
// for letters of scripts not listed.
var scripts = []script{
	{},
	{code: "Latn", name: "Latin"}, {code: "Cyrl", name: "Cyrillic"}, {code: "Grek", name: "Greek"},
	{code: "Armn", name: "Armenian"}, {code: "Geor", name: "Georgian"}, {code: "Hebr", name: "Hebrew"},
	{code: "Arab", name: "Arabic"}, {code: "Syrc", name: "Syriac"}, {code: "Thaa", name: "Thaana"},
	{code: "Nkoo", name: "Nko"}, {code: "Ethi", name: "Ethiopic", dense: true, weight: 1.5}, {code: "Tfng", name: "Tifinagh"},
	{code: "Adlm", name: "Adlam"}, {code: "Copt", name: "Coptic"}, {code: "Goth", name: "Gothic"},
	{code: "Deva", name: "Devanagari"}, {code: "Beng", name: "Bengali"}, {code: "Guru", name: "Gurmukhi"},
	{code: "Gujr", name: "Gujarati"}, {code: "Orya", name: "Oriya"}, {code: "Taml", name: "Tamil"},
	{code: "Telu", name: "Telugu"}, {code: "Knda", name: "Kannada"}, {code: "Mlym", name: "Malayalam"},
	{code: "Sinh", name: "Sinhala"}, {code: "Olck", name: "Ol_Chiki"}, {code: "Mtei", name: "Meetei_Mayek"},
	{code: "Mong", name: "Mongolian"}, {code: "Cher", name: "Cherokee", dense: true, weight: 1.5},
	{code: "Cans", name: "Canadian_Aboriginal", dense: true, weight: 1.5},
	{code: "Hang", name: "Hangul", dense: true, weight: 2},
	{code: "Hani", name: "Han", dense: true, unspaced: true, word: 2, weight: 3},
	{code: "Hira", name: "Hiragana", dense: true, unspaced: true, word: 3, weight: 1.5},
	{code: "Kana", name: "Katakana", dense: true, unspaced: true, word: 3, weight: 1.5},
	{code: "Bopo", name: "Bopomofo", dense: true, unspaced: true, word: 2, weight: 1.5},
	{code: "Yiii", name: "Yi", dense: true, unspaced: true, word: 2, weight: 2},
	{code: "Thai", name: "Thai", unspaced: true, word: 3, weight: 1.5}, {code: "Laoo", name: "Lao", unspaced: true, word: 3, weight: 1.5},
	{code: "Khmr", name: "Khmer", unspaced: true, word: 3, weight: 1.5},
	{code: "Mymr", name: "Myanmar", unspaced: true, word: 3, weight: 1.5},
	{code: "Tibt", name: "Tibetan", unspaced: true, word: 3, weight: 1.5},
	{code: "Java", name: "Javanese", unspaced: true, word: 3, weight: 1.5},
	{code: "Bali", name: "Balinese", unspaced: true, word: 3, weight: 1.5},
}

// usualScripts says in which scripts (ISO 15924) the languages (ISO 639-3) are
// written today: those of the CMLM and LaBSE models and of the Tatoeba test set.
// A language that is not here has no expected script.
var usualScripts = []struct{ scripts, languages string }{
	{"Latn", "afr als ast ang bre cat cbk ceb ces cha cor cos csb cym dan deu dsb dtp eng epo est eus fao fil fin fra fry gla gle glg gsw hat hau haw hmn hsb hun ibo ido ile ilo ina ind isl ita kab kin kzj lat lav lit ltz lvs max mlg mlt mri msa zsm nds nld nno nob nor nov nya oci pam plt pms pol por ron run slk slv smo sna som sot spa sqi sun swa swe swg swh tgl tso tur tzl vie vol war wln wol xho yor zul"},
	{"Cyrl", "bel bul bak chv kir mhr mkd mon orv rus tgk udm ukr"},
	{"Latn Cyrl", "aze bos hbs hrv mol srp uzb tat tuk crh lfn"},
	{"Cyrl Latn Arab", "kaz"},
	{"Latn Java", "jav"},
	{"Grek", "ell grc"},
	{"Armn", "hye"},
	{"Geor", "kat"},
	{"Hebr", "heb yid"},
	{"Arab", "ara arb arq arz fas pes prs pus urd snd uig ckb azb"},
	{"Latn Arab", "kmr kur"},
	{"Thaa", "div"},
	{"Ethi", "amh tir"},
	{"Latn Tfng", "ber tzm"},
	{"Copt", "cop"},
	{"Goth", "got"},
	{"Deva", "awa hin mar nep npi san mai bho"},
	{"Beng", "asm ben"},
	{"Guru Arab", "pan"},
	{"Gujr", "guj"},
	{"Orya", "ori ory"},
	{"Taml", "tam"},
	{"Telu", "tel"},
	{"Knda", "kan"},
	{"Mlym", "mal"},
	{"Sinh", "sin"},
	{"Thai", "tha"},
	{"Laoo", "lao"},
	{"Khmr", "khm"},
	{"Mymr", "mya"},
	{"Tibt", "bod dzo"},
	{"Cher", "chr"},
	{"Cans", "iku"},
	{"Jpan", "jpn"},
	{"Kore", "kor"},
	{"Hani", "zho cmn wuu yue"},
	{"Yiii", "iii"},
}

// Set is a set of scripts, by their indices.
type Set uint64

// setOf returns the set of the scripts with these ISO 15924 codes, and whether this
// package tells all of them from others.
func setOf(codes ...string) (Set, bool) {
	var set Set
	for _, code := range codes {
		parts := code
		switch code {
		case "Hans", "Hant", "Hani":
			parts = "Hani Bopo"
		case "Jpan":
			parts = "Hani Hira Kana"
		case "Hrkt":
			parts = "Hira Kana"
		case "Kore":
			parts = "Hang Hani"
		}
		for part := range strings.FieldsSeq(parts) {
			i := slices.IndexFunc(scripts, func(s script) bool { return s.code == part })
			if i < 0 {
				return 0, false
			}
			set |= 1 << i
		}
	}
	return set, true
}

// expected maps the languages of usualScripts, and the codes of scripts, to sets. It is
// built when first used.
var expected = sync.OnceValue(func() map[string]Set {
	sets := map[string]Set{}
	for _, code := range []string{"Hans", "Hant", "Jpan", "Hrkt", "Kore"} {
		sets[code], _ = setOf(code)
	}
	for _, s := range scripts[1:] {
		sets[s.code], _ = setOf(s.code)
	}
	for _, u := range usualScripts {
		set, _ := setOf(strings.Fields(u.scripts)...)
		for code := range strings.FieldsSeq(u.languages) {
			sets[code] = set
		}
	}
	return sets
})

// Expected returns the scripts in which text in a language (ISO 639-3 with an optional
// script) is written; the empty set where nothing is known. A code like zho_Hant names
// its script itself.
func Expected(code string) Set {
	if _, script, ok := strings.Cut(code, "_"); ok {
		code = script
	}
	return expected()[code]
}

// ParseLanguage is language.Parse of a language in which texts are to be, where a script that CheckScript refuses is an error, and so is
// that of the code for an unknown script, which language.Parse leaves out.
func ParseLanguage(tag string) (string, error) {
	code, err := language.Parse(tag)
	if err != nil {
		return "", err
	}
	subtags := strings.FieldsFunc(tag, func(r rune) bool { return r == '-' || r == '_' })
	if slices.ContainsFunc(subtags, func(subtag string) bool { return strings.EqualFold(subtag, unknownScript) }) {
		code = language.Base(code) + "_" + unknownScript
	}
	return code, CheckScript(code)
}

// unknownScript is that of texts in a script that nobody knows, or that has no code, in ISO 15924.
const unknownScript = "Zzzz"

// CheckScript returns an error if a code names a script that this package does not tell from others.
func CheckScript(code string) error {
	if _, script, ok := strings.Cut(code, "_"); ok && Expected(code) == 0 {
		return fmt.Errorf("%s: texts in the script %s are not told from those in others: give the language without its script", code, script)
	}
	return nil
}

// mostly is the share of the letters of a text above which it is in a script.
const mostly = .5

// InScript says whether a text is in the script that a code names: whether more than half of its letters are, by their
// weight. Hans is told from Hant by HanScript. Of a code without a script, and of a text that tells nothing, it is true.
func InScript(text, code string) bool {
	_, script, named := strings.Cut(code, "_")
	if script == "Hans" || script == "Hant" {
		if han, _ := HanScript(text); han != "Hani" && han != script {
			return false
		}
	}
	return !named || ScriptShare(text, code) > mostly
}

// InScriptOf says whether a text in a language is in the script that one of several codes of this language names.
func InScriptOf(text, code string, codes []string) bool {
	return slices.ContainsFunc(codes, func(c string) bool { return language.Matches(code, c) && InScript(text, c) })
}

// ScriptShare returns the weighted share, of the letters of a text, of those in a
// script that the language is written in: 1 for a text without letters. Of languages
// without an expected script, language.Scripts is asked.
func ScriptShare(text, code string) float64 {
	set := Expected(code)
	if set == 0 {
		ok := false
		if set, ok = setOf(language.Scripts(code)...); !ok {
			return 1
		}
	}
	var c Counts
	c.Add(text)
	w := c.Weigh(set)
	if w.Letters == 0 {
		return 1
	}
	return w.Expected / w.Letters
}
