package google

import (
	"strings"

	"sentweave/transforms/engines"
)

// documented are the languages of the general model. The service learns new ones:
// GetSupportedLanguages lists them, and Config.Codes adds them.
//
// Source: https://cloud.google.com/translate/docs/languages.
const documented = `af sq am ar hy as ay az bm eu be bn bho bs bg ca ceb co hr cs da dv doi nl en eo et ee fil fi fr fy gl ka de el gn gu
ht ha haw he hi hmn hu is ig ilo id ga it ja jv kn kk km rw gom ko kri ku ckb ky lo la lv ln lt lg lb mk mai mg ms ml mt mi mr mni-Mtei lus mn
my ne no ny or om ps fa pl pt pa qu ro ru sm sa gd nso sr st sn sd si sk sl so es su sw sv tl tg ta tt te th ti ts tr tk ak uk ur ug uz vi cy xh yi yo zu`

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
