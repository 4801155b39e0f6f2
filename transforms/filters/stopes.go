package filters

import (
	"fmt"

	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/choice"
)

const (
	reasonReplacement = "replacement_character" // U+FFFD, or bytes that are not UTF-8
	reasonControl     = "control_character"
	reasonTooShort    = "too_short"
	reasonTooLong     = "too_long"
	reasonNoLetters   = "no_letters"
	reasonRepeated    = "repeated_character"
	reasonDigits      = "digits"
	reasonPunctuation = "punctuation"
	reasonEmoji       = "emoji"
	reasonFewSpaces   = "few_spaces"
	reasonManySpaces  = "many_spaces"
	reasonScript      = "wrong_script"
)

// stopes applies the default rules of facebookresearch/stopes, pipelines/monolingual,
// made fit for all scripts. Characters are code points; shares are of all characters of
// the sentence unless said otherwise. Where shares are weighted, and where most letters
// are asked for, letters count as characters.Weights has them.
var stopes = Filter{
	Name: "stopes", Default: true,
	Drops:   "sentences that are short, long, damaged, in another script, or full of digits, marks or emoji",
	Source:  "Andrews et al. 2022, facebookresearch/stopes",
	Reasons: stopesReasons,
	New: func() Rules {
		c := &stopesConfig{MinCharacters: 10, MaxCharacters: 500}
		return Rules{
			Settings: []Setting{
				choice.Threshold("min-characters", "Least characters of a sentence; exclamations, questions and quoted speech need 60 % of it, scripts that say more with fewer at most 5.",
					&c.MinCharacters),
				choice.Threshold("max-characters", "Most characters of a sentence.", &c.MaxCharacters),
			},
			Validate: c.validate, Sentence: c.check, SentenceReasons: stopesReasons,
		}
	},
}

var stopesReasons = []string{
	reasonReplacement, reasonControl, reasonTooShort, reasonTooLong, reasonNoLetters, reasonRepeated,
	reasonDigits, reasonPunctuation, reasonEmoji, reasonFewSpaces, reasonManySpaces, reasonScript,
}

// stopesConfig holds the thresholds of stopes that can be set.
type stopesConfig struct {
	// MinCharacters is the least length, 10 as in stopes. If most letters are of a
	// script in which a character is a word or a syllable (Han, Kana, Hangul,
	// Ethiopic, Yi), minDense is enough if that is less, because such a text has a
	// third to a half of the characters of its translation. If the text is an
	// utterance (see isUtterance), three fifths of it are enough, because such a text
	// is short but not a heading, label or abbreviation. This last rule has no source.
	MinCharacters int
	// MaxCharacters is the greatest length, 500 as in stopes.
	MaxCharacters int
}

// The other thresholds; they are those of stopes, but where something else is said.
const (
	// minDense: see stopesConfig. No source.
	minDense = 5
	// maxPunctuation is the greatest weighted share of punctuation and symbols
	// (Unicode P and S; the Tibetan marks between syllables are not counted; stopes
	// counts those of ASCII and dashes only). Two quotation marks and the like that open
	// a sentence and three terminators and quotation marks that close it are free, or
	// else short speech would be lost.
	maxPunctuation = .2
	// maxDigits is the greatest weighted share of decimal digits of any script (stopes
	// counts those of ASCII only).
	maxDigits = .2
	// minSpaces and maxSpaces bound the share of white space, the Ethiopic wordspace
	// included, where most letters are of a script that separates words so (stopes
	// applies them to all scripts).
	minSpaces, maxSpaces = .05, .3
	// minSpacesFrom is the length from which minSpaces applies: one word can be a
	// sentence (without it 9 % of the Xhosa test sentences of Tatoeba go). No source.
	minSpacesFrom = 30
	// maxEmoji is the greatest weighted share of emoji and pictographs.
	maxEmoji = .1
	// maxRun is the longest run of one character.
	maxRun = 20
	// minScript is the least weighted share, of the letters, of those in a script that
	// the language is written in. Of the sentences from .3 to .5, which stopes drops, 97
	// in 100 of those in Chinese, Japanese, Korean, Russian, Ukrainian and Greek manuals
	// are right and hold names or commands; from .2 to .3 it is 33 in 40.
	minScript = .3
)

func (c *stopesConfig) validate() error {
	if minimum := max(c.MinCharacters, 1); c.MaxCharacters < minimum {
		return fmt.Errorf("max-characters %d: want at least %d, which min-characters asks for", c.MaxCharacters, minimum)
	}
	return nil
}

// check judges a sentence; it allocates nothing.
func (c *stopesConfig) check(text, language string, n *characters.Counts) (string, float64) {
	if damaged := n.Of(characters.Replacement); damaged > 0 {
		return reasonReplacement, float64(damaged)
	}
	if controls := n.Of(characters.Control); controls > 0 {
		return reasonControl, float64(controls)
	}
	expected := characters.Expected(language)
	w := n.Weigh(expected)
	minimum := c.MinCharacters
	if 2*w.Dense > w.Letters {
		minimum = min(minimum, minDense)
	}
	if n.Characters < minimum && (n.Characters < c.MinCharacters*3/5 || !isUtterance(text)) {
		return reasonTooShort, float64(n.Characters)
	}
	if n.Characters > c.MaxCharacters {
		return reasonTooLong, float64(n.Characters)
	}
	if w.Letters == 0 {
		return reasonNoLetters, 0
	}
	if n.Run > maxRun {
		return reasonRepeated, float64(n.Run)
	}
	if share := float64(n.Of(characters.Digit)) / w.Length; share > maxDigits {
		return reasonDigits, share
	}
	if share := float64(n.Of(characters.Punctuation)) / w.Length; share > maxPunctuation {
		// The ends are looked at only where they matter.
		if share -= float64(freeMarks(text)) / w.Length; share > maxPunctuation {
			return reasonPunctuation, share
		}
	}
	if share := float64(n.Of(characters.Emoji)) / w.Length; share > maxEmoji {
		return reasonEmoji, share
	}
	if share := float64(n.Of(characters.Space)) / float64(n.Characters); 2*w.Unspaced <= w.Letters {
		if share < minSpaces && n.Characters >= minSpacesFrom {
			return reasonFewSpaces, share
		}
		if share > maxSpaces {
			return reasonManySpaces, share
		}
	}
	if share := w.Expected / w.Letters; expected != 0 && share < minScript {
		return reasonScript, share
	}
	return "", 0
}
