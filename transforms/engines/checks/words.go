package checks

import (
	"slices"
	"strings"

	"sentweave/schemas/language"
)

// numberWords are the stems of number words, in small letters: of 10 to 20, of 30 to
// 90 by tens, and of hundreds and what is above, with the words for what counts as many
// (a dozen, a decade, a half). They are looked for anywhere, so that they hold for
// ordinals, cases and compounds; a stem that stands in other words as well ("ten" in
// "often") only lets a loss pass.
var numberWords = map[string][19]string{
	"eng": {"ten teen decade", "eleven", "twel dozen noon midnight", "thirteen", "fourteen fortnight", "fifteen quarter fortnight", "sixteen hex", "seventeen", "eighteen", "nineteen",
		"twent score dozen decade", "thirt half decade", "fort", "fift half", "sixt", "sevent", "eight", "ninet", "hundred thousand million billion trillion"},
	"deu": {"zehn zehnt dekade", "elf", "zwölf dutzend mittag mitternacht", "dreizehn", "vierzehn", "fünfzehn viertel", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
		"zwanzig", "dreißig dreissig halb", "vierzig", "fünfzig hälft halb", "sechzig", "siebzig", "achtzig", "neunzig", "hundert tausend million milli billi"},
	"spa": {"diez décim decim década decen", "once undéc decimo", "doce docen duodé decimo mediod mediano", "trece decimo", "catorce decimo", "quince decimo cuarto", "diecis decimo", "diecis decimo", "diecio decimo", "diecin decimo",
		"veint vigés", "treint trigés media", "cuarent cuadrag", "cincuent quincuag mitad", "sesent", "setent", "ochent", "novent", "cien cent mil bill"},
	"fra": {"dix décenn décad", "onz", "douz midi minuit", "treiz", "quatorz quinz", "quinz quart", "seiz", "dix", "dix", "dix",
		"vingt", "trent demi", "quarant", "cinquant moitié", "soixant", "soixant septant", "quatre huitant", "quatre nonant", "cent mill milli bill"},
	"ita": {"dieci decim decen decad", "undic", "dodic dozzin mezz", "tredic", "quattordic", "quindic quart", "sedic", "dicias", "diciot", "dicia",
		"vent", "trent mezz", "quarant", "cinquant metà", "sessant", "settant", "ottant", "novant", "cent mil mili"},
	"por": {"dez décim década", "onze décimo", "doze dúzia décimo meio meia", "treze décimo", "catorze quatorze décimo", "quinze décimo quarto quinzena", "dez décimo", "dez décimo", "dez décimo", "dez décimo",
		"vint vigés", "trint trigés meia", "quarent", "cinquent cinqüent metade", "sessent", "setent", "oitent", "novent", "cem cent mil bili trili"},
	"nld": {"tien decenn", "elf", "twaalf dozijn middag middernacht", "dertien", "veertien", "vijftien kwart", "zestien", "zeventien", "achttien", "negentien",
		"twintig", "dertig half", "veertig", "vijftig helft half", "zestig", "zeventig", "tachtig", "negentig", "honderd duizend miljoen miljard biljoen"},
	"pol": {"dziesi dekad", "jedena", "dwana dwuna tuzin połud półno", "trzyna", "czterna", "piętna kwadrans", "szesna", "siedemna", "osiemna", "dziewiętna",
		"dwadzie dwudz", "trzydz wpół", "czterdz", "pięćdz połow", "sześćdz", "siedemdz", "osiemdz", "dziewięćdz", "sto stu set tysi mili bili"},
	"rus": {"десят", "одиннадц", "двенадц дюжин полдень полноч", "тринадц", "четырнадц", "пятнадц четверт", "шестнадц", "семнадц", "восемнадц", "девятнадц",
		"двадц", "тридц пол", "сорок", "пятьдес пятидес полов", "шестьдес шестидес", "семьдес семидес", "восемьдес восьмидес", "девяност", "сто ста сти сот тысяч милли трилли"},
}

// spelled says whether a text may have a number in words, in a language that has them
// in numberWords. Of other languages nothing is known, so that it may; numbers in Han
// characters are read elsewhere, so that what is left there is none.
func spelled(n number, code, text string) bool {
	if n.half() || n.decade || n.month || n.clock {
		return true
	}
	code = language.Base(code)
	switch code {
	case "zho", "cmn", "jpn":
		return false
	}
	words, ok := numberWords[code]
	if !ok {
		return true
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(n.whole, func(d decimal) bool {
		at, v := 18, d.value()
		switch {
		case v < 0 && d.exponent >= 0:
			// a number with scales, at has the words
		case !writable(d):
			return false
		case v >= 0 && v < 10:
			return true
		case v >= 10 && v <= 20:
			at = v - 10
		case v > 20 && v < 100:
			at = v/10 + 8
		}
		return slices.ContainsFunc(strings.Fields(words[at]), func(word string) bool { return strings.Contains(text, word) })
	})
}
