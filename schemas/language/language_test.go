package language

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	bcp47 "golang.org/x/text/language"
)

func TestParse(t *testing.T) {
	tests := []struct{ tag, want string }{
		// The folder names of the Debian handbook.
		{"ar-MA", "ara"}, {"ca-ES", "cat"}, {"cs-CZ", "ces"}, {"da-DK", "dan"}, {"de-DE", "deu"}, {"el-GR", "ell"},
		{"en-US", "eng"}, {"es-ES", "spa"}, {"fa-IR", "fas"}, {"fr-FR", "fra"}, {"hr-HR", "hrv"}, {"id-ID", "ind"},
		{"it-IT", "ita"}, {"ja-JP", "jpn"}, {"ko-KR", "kor"}, {"nb-NO", "nob"}, {"nl-NL", "nld"}, {"pl-PL", "pol"},
		{"pt-BR", "por"}, {"ro-RO", "ron"}, {"ru-RU", "rus"}, {"sv-SE", "swe"}, {"tr-TR", "tur"}, {"vi-VN", "vie"},
		{"zh-CN", "zho_Hans"}, {"zh-TW", "zho_Hant"}, {"zhs", "zho_Hans"}, {"zht", "zho_Hant"}, {"ZHT", "zho_Hant"},
		// XNLI and XEVAL.
		{"en", "eng"}, {"fr", "fra"}, {"es", "spa"}, {"de", "deu"}, {"el", "ell"}, {"bg", "bul"}, {"ru", "rus"}, {"tr", "tur"},
		{"ar", "ara"}, {"vi", "vie"}, {"th", "tha"}, {"zh", "zho"}, {"hi", "hin"}, {"sw", "swa"}, {"ur", "urd"},
		// ISO 639-2, bibliographic.
		{"ger", "deu"}, {"fre", "fra"}, {"chi", "zho"}, {"per", "fas"}, {"dut", "nld"}, {"cze", "ces"}, {"wel", "cym"}, {"baq", "eus"},
		// Scripts: written out, from a region, from a modifier; superfluous ones go.
		{"zh_Hant_TW", "zho_Hant"}, {"zh-Hans", "zho_Hans"}, {"zh-HK", "zho_Hant"}, {"zh-SG", "zho_Hans"}, {"cmn-Hant", "cmn_Hant"},
		{"zh-yue", "yue"}, {"zh-min-nan", "nan"}, {"yue-HK", "yue_Hant"}, {"sr@latin", "srp_Latn"}, {"sr_RS@latin", "srp_Latn"},
		{"sr-Latn-RS", "srp_Latn"}, {"sr-Cyrl", "srp_Cyrl"}, {"sr", "srp"}, {"sr-RS", "srp"}, {"sr-ME", "srp_Latn"},
		{"uz@cyrillic", "uzb_Cyrl"},
		{"pa-PK", "pan_Arab"}, {"pa-IN", "pan"}, {"az-IR", "aze_Arab"}, {"az-AZ", "aze"}, {"eng_Latn", "eng"}, {"rus_Cyrl", "rus"},
		{"rus_Latn", "rus_Latn"}, {"jpn_Jpan", "jpn"}, {"ko-Kore", "kor"}, {"hin_Deva", "hin"}, {"hi-Latn", "hin_Latn"},
		{"arb_Arab", "arb"},
		{"kas_Deva", "kas_Deva"}, {"npi_Deva", "npi"}, {"tzl_Latn", "tzl"}, {"aai_Latn", "aai"},
		// POSIX and BCP 47.
		{"de_DE.UTF-8", "deu"}, {"de_DE@euro", "deu"}, {"ca@valencia", "cat"}, {"be-tarask", "bel"}, {"en-US-u-ca-buddhist", "eng"},
		{"EN-us", "eng"},
		{"nn-NO", "nno"}, {"no", "nor"}, {"sh", "hbs"}, {"tl", "tgl"}, {"fil-PH", "fil"}, {"iw", "heb"}, {"in", "ind"}, {"ji", "yid"},
		{"mo", "ron"},
		{"und", "und"}, {"kzj", "dtp"}, {"ber", "ber"}, {"cnr", "cnr"},
	}
	for _, test := range tests {
		got, err := Parse(test.tag)
		if err != nil || got != test.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.tag, got, err, test.want)
		}
		if !Valid(test.want) {
			t.Errorf("Valid(%q) = false", test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ tag, want string }{
		{"", "ISO 639-3"},
		{"english", "eng (English)"},
		{"German", "deu (German)"},
		{"portug", "por (Portuguese)"},
		{"xx", "unknown"},
		{"dex", "deu"},
		{"en-", `"en-"`},
		{"zho_Hantx", `"zho_Hantx"`},
		{"@latin", `"@latin"`},
		{"C", "unknown"},
		{"srp_Cryl", `srp is Serbian, but "Cryl" is no code of a script`},
		{"und_Latn", "unknown"},
		{"eng eng", "unknown"},
		{strings.Repeat("a", 500), "…"},
		{"\xff\xfe", "unknown"},
	}
	for _, test := range tests {
		got, err := Parse(test.tag)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%.20q) = %q, %v, want an error that says %q", test.tag, got, err, test.want)
		}
		if Valid(test.tag) {
			t.Errorf("Valid(%.20q) = true", test.tag)
		}
	}
}

