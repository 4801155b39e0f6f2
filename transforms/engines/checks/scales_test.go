package checks

import (
	"strings"
	"testing"

	"sentweave/transforms/engines"
)

// 27 thousand, million, billion and trillion (of 10^12) as Unicode's CLDR 47 writes them.
var compact = map[string]string{
	"ara": "27 ألف | 27 مليون | 27 مليار | 27 ترليون",
	"bul": "27 хиляди = 27 хил. | 27 милиона = 27 млн. | 27 милиарда = 27 млрд. | 27 трилиона = 27 трлн.",
	"cat": "27 milers = 27 k | 27 milions = 27 M | 27 milers de milions = 27 kM | 27 bilions = 27 B",
	"ces": "27 tisíc = 27 tis. | 27 milionů = 27 mil. | 27 miliard = 27 mld. | 27 bilionů = 27 bil.",
	"dan": "27 tusind = 27 t | 27 millioner = 27 mio. | 27 milliarder = 27 mia. | 27 billioner = 27 bio.",
	"deu": "27 Tausend | 27 Millionen = 27 Mio. | 27 Milliarden = 27 Mrd. | 27 Billionen = 27 Bio.",
	"ell": "27 χιλιάδες = 27 χιλ. | 27 εκατομμύρια = 27 εκ. | 27 δισεκατομμύρια = 27 δισ. | 27 τρισεκατομμύρια = 27 τρισ.",
	"eng": "27 thousand = 27K | 27 million = 27M | 27 billion = 27B | 27 trillion = 27T",
	"epo": "27 mil = 27k | 27 milionoj = 27M | 27 miliardoj | 27 duilionoj = 27T",
	"fin": "27 tuhatta = 27 t. | 27 miljoonaa = 27 milj. | 27 miljardia = 27 mrd. | 27 biljoonaa = 27 bilj.",
	"fra": "27 mille = 27 k | 27 millions = 27 M | 27 milliards = 27 Md | 27 billions = 27 Bn",
	"hin": "27 हज़ार | 2.7 करोड़ = 2.7 क॰ | 27 अरब = 27 अ॰ | 270 खरब = 2.7 नील",
	"hun": "27 ezer = 27 E | 27 millió = 27 M | 27 milliárd = 27 Mrd | 27 billió = 27 B",
	"ind": "27 ribu = 27 rb | 27 juta = 27 jt | 27 miliar = 27 M | 27 triliun = 27 T",
	"ita": "27 mila | 27 milioni = 27 Mln | 27 miliardi = 27 Mld | 27 mila miliardi = 27 Bln",
	"jpn": "2.7万 | 2700万 | 270億 | 27兆",
	"kor": "2.7만 | 2700만 | 270억 | 27조",
	"nld": "27 duizend = 27K | 27 miljoen = 27 mln. | 27 miljard = 27 mld. | 27 biljoen = 27 bln.",
	"nob": "27 tusen = 27k | 27 millioner = 27 mill. | 27 milliarder = 27 mrd. | 27 billioner = 27 bill.",
	"nno": "27 tusen = 27k | 27 millionar = 27 mill. | 27 milliardar = 27 mrd. | 27 billionar = 27 bill.",
	"pol": "27 tysięcy = 27 tys. | 27 milionów = 27 mln | 27 miliardów = 27 mld | 27 bilionów = 27 bln",
	"por": "27 mil | 27 milhões = 27 mi | 27 bilhões = 27 bi | 27 trilhões = 27 tri",
	"ron": "27 de mii = 27 K | 27 de milioane = 27 mil. | 27 de miliarde = 27 mld. | 27 de trilioane = 27 tril.",
	"rus": "27 тысяч = 27 тыс. | 27 миллионов = 27 млн | 27 миллиардов = 27 млрд | 27 триллионов = 27 трлн",
	"spa": "27 mil | 27 millones = 27 M | 27 mil millones = 27 mil M | 27 billones = 27 B",
	"swa": "elfu 27 | milioni 27 | bilioni 27 | trilioni 27",
	"swe": "27 tusen = 27 tn | 27 miljoner = 27 mn | 27 miljarder = 27 md | 27 biljoner = 27 bn",
	"tha": "2.7 หมื่น = 27K | 27 ล้าน = 27M | 2.7 หมื่นล้าน = 27B | 27 ล้านล้าน = 27T",
	"tur": "27 bin = 27 B | 27 milyon = 27 Mn | 27 milyar = 27 Mr | 27 trilyon = 27 Tn",
	"ukr": "27 тисяч = 27 тис. | 27 мільйонів = 27 млн | 27 мільярдів = 27 млрд | 27 трильйонів = 27 трлн",
	"urd": "27 ہزار | 2.7 کروڑ | 27 ارب | 27 ٹریلین",
	"vie": "27 nghìn = 27 N | 27 triệu = 27 Tr | 27 tỷ = 27 T | 27 nghìn tỷ = 27 NT",
	"zho": "2.7万 | 2700万 | 270亿 | 27万亿",
}

func TestScales(t *testing.T) {
	for code, list := range compact {
		digits := "27"
		for forms := range strings.SplitSeq(list, " | ") {
			digits += "000"
			for form := range strings.SplitSeq(forms, " = ") {
				for _, space := range []string{" ", "\u00a0", "\u202f"} {
					form := strings.Replace(form, " ", space, 1)
					if lostNumber(engines.Pair{Source: "eng", Target: code}, digits+".", form+".", 2) ||
						lostNumber(engines.Pair{Source: code, Target: "eng"}, form+".", digits+".", 2) {
						t.Errorf("%s: %s is not %q", code, digits, form)
					}
				}
			}
		}
		if _, known := scaleWords[code]; known && !lostNumber(engines.Pair{Source: "eng", Target: code}, "27000 x.", "27 x.", 2) {
			t.Errorf("%s: any word stands for a thousand", code)
		}
	}
	for code := range scaleWords {
		if compact[code] == "" && code != "nor" {
			t.Errorf("%s is not tested", code)
		}
	}
}
