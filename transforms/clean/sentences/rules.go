package sentences

// rules are what a language adds to the rules that hold everywhere. Lists are
// words parted by single spaces, with a space at both ends, without the last
// full stop. Abbreviations are in lower case. The lists are kept to what is
// frequent: acronyms (U.S.) and single letters (J. R., z. B.) need no entry.
type rules struct {
	// never lists abbreviations that no sentence ends with: titles, "e.g.".
	never string
	// maybe lists those that can be at an end: they do if a word of starters follows.
	maybe string
	// number lists those that come before a number ("Nr. 5") and are words otherwise.
	number string
	// starters lists usual first words of sentences, with a capital.
	starters string
	// words holds the words of a single lower-case letter: no abbreviations.
	words string
	// ordinals: a full stop makes a number an ordinal ("3. Oktober").
	ordinals bool
	// pronoun: "I." is the pronoun and no initial, as in English alone.
	pronoun bool
	// spaces: spaces part clauses and sentences (Thai, Lao).
	spaces bool
	// mark is ':' or ';' where it ends sentences.
	mark rune
}

// everywhere lists abbreviations that no sentence ends with in any language: Latin
// letters turn up in all texts. A language's own lists come first.
const everywhere = " dr prof mr mrs ms vs e.g i.e n° nº "

// generic serves all languages without rules: titles that many languages use.
var generic = rules{
	never:    " st eg ie cf ca ",
	maybe:    " etc al inc ltd co jr sr ",
	number:   " no nr p pp vol fig art ",
	starters: " The This In It He She We They But And If A ",
}

// rulesOf returns the rules for a code of schemas/language; the script does not
// matter, and members of a macrolanguage share its rules.
func rulesOf(code string) *rules {
	if len(code) > 3 && code[3] == '_' {
		code = code[:3]
	}
	switch code {
	case "eng", "sco":
		return &english
	case "deu", "gsw", "bar", "nds", "ltz", "swg", "pfl":
		return &german
	case "nld", "afr", "vls", "lim", "fry":
		return &dutch
	case "dan":
		return &danish
	case "nor", "nob", "nno":
		return &norwegian
	case "swe":
		return &swedish
	case "isl", "fao":
		return &icelandic
	case "fra", "oci", "wln", "bre", "cos":
		return &french
	case "spa", "ast", "arg", "glg", "eus":
		return &spanish
	case "cat":
		return &catalan
	case "por", "mwl":
		return &portuguese
	case "ita", "scn", "lmo", "pms", "vec", "nap", "fur", "srd":
		return &italian
	case "ron":
		return &romanian
	case "rus":
		return &russian
	case "ukr", "rue":
		return &ukrainian
	case "bel":
		return &belarusian
	case "bul", "mkd":
		return &bulgarian
	case "hbs", "hrv", "srp", "bos", "cnr", "slv":
		return &serboCroatian
	case "ces":
		return &czech
	case "slk":
		return &slovak
	case "pol", "szl", "csb":
		return &polish
	case "lit", "lav", "lvs", "ltg":
		return &baltic
	case "ell":
		return &greek
	case "tur", "aze", "azj", "tuk", "crh", "gag":
		return &turkish
	case "hun":
		return &hungarian
	case "fin", "est", "ekk":
		return &finnic
	case "ind", "msa", "zsm", "zlm", "jav", "sun", "min", "bjn":
		return &indonesian
	case "vie":
		return &vietnamese
	case "hye", "hyw":
		return &armenian
	case "tha", "lao":
		return &thaiLao
	case "kor":
		return &korean
	case "hin", "mar", "nep", "npi", "bho", "mai", "san":
		return &hindi
	case "ben", "asm", "ori", "pan", "guj", "tam", "tel", "kan", "mal", "sin":
		return &indic
	case "ara", "arb", "arz", "arq", "ary", "ars", "apc", "fas", "pes", "prs", "urd", "pus", "ckb":
		return &arabic
	}
	return &generic
}
