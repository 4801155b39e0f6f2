package quality

import (
	"errors"
	"fmt"
	"strings"

	"sentweave/schemas/language"
)

// Why a sentence is dropped.
const (
	ReasonReplacement = "replacement_character" // U+FFFD, or bytes that are not UTF-8
	ReasonControl     = "control_character"
	ReasonTooShort    = "too_short"
	ReasonTooLong     = "too_long"
	ReasonNoLetters   = "no_letters"
	ReasonRepeated    = "repeated_character"
	ReasonDigits      = "digits"
	ReasonPunctuation = "punctuation"
	ReasonEmoji       = "emoji"
	ReasonFewSpaces   = "few_spaces"
	ReasonManySpaces  = "many_spaces"
	ReasonScript      = "wrong_script"
	ReasonUppercase   = "uppercase"
	ReasonJavaScript  = "javascript" // with SentenceConfig.C4
	ReasonPolicy      = "policy"     // with SentenceConfig.C4
)

// SentenceConfig holds the thresholds for sentences. Characters are code points;
// shares are of all characters of the sentence unless said otherwise. Where shares
// are weighted, a letter counts as many as letters of an alphabet would say the
// same: 3 for a Han character, 2 for a Hangul or Yi syllable, 1.5 for letters of
// other scripts of syllables (Kana, Ethiopic) or without spaces (Thai, Khmer).
// "Most letters" is weighted too. "stopes" is the default of
// facebookresearch/stopes, pipelines/monolingual.
type SentenceConfig struct {
	// MinCharacters is the least length. Default 10 (stopes).
	MinCharacters int
	// MinDenseCharacters stands for MinCharacters where most letters are of a script
	// in which a character is a word or a syllable (Han, Kana, Hangul, Ethiopic, Yi).
	// Default 5: such a text has a third to a half of the characters of its translation.
	MinDenseCharacters int
	// MinUtteranceCharacters stands for MinCharacters where the text is an utterance:
	// it ends with '!' or '?' of any script, or stands in quotation marks with a
	// terminator ("What?!", "«Я иду.»"). Such a text is short and yet no heading, label
	// or abbreviation. Default 6. No source.
	MinUtteranceCharacters int
	// MaxCharacters is the greatest length. Default 500 (stopes).
	MaxCharacters int
	// MaxPunctuation is the greatest weighted share of punctuation and symbols
	// (Unicode P and S; the Tibetan marks between syllables are not counted). Default
	// .2 (stopes, which counts those of ASCII and dashes only). Two quotation marks
	// and the like that open a sentence and three terminators and quotation marks
	// that close it are free, or else short speech would be lost.
	MaxPunctuation float64
	// MaxDigits is the greatest weighted share of decimal digits of any script. Default .2
	// (stopes, which counts those of ASCII only).
	MaxDigits float64
	// MinSpaces and MaxSpaces bound the share of white space, the Ethiopic
	// wordspace included, where most letters are of a script that separates words so.
	// Defaults .05 and .3 (stopes, which applies them to all scripts).
	MinSpaces, MaxSpaces float64
	// MinSpacesFrom is the length from which MinSpaces applies. Default 30: one word
	// can be a sentence (without it 9 % of the Xhosa test sentences of Tatoeba go).
	MinSpacesFrom int
	// MaxEmoji is the greatest weighted share of emoji and pictographs. Default .1 (stopes).
	MaxEmoji float64
	// MaxRun is the longest run of one character. Default 20 (stopes).
	MaxRun int
	// MinScript is the least weighted share, of the letters, of those in a script that the
	// language is written in. Default .3: of the sentences from .3 to .5, which stopes
	// drops, 97 in 100 of those in Chinese, Japanese, Korean, Russian, Ukrainian and Greek
	// manuals are right and hold names or commands; from .2 to .3 it is 33 in 40.
	MinScript float64
	// Scripts adds to the usual scripts of languages, or replaces them: language
	// code to ISO 15924 codes separated by spaces ("srp": "Cyrl"). An empty list
	// means that any script will do. A code like zho_Hant names its script itself.
	Scripts map[string]string
	// MaxUppercase is the greatest share of capitals, of the letters that have case.
	// Default 1: headings in capitals stay. No source.
	MaxUppercase float64
	// C4 applies two rules of C4 (Raffel et al. 2020, section 2.2): no sentence with
	// the word "javascript", none with a phrase of English cookie and privacy
	// notices. Default false.
	C4 bool
}

// DefaultSentenceConfig returns the thresholds of stopes, made fit for all scripts.
func DefaultSentenceConfig() SentenceConfig {
	return SentenceConfig{
		MinCharacters: 10, MinDenseCharacters: 5, MinUtteranceCharacters: 6, MaxCharacters: 500,
		MaxPunctuation: .2, MaxDigits: .2, MinSpaces: .05, MaxSpaces: .3, MinSpacesFrom: 30, MaxEmoji: .1,
		MaxRun: 20, MinScript: .3, MaxUppercase: 1,
	}
}