// tatoeba lists the 112 languages of the Tatoeba test set of LASER.
const tatoeba = `afr amh ang ara arq arz ast awa aze bel ben ber bos bre bul cat cbk ceb ces cha cmn cor csb cym dan deu dsb dtp
	ell epo est eus fao fin fra fry gla gle glg gsw heb hin hrv hsb hun hye ido ile ina ind isl ita jav jpn kab kat kaz khm kor
	kur kzj lat lfn lit lvs mal mar max mhr mkd mon nds nld nno nob nov oci orv pam pes pms pol por ron rus slk slv spa sqi srp
	swe swg swh tam tat tel tgl tha tuk tur tzl uig ukr urd uzb vie war wuu xho yid yue zsm`

func TestTatoeba(t *testing.T) {
	codes := strings.Fields(tatoeba)
	if len(codes) != 112 {
		t.Fatalf("%d codes, want 112", len(codes))
	}
	for _, code := range codes {
		want := code
		if code == "kzj" {
			want = "dtp" // retired in 2016
		}
		if got, err := Parse(code); err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", code, got, err, want)
		}
		if Name(want) == want {
			t.Errorf("Name(%q) is missing", want)
		}
	}
}

// labse lists the languages of LaBSE, on whose crawl the 113 of CMLM build.
const labse = `af am ar as az be bg bn bo bs ca ceb co cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha haw he hi hmn hr ht hu
	hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny or pa pl ps pt ro ru rw si
	sk sl sm sn so sq sr st su sv sw ta te tg th tk tl tr tt ug uk ur uz vi wo xh yi yo zh zu sd ti om`

// lid176 lists the labels of fastText's lid.176.
const lid176 = `af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da de diq
	dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id ie ilo io is it ja
	jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn mr mrj ms mt mwl my myv mzn nah
	nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn sco sd sh si sk sl so sq sr su
	sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo wa war wuu xal xmf yi yo yue zh`

