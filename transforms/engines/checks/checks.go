// Package checks tells usable translations from useless ones, by the text and its
// translation alone.
//
// # Behavior
//
// Check returns the first verdict that holds, in the order of Verdicts. The caller
// decides which verdicts make a translation useless, and Config says when each holds.
// Put translations on one line first, as benchmark.Clean does.
//
// A rejected translation costs a second request, so a verdict must nearly always be
// right. Of the translations by people and good machines in Tatoeba, STS-B and MLQE,
// one in 2400 is a LostNumber. Those of MLQE and STS-B mostly do have other numbers;
// those of Tatoeba write numbers in words. The tests hold these figures, and the share
// of planted losses that are caught. The rules were made with the same texts in view.
package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/chrf"
	"sentweave/transforms/engines/verbatim"
	"sentweave/transforms/pairs/parallel"
)

// Verdict is what is wrong with a translation; OK if nothing is.
type Verdict string

// Verdicts. Their texts are the reasons of rejects.
const (
	OK Verdict = "ok"
	// Empty: there is nothing but white space.
	Empty Verdict = "empty"
	// Broken: it is not UTF-8, has replacement characters that the text has not, or
	// characters that break rows.
	Broken Verdict = "broken"
	// Copied: it is the text, which has a word to translate.
	Copied Verdict = "copied"
	// WrongLanguage: it has no letter of the language's scripts, though both texts have
	// words that are not names; or an identifier finds another language in it.
	WrongLanguage Verdict = "wrong_language"
	// LengthRatio: it is too long or too short for the text.
	LengthRatio Verdict = "length_ratio"
	// LostPlaceholder: a placeholder, tag, or address of the text is not in it.
	LostPlaceholder Verdict = "lost_placeholder"
	// LostNumber: a number of the text is not in it, in digits or in words.
	LostNumber Verdict = "lost_number"
	// RoundTrip: translated back it is too unlike the text. It is not one of Check's, which
	// has no such text: CheckRoundTrip says whether it holds.
	RoundTrip Verdict = "round_trip"
)

// Verdicts lists the verdicts of Check in the order in which they are looked for.
func Verdicts() []Verdict {
	return []Verdict{Empty, Broken, Copied, WrongLanguage, LengthRatio, LostPlaceholder, LostNumber}
}

// Identifier tells the language of a text as a code of schemas/language, and how
// sure it is, in [0, 1]; and how probable it is that it is one of some languages,
// where it knows any of them. langid.FastText is such. One goroutine uses it at a time.
type Identifier interface {
	Identify(text string) (language string, score float32)
	Among(text string, accepted func(code string) bool) (score float32, ok bool)
}

// Config says when a verdict holds.
type Config struct {
	// MaxLengthRatio is the greatest ratio of the lengths of both texts, as
	// parallel.Weight counts, with LengthSlack added to both. Defaults 2 and 15, those
	// of transforms/pairs/parallel, which says what they let pass.
	MaxLengthRatio, LengthSlack float64
	// MinLanguageScore is how sure the identifier must be of another language for
	// WrongLanguage. Default .3; what decides is by how much it prefers that one.
	MinLanguageScore float32
	// MinLanguageCharacters is the number of letters below which the language is not
	// identified: identifiers guess at short texts. Scripts are always looked at. Default 20.
	MinLanguageCharacters int
	// MinDigits is the number of digits below which a number is not looked for, since
	// small ones are often written out. Default 2.
	MinDigits int
	// MinRoundTrip is the chrF2, from 0 to 100, that a text that was translated back must
	// reach. Default 0: all do; good systems reach 60 to 80.
	MinRoundTrip float64
}

// DefaultConfig returns the configuration described above.
func DefaultConfig() Config {
	return Config{MaxLengthRatio: 2, LengthSlack: 15, MinLanguageScore: .3, MinLanguageCharacters: 20, MinDigits: 2}
}