// Validate returns all faults of c, joined, or nil.
func (c SentenceConfig) Validate() error {
	var f faults
	f.check(c.MinCharacters >= 0, "min_characters %d: want 0 or more", c.MinCharacters)
	f.check(c.MinDenseCharacters >= 0, "min_dense_characters %d: want 0 or more", c.MinDenseCharacters)
	f.check(c.MinUtteranceCharacters >= 0, "min_utterance_characters %d: want 0 or more", c.MinUtteranceCharacters)
	f.check(c.MaxCharacters >= max(c.MinCharacters, c.MinDenseCharacters, 1), "max_characters %d: want at least 1 and the minimum", c.MaxCharacters)
	f.share("max_punctuation", c.MaxPunctuation)
	f.share("max_digits", c.MaxDigits)
	f.share("min_spaces", c.MinSpaces)
	f.share("max_spaces", c.MaxSpaces)
	f.check(!(c.MinSpaces > c.MaxSpaces), "min_spaces %v is above max_spaces %v", c.MinSpaces, c.MaxSpaces)
	f.check(c.MinSpacesFrom >= 0, "min_spaces_from %d: want 0 or more", c.MinSpacesFrom)
	f.share("max_emoji", c.MaxEmoji)
	f.check(c.MaxRun >= 1, "max_run %d: want at least 1", c.MaxRun)
	f.share("min_script", c.MinScript)
	f.share("max_uppercase", c.MaxUppercase)
	if _, err := newExpectation(c.Scripts); err != nil {
		f = append(f, err)
	}
	return errors.Join(f...)
}

// faults collects what is wrong with a configuration.
type faults []error

func (f *faults) check(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

func (f *faults) share(name string, value float64) {
	f.check(value >= 0 && value <= 1, "%s %v: want a share in [0, 1]", name, value)
}

// SentenceFilter judges sentences. It is safe for concurrent use.
type SentenceFilter struct {
	config   SentenceConfig
	expected expectation
	table    *[tableSize]character
}

// NewSentenceFilter returns a filter, or all faults of the configuration.
func NewSentenceFilter(c SentenceConfig) (*SentenceFilter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	expected, err := newExpectation(c.Scripts)
	if err != nil {
		return nil, err
	}
	return &SentenceFilter{config: c, expected: expected, table: table()}, nil
}

// Check judges a sentence of a language (ISO 639-3 with an optional script;
// unknown languages have no expected script). It returns the first reason to drop
// it, in the order of the constants, and the measure that decided; or "" and 0.
// It allocates nothing.
func (f *SentenceFilter) Check(text, code string) (reason string, measure float64) {
	var c counts
	c.add(f.table, text)
	return f.judge(&c, text, code)
}

// ScriptShare returns the weighted share, of the letters of a text, of those in a
// script that the language is written in: 1 for a text without letters. What is
// not among the expected scripts is asked of language.Scripts.
func (f *SentenceFilter) ScriptShare(text, code string) float64 {
	set := f.expected.of(code)
	if set == 0 {
		var err error
		if set, err = scriptSet(strings.Join(language.Scripts(code), " ")); err != nil {
			return 1 // a script that the filters do not tell from others
		}
	}
	var c counts
	c.add(f.table, text)
	w := c.weigh(set)
	if w.letters == 0 {
		return 1
	}
	return w.expected / w.letters
}

func (f *SentenceFilter) judge(c *counts, text, code string) (string, float64) {
	conf := &f.config
	if n := c.class[replacement]; n > 0 {
		return ReasonReplacement, float64(n)
	}
	if n := c.class[control]; n > 0 {
		return ReasonControl, float64(n)
	}
	set := f.expected.of(code)
	w := c.weigh(set)
	minimum := conf.MinCharacters
	if 2*w.dense > w.letters {
		minimum = conf.MinDenseCharacters
	}
	if c.characters < minimum && (c.characters < conf.MinUtteranceCharacters || !isUtterance(text)) {
		return ReasonTooShort, float64(c.characters)
	}
	if c.characters > conf.MaxCharacters {
		return ReasonTooLong, float64(c.characters)
	}
	if w.letters == 0 {
		return ReasonNoLetters, 0
	}
	if c.run > conf.MaxRun {
		return ReasonRepeated, float64(c.run)
	}
	if share := float64(c.class[digit]) / w.length; share > conf.MaxDigits {
		return ReasonDigits, share
	}
	if share := float64(c.class[punctuation]) / w.length; share > conf.MaxPunctuation {
		// The ends are looked at only where they matter.
		if share -= float64(freeMarks(text)) / w.length; share > conf.MaxPunctuation {
			return ReasonPunctuation, share
		}
	}
	if share := float64(c.class[emoji]) / w.length; share > conf.MaxEmoji {
		return ReasonEmoji, share
	}
	if share := float64(c.class[space]) / float64(c.characters); 2*w.unspaced <= w.letters {
		if share < conf.MinSpaces && c.characters >= conf.MinSpacesFrom {
			return ReasonFewSpaces, share
		}
		if share > conf.MaxSpaces {
			return ReasonManySpaces, share
		}
	}
	if share := w.expected / w.letters; set != 0 && share < conf.MinScript {
		return ReasonScript, share
	}
	if cased := c.class[upper] + c.class[lower]; cased > 0 {
		if share := float64(c.class[upper]) / float64(cased); share > conf.MaxUppercase {
			return ReasonUppercase, share
		}
	}
	if conf.C4 {
		return c4Sentence(text), 0
	}
	return "", 0
}
