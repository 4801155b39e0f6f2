package parallel

import (
	"math"

	"sentweave/schemas/fault"
)

// Why a block of two pages gives no pair.
const (
	// ReasonMismatched: the pages have different numbers of blocks, or do not tell
	// theirs: block n of one need not be block n of the other, so all go. Where sentences are
	// aligned, so few found a translation that the pages are none of each other.
	ReasonMismatched = "mismatched"
	// reasonMissing: one page has no text in the block, or no sentence that surely translates
	// that of the other one.
	reasonMissing = "missing"
	// reasonIncomplete: a filter took sentences out of one side, so that the texts
	// do not say the same.
	reasonIncomplete = "incomplete"
	// reasonTooShort: a side has fewer than MinCharacters.
	reasonTooShort = "too_short"
	// ReasonUntranslated: the letters and digits of both sides are the same, or so
	// many of their words that one is not a translation of the other.
	ReasonUntranslated = "untranslated"
	// reasonWrongLanguage: a side is not in its page's language, such as a
	// paragraph that was left in English, by its sentences or because it is in the
	// English page, too.
	reasonWrongLanguage = "wrong_language"
	// reasonLengthRatio: one side is too long for the other.
	reasonLengthRatio = "length_ratio"
)

// Config says which blocks of parallel pages become pairs.
type Config struct {
	// Pivot, if set, is the language that every pair must contain; "" pairs every
	// language with every other.
	Pivot string
	// MinCharacters is the least length of a side, as Weight counts. Default 10.
	MinCharacters float64
	// MaxLengthRatio is the greatest ratio of the lengths of both sides, as Weight
	// counts, with LengthSlack added to both, because short texts vary more. Defaults
	// 2 and 15: of the paragraphs of the Debian handbook that are translated from
	// English to ara deu ell fas fra jpn kor rus spa vie zho, 99 % lie below 1.81 in
	// every language.
	MaxLengthRatio, LengthSlack float64
	// MaxOverlap is the share of words, weighted by their length, that both sides may
	// have in common: from it on they are untranslated. In (0, 1]; 1 leaves only
	// those whose letters and digits are all the same, and so it is, whatever the
	// value, for two languages of one group of Equivalent. Default .8: of the 87,493
	// pairs of English and 112 other languages in the LASER Tatoeba set with ten
	// characters a side none reaches it but equal ones; of 35 between nob and nno 2
	// do, of 447 between dsb and hsb 3, of 23 between dan and nob and of 43 between
	// por and spa none. Lists of names and titles of books reach it.
	MaxOverlap float64
	// MinLanguageScore is how sure the identifier must be of a sentence's language
	// for that to count against the page's, unless it is the document's. Default .5.
	MinLanguageScore float32
	// Equivalent are groups of languages that identifiers take for each other. By
	// default the Norwegian ones, those of Serbo-Croatian, Malay and Indonesian, and
	// the codes of macrolanguages with those of their main member.
	Equivalent [][]string
	// KeepIncomplete keeps blocks of which a filter took sentences. Default false.
	KeepIncomplete bool
	// Sentences gives a pair for each sentence of a block, instead of one for the
	// block, where both sides have the same number of them (two at least) and every
	// pair of sentences passes MinCharacters, MaxLengthRatio and the comparison for
	// untranslated text. Default false.
	Sentences bool
	// Align makes pairs of pages with different numbers of blocks, too, or with as many that are shifted:
	// of sentences, one with one or two, that package galechurch aligned. Default false.
	Align bool
}

// DefaultConfig returns the configuration described above.
func DefaultConfig() Config {
	return Config{
		MinCharacters: 10, MaxLengthRatio: 2, LengthSlack: 15, MaxOverlap: .8, MinLanguageScore: .5,
		Equivalent: [][]string{
			{"nor", "nob", "nno"}, {"hbs", "srp", "hrv", "bos"}, {"msa", "zsm", "ind"}, {"zho", "cmn"}, {"ara", "arb"},
			{"fas", "pes"}, {"est", "ekk"}, {"lav", "lvs"}, {"sqi", "als"}, {"swa", "swh"}, {"ori", "ory"}, {"aze", "azj"},
			{"uzb", "uzn"}, {"mon", "khk"}, {"mlg", "plt"}, {"yid", "ydd"}, {"kur", "kmr"}, {"nep", "npi"}, {"orm", "gaz"}, {"fil", "tgl"},
		},
	}
}

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.MinCharacters >= 0, "min_characters %v: want 0 or more", c.MinCharacters)
	faults.Check(c.MaxLengthRatio >= 1 && c.MaxLengthRatio <= math.MaxFloat64, "max_length_ratio %v: want at least 1, and finite",
		c.MaxLengthRatio)
	faults.Check(c.LengthSlack >= 0, "length_slack %v: want 0 or more", c.LengthSlack)
	faults.Check(c.MaxOverlap > 0 && c.MaxOverlap <= 1, "max_overlap %v: want a share in (0, 1]", c.MaxOverlap)
	faults.Check(c.MinLanguageScore >= 0 && c.MinLanguageScore <= 1, "min_language_score %v: want a probability in [0, 1]",
		c.MinLanguageScore)
	languages := map[string]bool{}
	for _, group := range c.Equivalent {
		for _, language := range group {
			faults.Check(language != "", "equivalent %v holds an empty language", group)
			faults.Check(!languages[language], "language %q occurs twice in equivalent: join the groups", language)
			languages[language] = true
		}
	}
	return faults.Err()
}
