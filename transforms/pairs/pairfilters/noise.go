package pairfilters

import (
	"slices"
	"strings"
)

// Reasons.
const (
	reasonEncoding    = "bad_encoding"
	reasonNoise       = "unicode_noise"
	reasonEscaped     = "escaped_unicode"
	reasonSpaceNoise  = "space_noise"
	reasonGlued       = "glued_words"
	reasonBreadcrumbs = "breadcrumbs"
	reasonParentheses = "parentheses"
	reasonEmpty       = "empty_brackets"
	reasonTitles      = "titles"
)

var badEncoding = Filter{
	Name: "bad-encoding", Default: true,
	Drops:   "pairs with Ã or Â in a language that does not write it: UTF-8 that was read as Latin-1",
	Source:  hardRules + "no_bad_encoding",
	Reasons: []string{reasonEncoding},
	New: func() Rules {
		return simple(occurs(reasonEncoding, "bad_encoding", func(s *Side) float64 {
			n := 0
			if !isOneOf(s.Language, "por") {
				n = strings.Count(s.Text, "Ã")
			}
			if !isOneOf(s.Language, "cym", "fra", "fas", "ita", "por", "tur", "vie", "lij", "ron") {
				n += strings.Count(s.Text, "Â")
			}
			return float64(n)
		}))
	},
}

var unicodeNoise = Filter{
	Name:    "unicode-noise",
	Drops:   "pairs with three characters of the second half of Latin-1 in a row; seven in Icelandic, Finnish and Azerbaijani",
	Source:  hardRules + "no_unicode_noise",
	Reasons: []string{reasonNoise},
	New: func() Rules {
		longest := func(s *Side) float64 {
			run, longest := 0, 0
			for _, r := range s.runes {
				if run++; r < 0x80 || r > 0xff {
					run = 0
				}
				longest = max(longest, run)
			}
			return float64(longest)
		}
		noisy := func(s *Side) bool {
			x := longest(s)
			return x >= 7 || x >= 3 && !isOneOf(s.Language, "isl", "fin", "aze")
		}
		return simple(Rule{Reason: reasonNoise, Measure: "latin1_run", Of: greaterSide(longest),
			Drops: func(p *Pair, x float64) bool { return x >= 3 && (noisy(&p.A) || noisy(&p.B)) }})
	},
}

