package pairfilters

import (
	"strings"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/choice"
)

// Reasons.
const (
	reasonAlphabet = "few_letters"
	reasonSymbols  = "only_symbols"
	reasonNumbers  = "only_numbers"
	reasonScript   = "wrong_script"
	reasonLiteral  = "literal"
	reasonHTML     = "html"
	reasonURL      = "url"
)

var alphabet = Filter{
	Name:    "alphabet",
	Drops:   "pairs with a side of few letters",
	Source:  opusFilter + "AlphabetRatioFilter",
	Reasons: []string{reasonAlphabet},
	New: func() Rules {
		minimum := .75
		return simple(Rule{Reason: reasonAlphabet, Measure: "letters", Of: lesserSide((*Side).letterShare),
			Drops: func(_ *Pair, x float64) bool { return x < minimum }},
			choice.Threshold("min-letters", "Least share of letters and their marks among the characters of a side.", &minimum))
	},
}

func (s *Side) letterShare() float64 { return s.share(s.alphabetic) }

var onlySymbols = Filter{
	Name: "only-symbols", Default: true,
	Drops:   "pairs with a side of hardly a letter",
	Source:  hardRules + "no_only_symbols",
	Reasons: []string{reasonSymbols},
	New: func() Rules {
		return simple(Rule{Reason: reasonSymbols, Measure: "letters", Of: lesserSide((*Side).letterShare),
			Drops: func(_ *Pair, x float64) bool { return x <= .1 }})
	},
}

var onlyNumbers = Filter{
	Name: "only-numbers", Default: true,
	Drops:   "pairs with a side of mostly digits",
	Source:  hardRules + "no_only_numbers",
	Reasons: []string{reasonNumbers},
	New: func() Rules {
		from := choice.Shares{All: .5, ByLanguage: map[string]float64{
			"zho": .7, "jpn": .7, "kor": .7, "yue": .7, "bod": .7, "cmn": .7, // there they are .7 in hardrules, too
		}}
		of := func(s *Side) float64 { return s.share(len(s.digits)) }
		return simple(Rule{Reason: reasonNumbers, Measure: "digits", Of: greaterSide(of),
			Drops: func(p *Pair, x float64) bool {
				return of(&p.A) >= from.Of(p.A.Language) || of(&p.B) >= from.Of(p.B.Language)
			}},
			choice.Threshold("digits", "Share of digits from which on a side is mostly digits, as in 0.5,zho=0.7 for all languages and for one.", &from))
	},
}

var script = Filter{
	Name: "script", Default: true,
	Drops:   "pairs with a side in another script than its language",
	Source:  opusFilter + "CharacterScoreFilter; the threshold is that of corpus",
	Reasons: []string{reasonScript},
	New: func() Rules {
		minimum := .3
		of := func(s *Side) float64 {
			expected := characters.Expected(s.Language)
			w := s.counts.Weigh(expected)
			if expected == 0 || w.Letters == 0 {
				return notApplicable
			}
			return w.Expected / w.Letters
		}
		return simple(Rule{Reason: reasonScript, Measure: "script", Of: lesserSide(of),
			Drops: func(_ *Pair, x float64) bool { return x < minimum }},
			choice.Threshold("min-script", "Least share of the letters of a side in a script of its language.", &minimum))
	},
}

var literals = Filter{
	Name:    "literals",
	Drops:   "pairs with what is left of templates and of markup",
	Source:  hardRules + "no_literals",
	Reasons: []string{reasonLiteral},
	New: func() Rules {
		return simple(occurs(reasonLiteral, "literals", func(s *Side) float64 {
			n := 0
			for _, text := range [...]string{"Re:", "{{", "%s", "}}", "+++", "***", `="`} {
				n += strings.Count(s.Text, text)
			}
			return float64(n)
		}))
	},
}

var html = Filter{
	Name: "html", Default: true,
	Drops:   "pairs with a tag of HTML",
	Source:  opusFilter + "HtmlTagFilter",
	Reasons: []string{reasonHTML},
	New: func() Rules {
		return simple(occurs(reasonHTML, "html_tags", func(s *Side) float64 {
			n, rest := 0, s.Text
			for {
				i := strings.IndexByte(rest, '<')
				if i < 0 || i+1 == len(rest) {
					return float64(n)
				}
				rest = rest[i+1:]
				if c := rest[0] | 0x20; c >= 'a' && c <= 'z' && strings.IndexByte(rest, '>') >= 0 {
					n++
				}
			}
		}))
	},
}

var urls = Filter{
	Name:    "urls",
	Drops:   "pairs with an address of the web or of mail, or what looks like one",
	Source:  hardRules + "no_urls, which does not run by default",
	Reasons: []string{reasonURL},
	New:     func() Rules { return simple(occurs(reasonURL, "urls", (*Side).urls)) },
}

// urls counts the stretches without white space that have a point behind two characters of an address and
// before two to six small letters.
func (s *Side) urls() float64 {
	n := 0
	for i := 2; i < len(s.runes); i++ {
		if s.runes[i] != '.' || !inAddress(s.runes[i-1]) || !inAddress(s.runes[i-2]) {
			continue
		}
		to := i + 1
		for to < len(s.runes) && 'a' <= s.runes[to] && s.runes[to] <= 'z' {
			to++
		}
		if letters := to - i - 1; letters >= 2 && letters <= 6 && (to == len(s.runes) || !isWord(s.runes[to])) {
			n++
			for i = to; i < len(s.runes) && kindOf(s.runes[i])&kindSpace == 0; i++ {
			}
		}
	}
	return float64(n)
}

func inAddress(r rune) bool {
	return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r < 0x80 && strings.IndexByte("-@:%._+~#=", byte(r)) >= 0
}

// isOneOf says whether a language is one of a list.
func isOneOf(code string, list ...string) bool {
	base := language.Base(code)
	for _, l := range list {
		if l == base {
			return true
		}
	}
	return false
}
