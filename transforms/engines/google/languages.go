package google

import (
	"strings"

	"sentweave/transforms/engines"
)

// documented are the languages of the general model. The service learns new ones:
// GetSupportedLanguages lists them, and Config.Codes adds them. The language model and
// models of one's own have fewer, of which the pages give no list that stays: what they
// lack the service refuses, and that ends the work.
//
// Source: https://cloud.google.com/translate/docs/languages, as of 2025.
const documented = `ab ace ach af ak alz am ar as awa ay az ba ban bbc be bem bew bg bho bik bm bn br bs bts btx bua ca ceb cgg chm ckb cnh co crh crs cs cv cy
da de din doi dov dv dz ee el en eo es et eu fa ff fi fil fj fr fy ga gaa gd gl gn gom gu ha haw he hi hil hmn hr hrx ht hu hy id ig ilo is it
ja jv ka kk km kn ko kri ktu ku ky la lb lg li lij lmo ln lo lt ltg luo lus lv mai mak mg mi min mk ml mn mni-Mtei mr ms mt my ne new nl no nr nso nus ny
oc om or pa pa-Arab pag pam pap pl ps pt qu rn ro rom ru rw sa scn sd sg shn si sk sl sm sn so sq sr ss st su sv sw szl ta te tet tg th ti tk tl tn tr ts tt
ug uk ur uz vi xh yi yo yua yue zu ms-Arab`

// special are languages whose script the service decides by a code of its own, or
// writes in one script without telling.
var special = map[string]string{
	"zho": "zh-CN", "zho_Hans": "zh-CN", "zho_Hant": "zh-TW", "srp_Cyrl": "sr", "uzb_Latn": "uz", "mon_Cyrl": "mn", "snd_Arab": "sd",
	"kur_Latn": "ku", "msa_Latn": "ms", "aze_Latn": "az", "kaz_Cyrl": "kk", "uig_Arab": "ug",
}

// languages returns the table.
func languages() engines.Codes {
	codes := engines.Codes{}
	for ours, theirs := range special {
		codes[ours] = theirs
	}
	codes.AddCodes(strings.Fields(documented)...)
	return codes
}