// Validate returns all faults of c, joined, or nil.
func (c Config) Validate() error {
	var faults fault.List
	faults.Check(c.MaxLengthRatio >= 1, "max_length_ratio %v: want at least 1", c.MaxLengthRatio)
	faults.Check(c.LengthSlack >= 0, "length_slack %v: want 0 or more", c.LengthSlack)
	faults.Check(c.MinLanguageScore >= 0 && c.MinLanguageScore <= 1, "min_language_score %v: want a probability in [0, 1]",
		c.MinLanguageScore)
	faults.Check(c.MinLanguageCharacters >= 0, "min_language_characters %d: want 0 or more", c.MinLanguageCharacters)
	faults.Check(c.MinDigits >= 1, "min_digits %d: want at least 1", c.MinDigits)
	faults.Check(c.MinRoundTrip >= 0 && c.MinRoundTrip <= 100, "min_round_trip %v: want a score in [0, 100]", c.MinRoundTrip)
	return faults.Err()
}

// Checker checks translations. One goroutine uses it at a time.
type Checker struct {
	config     Config
	identifier Identifier
	scorer     chrf.Scorer
	target     string // the language of which letters are kept
	letters    []*unicode.RangeTable
}

// NewChecker returns a checker. Without an identifier only a wrong script is
// WrongLanguage.
func NewChecker(config Config, identifier Identifier) (*Checker, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &Checker{config: config, identifier: identifier}, nil
}

// Check returns what is wrong with a translation of a text.
func (c *Checker) Check(p engines.Pair, text, translation string) Verdict {
	switch {
	case blank(translation):
		return Empty
	case IsBroken(text, translation):
		return Broken
	case p.Source != p.Target && equalTexts(text, translation) && wordy(text):
		return Copied
	case otherScript(c.scripts(p.Target), text, translation), c.foreign(p, translation):
		return WrongLanguage
	case c.unequal(text, translation):
		return LengthRatio
	case lostPlaceholder(text, translation):
		return LostPlaceholder
	case lostNumber(p, text, translation, c.config.MinDigits):
		return LostNumber
	}
	return OK
}

// equalTexts compares texts without white space around or repeated in them, and long ones
// without regard to capitals: of single words (hotel, Hotel) these are all that differs.
func equalTexts(a, b string) bool {
	if strings.EqualFold(a, b) && words(a) >= manyWords {
		return true
	}
	for {
		x, sizeX := nextRune(a)
		y, sizeY := nextRune(b)
		if x != y {
			return false
		}
		if sizeX == 0 {
			return true
		}
		a, b = a[sizeX:], b[sizeY:]
	}
}

// nextRune returns the first character that is not white space, and where it ends.
func nextRune(text string) (rune, int) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if i += size; !unicode.IsSpace(r) {
			return r, i
		}
	}
	return 0, 0
}

// wordy says whether a text has a word that translates: two letters in a row,
// outside of placeholders and addresses, or one of a script without an alphabet.
func wordy(text string) bool {
	letters := 0
	for _, r := range verbatim.Placeholder.ReplaceAllString(text, " ") {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return true
		case unicode.IsLetter(r):
			if letters++; letters == 2 {
				return true
			}
		case !unicode.IsMark(r):
			letters = 0
		}
	}
	return false
}

// scripts returns the letters of a language, and keeps those of the last one.
func (c *Checker) scripts(code string) []*unicode.RangeTable {
	if c.target != code {
		c.target, c.letters = code, language.Characters(code)
	}
	return c.letters
}

// unequal says whether the lengths are too different.
func (c *Checker) unequal(text, translation string) bool {
	a, b := parallel.Weight(text)+c.config.LengthSlack, parallel.Weight(translation)+c.config.LengthSlack
	return a > b*c.config.MaxLengthRatio || b > a*c.config.MaxLengthRatio
}

// CheckRoundTrip scores a text that was translated there and back against itself, and
// says whether that reaches MinRoundTrip: if not, its translation is RoundTrip. The
// score is chrF2, from 0 (nothing in common) to 100 (the same but for white space), with
// the text as the reference, so that what is lost counts more than what is added. It is
// sacrebleu's for one sentence. The result depends on both texts alone; once texts as
// long were scored, it allocates nothing.
func (c *Checker) CheckRoundTrip(text, roundTrip string) (score float64, passes bool) {
	score = c.scorer.Segment(roundTrip, text).Score()
	return score, score >= c.config.MinRoundTrip
}
