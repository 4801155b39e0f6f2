package langid

import (
	"math"
	"strings"
	"testing"
	"unicode"
)

func TestInCapitals(t *testing.T) {
	for _, test := range []struct {
		why, text    string
		many, turkic bool
	}{
		{"nothing", "", false, false},
		{"running text", "The bridge is closed. NATO and the EU say so.", false, false},
		{"German", "Der Regen hörte auf, bevor wir den Hafen erreichten.", false, false},
		{"capitals", "THE BRIDGE IS CLOSED.", true, false},
		{"a headline and its text", "THE BRIDGE IS CLOSED: nobody crosses the river.", true, false},
		{"a longer text", "THE BRIDGE: nobody crosses the river before spring comes.", false, false},
		{"one letter", "I", false, false},
		{"Cyrillic", "МІСТ ЗАКРИТО", true, false},
		{"Turkish", "KÖPRÜ KAPALI, İYİ GÜNLER", true, true},
		{"Azerbaijani", "KÖRPÜ BAĞLIDIR", true, true},
		{"Georgian", "ᲮᲘᲓᲘ ᲓᲐᲙᲔᲢᲘᲚᲘᲐ", true, false},
		{"Georgian in its usual letters", "ხიდი დაკეტილია", false, false},
		{"Cherokee in its usual letters", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", false, false},
		{"letters without case, and a name", "使用 HTTP API 访问网络服务器上的那些文件", false, false},
		{"signs", "A+ 12 % — !", false, false},
		{"full-width letters", "ＡＢＣ", true, false},
		{"not UTF-8", "\xff\xfeAB", true, false},
	} {
		if many, turkic := inCapitals(test.text); many != test.many || turkic != test.turkic {
			t.Errorf("%s: inCapitals(%q) = %v, %v", test.why, test.text, many, turkic)
		}
	}
}

// The small letters of each script, by Unicode's tables and by the orthographies.
func TestSmall(t *testing.T) {
	for _, test := range []struct{ text, want, dotless string }{
		{"THE BRIDGE IS CLOSED.", "The bridge is closed.", "The brıdge ıs closed."},
		{"«ÉTÉ» 1999", "«Été» 1999", ""},
		{"İYİ GÜNLER, KAPALI KAPI", "İyi günler, kapali kapi", "İyi günler, kapalı kapı"},
		{"Ο ΣΕΙΣΜΟΣ ΣΑΣ; ΣΑΣ. Σ' ΑΥΤΟΣ1", "Ο σεισμος σας; σας. σ' αυτος1", ""},
		{"ΌΣ̈Α ΌΣ̈", "Όσ̈α ός̈", ""},
		{"ԲԱՐԵՎ ՁԵԶ", "Բարեվ ձեզ", ""},
		{"ᲮᲘᲓᲘ ᲓᲐᲙᲔᲢᲘᲚᲘᲐ", "ხიდი დაკეტილია", ""},
		{"ᏣᎳᎩ HELLO", "ᏣᎳᎩ hello", ""},
		{"STRAẞE ǄEP", "Straße ǆep", ""},
		{"A\xffB\uFFFDC", "A\xffb\uFFFDc", ""},
		{"", "", ""},
	} {
		if got := string(small(nil, test.text, false)); got != test.want {
			t.Errorf("small(%q) = %q, want %q", test.text, got, test.want)
		}
		if got := string(small(nil, test.text, true)); test.dotless != "" && got != test.dotless {
			t.Errorf("small(%q) with ı = %q, want %q", test.text, got, test.dotless)
		}
	}
}

// A text in capitals is in the language of the same text in small letters, by a score that is near.
func TestCapitalsWithLID176(t *testing.T) {
	f := openLID176(t)
	for _, test := range []struct {
		code, text string
		casing     unicode.SpecialCase
	}{
		{"eng", "The people of the village wait for the boat.", nil},
		{"deu", "Wir warten am Hafen auf das Schiff nach Norden.", nil},
		{"fra", "Les habitants du village attendent le bateau.", nil},
		{"pol", "Mieszkańcy wsi czekają na łódź przy moście.", nil},
		{"ukr", "Мешканці села чекають на човен біля моста.", nil},
		{"rus", "Жители деревни ждут лодку у моста.", nil},
		{"ell", "Οι κάτοικοι του χωριού περιμένουν το πλοίο της γραμμής.", nil},
		{"hun", "A falu lakói a hídnál várnak a hajóra.", nil},
		{"vie", "Người dân trong làng đang đợi thuyền.", nil},
		{"tur", "Köyün sakinleri kapalı kapının yanında sıcak çay içiyor.", unicode.TurkishCase},
		{"tur", "Köyün sakinleri kapalı kapının yanında sıcak çay içiyor.", nil}, // as programs write it that do not know the language
		{"aze", "Kəndin sakinləri körpünün yanında qayığı gözləyir.", unicode.AzeriCase},
		{"kat", "სოფლის მცხოვრებლები ხიდთან ნავს ელოდებიან.", nil},
		{"hye", "Գյուղի բնակիչները սպասում են նավին կամրջի մոտ.", nil},
	} {
		upper := strings.ToUpper(test.text)
		if test.casing != nil {
			upper = strings.ToUpperSpecial(test.casing, test.text)
		}
		_, score := f.Identify(test.text)
		if got, second := f.Identify(upper); got != test.code || math.Abs(float64(score-second)) > .25 {
			t.Errorf("Identify(%q) = %s %.2f, want %s and about %.2f", upper, got, second, test.code, score)
		}
		if top := f.Top(nil, upper, 2); len(top) != 2 || top[0].Language != test.code {
			t.Errorf("Top(%q) = %v", upper, top)
		}
		// A block that begins with a headline in capitals.
		words := strings.Fields(test.text)
		copy(words, strings.Fields(upper)[:(len(words)+1)/2])
		if got, second := f.Identify(strings.Join(words, " ")); got != test.code {
			t.Errorf("Identify(%q) = %s %.2f", words, got, second)
		}
	}
}

// A model that knows words alone may know a text in one reading of I, and not in the other.
func TestUnknownReading(t *testing.T) {
	f, err := NewFastText(softmaxModel(t, "en", "tr"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"A AI", "AI AĞ", "ĞI ĞI", "A AĞ I"} {
		if code, score := f.Identify(text); score < 0 || code == "" {
			t.Errorf("Identify(%q) = %q %v", text, code, score)
		}
	}
}
