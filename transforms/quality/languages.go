package quality

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// scriptSet returns the set of the scripts in a list of ISO 15924 codes.
func scriptSet(codes string) (uint64, error) {
	var set uint64
	for _, code := range strings.Fields(codes) {
		parts, ok := map[string]string{
			"Hans": "Hani Bopo", "Hant": "Hani Bopo", "Hani": "Hani Bopo",
			"Jpan": "Hani Hira Kana", "Hrkt": "Hira Kana", "Kore": "Hang Hani",
		}[code]
		if !ok {
			parts = code
		}
		for _, part := range strings.Fields(parts) {
			bit := uint64(0)
			for i, s := range scripts {
				if i > 0 && s.code == part {
					bit = 1 << i
				}
			}
			if bit == 0 {
				return 0, fmt.Errorf("script %q is not an ISO 15924 code that the filters know", code)
			}
			set |= bit
		}
	}
	return set, nil
}

// expectation maps languages to sets of scripts; those of the caller replace the usual ones.
type expectation struct {
	languages map[string]uint64
	codes     map[string]uint64 // of ISO 15924, for codes like zho_Hant
}

func newExpectation(own map[string]string) (expectation, error) {
	e := expectation{languages: map[string]uint64{}, codes: map[string]uint64{}}
	for _, u := range usualScripts {
		set, err := scriptSet(u.scripts)
		if err != nil {
			return expectation{}, err
		}
		for _, language := range strings.Fields(u.languages) {
			e.languages[language] = set
		}
	}
	for _, code := range []string{"Hans", "Hant", "Jpan", "Hrkt", "Kore"} {
		set, err := scriptSet(code)
		if err != nil {
			return expectation{}, err
		}
		e.codes[code] = set
	}
	for _, s := range scripts[1:] {
		set, err := scriptSet(s.code)
		if err != nil {
			return expectation{}, err
		}
		e.codes[s.code] = set
	}
	var faults []error
	for _, language := range slices.Sorted(maps.Keys(own)) {
		set, err := scriptSet(own[language])
		if err != nil {
			faults = append(faults, fmt.Errorf("scripts of %q: %w", language, err))
		}
		e.languages[language] = set
	}
	return e, errors.Join(faults...)
}

// of returns the scripts expected of a language; 0 where nothing is known.
func (e expectation) of(language string) uint64 {
	if set, ok := e.languages[language]; ok {
		return set
	}
	if base, code, ok := strings.Cut(language, "_"); ok {
		if set, ok := e.codes[code]; ok {
			return set
		}
		return e.languages[base]
	}
	return 0
}