func TestFastTextLabels(t *testing.T) {
	labels := strings.Fields(lid176)
	if len(labels) != 176 {
		t.Fatalf("%d labels, want 176", len(labels))
	}
	seen := map[string]string{}
	for _, label := range labels {
		got, err := FromFastText("__label__" + label)
		if err != nil {
			t.Error(err)
			continue
		}
		if other, ok := seen[got]; ok {
			t.Errorf("labels %q and %q both give %q", label, other, got)
		}
		seen[got] = label
		e, ok := find(got)
		if !ok {
			t.Errorf("%q has no name", got)
		}
		special := wikipediaCodes[label] != ""
		if !special && label != got && label != e.alpha2 {
			t.Errorf("FromFastText(%q) = %q, whose ISO 639-1 code is %q", label, got, e.alpha2)
		}
	}
	for label, want := range map[string]string{
		"als": "gsw", "eml": "egl", "bh": "bho", "no": "nor", "sh": "hbs", "zh": "zho", "ar": "ara", "nah": "nah",
		"als_Latn": "als", "deu_Latn": "deu", "zho_Hant": "zho_Hant", "__label__arb_Arab": "arb",
	} {
		if got, err := FromFastText(label); err != nil || got != want {
			t.Errorf("FromFastText(%q) = %q, %v, want %q", label, got, err, want)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	codes := []string{Undetermined, "zho_Hans", "zho_Hant", "srp_Latn", "srp_Cyrl", "pan_Arab", "hin_Latn", "cmn_Hant"}
	for _, e := range entries {
		codes = append(codes, e.code)
	}
	for _, tag := range strings.Fields(labse) {
		code, err := Parse(tag)
		if err != nil {
			t.Error(err)
			continue
		}
		if Name(code) == code {
			t.Errorf("Name(%q) is missing", code)
		}
		codes = append(codes, code)
	}
	for _, code := range codes {
		if read, err := FromFastText(FastTextLabel(code)); err != nil || read != code {
			t.Errorf("FastTextLabel(%q) = %q, read as %q, %v", code, FastTextLabel(code), read, err)
		}
		tag, err := BCP47(code)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := Parse(tag); err != nil || got != code {
			t.Errorf("%q gives the tag %q, which gives %q, %v", code, tag, got, err)
		}
		if got, err := bcp47.Parse(tag); err != nil || got == bcp47.Und && code != Undetermined {
			t.Errorf("the tag %q of %q: %v, %v", tag, code, got, err)
		}
	}
}

func TestBCP47(t *testing.T) {
	for code, want := range map[string]string{"zho_Hant": "zh-Hant", "nob": "nb", "eng": "en", "deu": "de", "ceb": "ceb",
		"srp_Latn": "sr-Latn"} {
		if got, err := BCP47(code); err != nil || got != want {
			t.Errorf("BCP47(%q) = %q, %v, want %q", code, got, err, want)
		}
	}
	for _, code := range []string{"en", "eng_Latn", "", "zh-CN"} {
		if got, err := BCP47(code); err == nil {
			t.Errorf("BCP47(%q) = %q, want an error: the code is not canonical", code, got)
		}
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"eng", "eng", true},
		{"eng", "deu", false},
		{"nob", "nor", true},
		{"nob", "nno", false},
		{"cmn", "zho", true},
		{"yue", "zho_Hant", true},
		{"cmn_Hant", "zho", true},
		{"zho_Hans", "zho_Hant", false},
		{"srp", "srp_Latn", true},
		{"srp_Cyrl", "srp_Latn", false},
		{"hrv", "hbs", true},
		{"hrv", "srp", false},
		{"ind", "msa", true},
		{"ind", "zsm", false},
		{"arz", "ara", true},
		{"lvs", "lav", true},
		{"pes", "fas", true},
		{"swh", "swa", true},
		{"dty", "nep", true},
		{"und", "und", false},
		{"und", "eng", false},
	}
	for _, test := range tests {
		if got := Matches(test.a, test.b); got != test.want {
			t.Errorf("Matches(%q, %q) = %v", test.a, test.b, got)
		}
		if got := Matches(test.b, test.a); got != test.want {
			t.Errorf("Matches(%q, %q) = %v", test.b, test.a, got)
		}
	}
}

func TestScripts(t *testing.T) {
	for code, want := range map[string]string{
		"eng": "Latn", "rus": "Cyrl", "jpn": "Jpan", "kor": "Kore", "zho": "Hans Hant", "zho_Hant": "Hant", "hye": "Armn", "amh": "Ethi",
		"srp": "Cyrl Latn", "urd": "Arab", "dtp": "Latn", "mhr": "Cyrl", "tha": "Thai", "mya": "Mymr", "div": "Thaa", "yid": "Hebr",
		"pnb": "Arab", "bpy": "Beng", "gom": "Deva Latn Knda", "xmf": "Geor", "lrc": "Arab", "mai": "Deva", "new": "Deva", "arz": "Arab",
	} {
		if got := strings.Join(Scripts(code), " "); got != want {
			t.Errorf("Scripts(%q) = %q, want %q", code, got, want)
		}
	}
}

// The tables must agree with golang.org/x/text where both speak.
func TestTables(t *testing.T) {
	if !slices.IsSortedFunc(entries[:], func(a, b entry) int { return strings.Compare(a.code, b.code) }) {
		t.Error("entries are not sorted by code")
	}
	for _, e := range entries {
		base, err := bcp47.ParseBase(e.code)
		if err != nil {
			t.Errorf("%q: %v", e.code, err)
			continue
		}
		withdrawn := map[string]string{"he": "iw", "yi": "ji"}[e.alpha2]
		if e.alpha2 != "" && base.String() != e.alpha2 && base.String() != withdrawn {
			t.Errorf("%q has the ISO 639-1 code %q, not %q", e.code, base, e.alpha2)
		}
		if e.alpha2 == "" && len(base.String()) == 2 {
			t.Errorf("%q lacks its ISO 639-1 code %q", e.code, base)
		}
		if e.name == "" || strings.ToLower(e.name[:1]) == e.name[:1] && unicode.IsLetter(rune(e.name[0])) {
			t.Errorf("%q has the name %q", e.code, e.name)
		}
		if _, ok := successors[e.code]; ok {
			t.Errorf("%q is in the table and has a successor", e.code)
		}
	}
	for member, macro := range macrolanguages {
		for _, code := range []string{member, macro} {
			if _, err := bcp47.ParseBase(code); err != nil {
				t.Errorf("macrolanguage %q of %q: %v", macro, member, err)
			}
		}
		if _, ok := macrolanguages[macro]; ok {
			t.Errorf("%q is a macrolanguage and belongs to one", macro)
		}
	}
	for code, scripts := range severalScripts {
		for _, script := range scripts {
			if _, err := bcp47.ParseScript(script); err != nil {
				t.Errorf("%q: %v", code, err)
			}
		}
	}
}

func TestName(t *testing.T) {
	for code, want := range map[string]string{"deu": "German", "zho_Hant": "Chinese (Hant)", "aai": "aai", "und": "Undetermined",
		"zxx": "No linguistic content"} {
		if got := Name(code); got != want {
			t.Errorf("Name(%q) = %q, want %q", code, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, tag := range []string{"en", "zh-Hant-TW", "sr@latin", "de_DE.UTF-8", "x-private", "i-klingon", "und-Latn", "root", "qaa",
		"a-b-c", "\x00"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		code, err := Parse(tag)
		if err != nil {
			if code != "" {
				t.Errorf("Parse(%q) = %q beside the error %v", tag, code, err)
			}
			return
		}
		if again, err := Parse(code); err != nil || again != code {
			t.Errorf("Parse(%q) = %q, which gives %q, %v", tag, code, again, err)
		}
		if base := Base(code); len(base) != 3 || strings.Trim(base, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("Parse(%q) = %q: the language has not three letters", tag, code)
		}
		if script := script(code); script != "" && len(script) != 4 {
			t.Errorf("Parse(%q) = %q: the script has not four letters", tag, code)
		}
		if code != Undetermined && !Matches(code, code) {
			t.Errorf("%q does not match itself", code)
		}
		if _, err := BCP47(code); err != nil {
			t.Errorf("BCP47(%q): %v", code, err)
		}
	})
}

func BenchmarkMatches(b *testing.B) {
	for b.Loop() {
		Matches("nob", "nor")
	}
}

// Codes come in the order of the tags, without what is no code, which the error names; one code matches any of several, or none.
func TestSeveral(t *testing.T) {
	codes, err := ParseAll([]string{"de", "qqq1", "zh-Hant", "also none"})
	if want := []string{"deu", "zho_Hant"}; !slices.Equal(codes, want) || err == nil || !strings.Contains(err.Error(), "qqq1") ||
		!strings.Contains(err.Error(), "also none") {
		t.Errorf("%v, %v, want %v", codes, err, want)
	}
	if !MatchesAny("cmn", codes) || MatchesAny("zho_Hans", codes) || MatchesAny("deu", nil) ||
		MatchesAny(Undetermined, []string{Undetermined}) {
		t.Error("a code matches others than its own")
	}
}
