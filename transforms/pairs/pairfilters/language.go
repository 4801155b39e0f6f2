package pairfilters

import (
	"math"

	"sentweave/schemas/language"
	"sentweave/transforms/filters/choice"
)

const reasonLanguage = "wrong_language"

var languages = Filter{
	Name:    "language",
	Drops:   "pairs with a side in another language, by --langid, which adds this filter to those that run without --filters",
	Source:  opusFilter + "FastTextFilter; " + hardRules + "no_wrong_language, which asks FastSpell",
	Reasons: []string{reasonLanguage},
	New: func() Rules {
		minimum := choice.Shares{All: .5}
		lesser := lesserSide(func(s *Side) float64 { return s.probability })
		rules := simple(Rule{Reason: reasonLanguage, Measure: "language",
			Of: func(p *Pair) float64 {
				p.A.probability, p.B.probability = p.probability(&p.A), p.probability(&p.B)
				return lesser(p)
			},
			Drops: func(p *Pair, x float64) bool {
				return !math.IsNaN(x) && (p.A.probability <= minimum.Of(p.A.Language) || p.B.probability <= minimum.Of(p.B.Language))
			}},
			choice.Threshold("min-language", "Probability above which a side is in its language, as in 0.5,isl=0.3 for all languages and for one; it is 0 if another language is more probable.", &minimum))
		rules.Needs = Identifier
		return rules
	},
}

// probability returns how sure the identifier is of the language of a text: 0 if another one is more
// probable. The measure does not apply to texts without letters, and to languages that the identifier does not know.
func (p *Pair) probability(s *Side) float64 {
	if p.Identifier == nil || s.alphabetic == 0 || !p.Identifier.Knows(s.Language) {
		return math.NaN()
	}
	code, score := p.Identifier.Identify(s.Text)
	if !language.Matches(code, s.Language) {
		return 0
	}
	return float64(score)
}
