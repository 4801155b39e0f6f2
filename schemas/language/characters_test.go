package language

import (
	"strings"
	"testing"
	"unicode"
)

func TestCharacters(t *testing.T) {
	for code, text := range map[string]string{
		"rus": "яЁ", "srp": "жž", "zho": "中ㄅ", "zho_Hant": "體", "jpn": "日ひカ", "kor": "한漢", "eng": "aZé", "hin": "ह", "ara": "ع", "ell": "ω",
		"tha": "ก",
	} {
		for _, r := range text {
			if !unicode.In(r, Characters(code)...) {
				t.Errorf("%c is not among the characters of %s", r, code)
			}
		}
		if unicode.In('Ж', Characters(code)...) != (code == "rus" || code == "srp") {
			t.Errorf("Ж and %s", code)
		}
	}
	for script, names := range scriptNames {
		for _, name := range names {
			if unicode.Scripts[name] == nil {
				t.Errorf("%s: unicode has no script %s", script, name)
			}
		}
	}
	for code := range strings.FieldsSeq("ara bul deu ell spa fra hin rus swa tha tur urd vie zho eng cat jpn kor") {
		if Characters(code) == nil {
			t.Errorf("%s: no script of %v", code, Scripts(code))
		}
	}
}
