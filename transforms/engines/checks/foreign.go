package checks

import (
	"unicode"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/pairs/parallel"
)

// How many times as probable as the expected language another one must be, by the
// number of letters: foreignRatio·(1+(foreignLetters/letters)³), 83 times for 20
// letters, 15 for 40, 6 for 100. An engine that is asked for a language mostly gives it,
// and identifiers take short texts of one language for a near one: with the other one's
// score alone (.5) 8 % of the Catalan sentences of Tatoeba were rejected and 31 % of the
// Norwegian ones. The language of the text itself is what engines give back
// untranslated, and needs a third of that.
//
// The test TestLanguageOfRealTexts holds what is rejected wrongly, and what is found.
const (
	foreignRatio   = 5
	foreignLetters = 50
	sourceDivisor  = 3
	// sureSource is the score of the source's language that rejects where the identifier
	// does not know the expected one, of which it has then no score.
	sureSource = .5
)

// foreign says whether an identifier finds the translation in another language than it should be.
func (c *Checker) foreign(p engines.Pair, translation string) bool {
	if c.identifier == nil {
		return false
	}
	letters := 0
	for _, r := range translation {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters == 0 || letters < c.config.MinLanguageCharacters {
		return false
	}
	identified, score := c.identifier.Identify(translation)
	if identified == language.Undetermined || score < c.config.MinLanguageScore || equivalent(identified, p.Target) {
		return false
	}
	expected, ok := c.identifier.Among(translation, func(code string) bool { return equivalent(code, p.Target) })
	source := equivalent(identified, p.Source)
	if !ok {
		return source && score >= sureSource
	}
	short := foreignLetters / float32(letters)
	ratio := foreignRatio * (1 + short*short*short)
	if source {
		ratio /= sourceDivisor
	}
	return score >= ratio*expected
}

// equivalent says whether an identifier may call a text in one language the other.
func equivalent(identified, target string) bool {
	if language.Matches(identified, target) {
		return true
	}
	for _, group := range groups {
		contains := func(code string) bool {
			for _, member := range group {
				if language.Matches(member, code) {
					return true
				}
			}
			return false
		}
		if contains(identified) && contains(target) {
			return true
		}
	}
	return false
}

// groups are languages that identifiers take for each other.
var groups = parallel.DefaultConfig().Equivalent