var escapedUnicode = Filter{
	Name: "escaped-unicode", Default: true,
	Drops:   `pairs with characters that are escaped, as in \u00e9`,
	Source:  hardRules + "no_escaped_unicode",
	Reasons: []string{reasonEscaped},
	New: func() Rules {
		return simple(occurs(reasonEscaped, "escapes", func(s *Side) float64 {
			n, text := 0, s.Text
			for i := 0; i+3 < len(text); i++ {
				if text[i] == '\\' && (text[i+1] == 'x' || text[i+1] == 'u') && isHex(text[i+2]) && isHex(text[i+3]) {
					n++
				}
			}
			return float64(n)
		}))
	},
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

var spaceNoise = Filter{
	Name: "space-noise", Default: true,
	Drops:   "pairs with four single characters in a row between spaces, w o r d s like these",
	Source:  hardRules + "no_space_noise",
	Reasons: []string{reasonSpaceNoise},
	New: func() Rules {
		return simple(occurs(reasonSpaceNoise, "space_noise", func(s *Side) float64 {
			n, run := 0, 0
			for i := 0; i < len(s.runes); i++ {
				if s.runes[i] != ' ' {
					continue
				}
				if run >= 4 {
					n, run = n+1, 0
					continue
				}
				if i+1 < len(s.runes) && kindOf(s.runes[i+1])&kindDigit == 0 {
					if run++; i+2 < len(s.runes) && s.runes[i+2] == ' ' {
						i++
						continue
					}
				}
				run = 0
			}
			return float64(n)
		}))
	},
}

var gluedWords = Filter{
	Name:    "glued-words",
	Drops:   "pairs with a capital letter within a word, as in gluedWordsOf pages",
	Source:  hardRules + "no_glued_words",
	Reasons: []string{reasonGlued},
	New: func() Rules {
		of := func(s *Side) float64 {
			count, greatest := 0, 0
			for i, r := range s.runes {
				kind := kindOf(r)
				if kind&kindAlphabetic == 0 {
					count = 0
				} else if kind&kindUpper != 0 && i+1 < len(s.runes) && kindOf(s.runes[i+1])&kindLower != 0 {
					count++
					greatest = max(greatest, count)
				}
			}
			return float64(greatest)
		}
		return simple(Rule{Reason: reasonGlued, Measure: "glued_words", Of: greaterSide(of),
			Drops: func(_ *Pair, x float64) bool { return x >= 2 }})
	},
}

var breadcrumbs = Filter{
	Name:    "breadcrumbs",
	Drops:   "pairs with the path of a page in its site",
	Source:  hardRules + "no_breadcrumbs",
	Reasons: []string{reasonBreadcrumbs},
	New: func() Rules {
		of := func(s *Side) float64 {
			first := between3(s.runes, "-/:") + float64(countAny(s.Text, "<>*"))
			second := between3(s.runes, "»") + float64(countAny(s.Text, "|→←•·¬"))
			return min(first/3, second/2)
		}
		return simple(Rule{Reason: reasonBreadcrumbs, Measure: "breadcrumbs", Of: greaterSide(of),
			Drops: func(_ *Pair, x float64) bool { return x >= 1 }})
	},
}

// between3 counts the marks with a space before and behind them, which belongs to one mark alone.
func between3(runes []rune, marks string) float64 {
	n := 0.
	for i := 0; i+2 < len(runes); i++ {
		if runes[i] == ' ' && runes[i+2] == ' ' && strings.ContainsRune(marks, runes[i+1]) {
			n++
			i += 2
		}
	}
	return n
}

// countAny counts characters of a set.
func countAny(text, set string) (n int) {
	for {
		i := strings.IndexAny(text, set)
		if i < 0 {
			return n
		}
		n++
		text = text[i+1:] // which may be within a character, and finds nothing more there
	}
}

var parentheses = Filter{
	Name:    "parentheses",
	Drops:   "pairs with brackets that are not closed, or many of them",
	Source:  hardRules + "no_paren",
	Reasons: []string{reasonParentheses},
	New: func() Rules {
		return simple(Rule{Reason: reasonParentheses, Measure: "parentheses", Of: unbalanced, Drops: positive})
	},
}

// unbalanced is 1 if a side has more than six square, curly or angle brackets of one kind, or not as many
// that open as close; or if a side has round brackets that are not closed, and the sides do not have as many that close.
func unbalanced(p *Pair) float64 {
	for _, s := range [...]string{p.A.Text, p.B.Text} {
		for _, kind := range [...][2]string{{"[", "]"}, {"{", "}"}, {"⟨", "⟩"}} {
			opening, closing := strings.Count(s, kind[0]), strings.Count(s, kind[1])
			if opening != closing || opening+closing > 6 {
				return 1
			}
		}
	}
	openA, openB := strings.Count(p.A.Text, "("), strings.Count(p.B.Text, "(")
	closeA, closeB := strings.Count(p.A.Text, ")"), strings.Count(p.B.Text, ")")
	return truth((openA != closeA || openB != closeB) && closeA != closeB)
}

var emptyBrackets = Filter{
	Name: "empty-brackets", Default: true,
	Drops:   "pairs with brackets that hold nothing, or marks alone: what they held is lost",
	Source:  "no publication",
	Reasons: []string{reasonEmpty},
	New: func() Rules {
		return simple(occurs(reasonEmpty, "empty_brackets", func(s *Side) float64 {
			n, open := 0, rune(0)
			for i, r := range s.runes {
				switch {
				case slices.Contains(opening, r) && (i == 0 || !isWord(s.runes[i-1])): // not the () of a function
					open = closing[slices.Index(opening, r)]
				case r == open && open != 0:
					n++
					open = 0
				case r != ' ' && r != ',' && r != ';':
					open = 0
				}
			}
			return float64(n)
		}))
	},
}

var (
	opening = []rune("([{<（【《")
	closing = []rune(")]}>）】》")
)

var titles = Filter{
	Name:    "titles",
	Drops:   "pairs of which both sides are several words that begin with capital letters",
	Source:  hardRules + "no_titles",
	Reasons: []string{reasonTitles},
	New: func() Rules {
		return simple(Rule{Reason: reasonTitles, Measure: "titles",
			Of: func(p *Pair) float64 { return truth(p.A.isTitle() && p.B.isTitle()) }, Drops: positive})
	},
}

// isTitle says whether a text has a space within, and capital letters exactly where no letter with case is
// before them.
func (s *Side) isTitle() bool {
	if !strings.Contains(strings.TrimSpace(s.Text), " ") {
		return false
	}
	cased, found := false, false
	for _, r := range s.runes {
		kind := kindOf(r)
		switch {
		case kind&kindUpper != 0:
			if cased {
				return false
			}
			cased, found = true, true
		case kind&kindLower != 0:
			if !cased {
				return false
			}
		default:
			cased = false
		}
	}
	return found
}
