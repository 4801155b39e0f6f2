package filters

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/choice"
)

const (
	reasonFewWords      = "few_words"
	reasonManyWords     = "many_words"
	reasonShortWords    = "short_words"
	reasonLongWords     = "long_words"
	reasonHashes        = "hashes"
	reasonEllipses      = "ellipses"
	reasonBullets       = "bullet_lines"
	reasonEllipsisLines = "ellipsis_lines"
	reasonAlphabetic    = "few_alphabetic_words"
	reasonStopWords     = "few_stop_words"
)

// gopherQuality applies the rules on quality of Gopher (Rae et al. 2021, table A1), with their published thresholds, which
// were made for English. A line is a block. The rules on words apply where most letters are of scripts that separate words,
// and that on stop words to English. Verdicts are those of datatrove 0.10.1 with the words of eachWord; datatrove takes words
// from a tokenizer of the language.
var gopherQuality = Filter{
	Name:   "gopher-quality",
	Drops:  "documents of too few or odd words, of symbols, of lists or cut lines, and English ones without common words",
	Source: "Rae et al. 2021, table A1",
	Reasons: []string{
		reasonFewWords, reasonManyWords, reasonShortWords, reasonLongWords, reasonHashes, reasonEllipses,
		reasonBullets, reasonEllipsisLines, reasonAlphabetic, reasonStopWords,
	},
	New: func() Rules {
		c := &gopherQualityConfig{MinWords: 50, MaxWords: 100_000, MinLength: 3, MaxLength: 10, MaxSymbols: .1, MaxBullets: .9,
			MaxEllipses: .3, MinAlphabetic: .8, MinStopWords: 2}
		scratch := &sync.Pool{New: func() any { return new(wordCounts) }}
		return Rules{
			Settings: []Setting{
				choice.Threshold("gopher-min-words", "Least words of a document.", &c.MinWords),
				choice.Threshold("gopher-max-words", "Most words of a document.", &c.MaxWords),
				choice.Threshold("gopher-min-word-length", "Least mean length of words, in characters.", &c.MinLength),
				choice.Threshold("gopher-max-word-length", "Greatest mean length of words, in characters.", &c.MaxLength),
				choice.Threshold("gopher-max-symbols", "Most hash signs to a word, and most ellipses to a word.", &c.MaxSymbols),
				choice.Threshold("gopher-max-bullets", "Greatest share of blocks that begin with a bullet or hyphen.", &c.MaxBullets),
				choice.Threshold("gopher-max-ellipses", "Greatest share of blocks that end with an ellipsis.", &c.MaxEllipses),
				choice.Threshold("gopher-min-alphabetic", "Least share of words that have a letter; marks count as words here.",
					&c.MinAlphabetic),
				choice.Threshold("gopher-min-stop-words",
					"Least number of the words the, be, to, of, and, that, have, with in an English document.", &c.MinStopWords),
			},
			Validate: c.validate,
			Document: func(d *Document, v *Verdict) {
				w := scratch.Get().(*wordCounts)
				defer scratch.Put(w)
				w.read(d)
				c.check(w, d, v)
			},
		}
	},
}

// gopherQualityConfig holds the thresholds of gopher-quality.
type gopherQualityConfig struct {
	MinWords, MaxWords, MinLength, MaxLength           int
	MaxSymbols, MaxBullets, MaxEllipses, MinAlphabetic float64
	MinStopWords                                       int
}

func (c *gopherQualityConfig) validate() error {
	switch {
	case c.MaxWords < c.MinWords:
		return fmt.Errorf("gopher-max-words %d: want at least %d, which gopher-min-words asks for", c.MaxWords, c.MinWords)
	case c.MaxLength < c.MinLength:
		return fmt.Errorf("gopher-max-word-length %d: want at least %d, which gopher-min-word-length asks for", c.MaxLength, c.MinLength)
	}
	return nil
}

func (c *gopherQualityConfig) check(w *wordCounts, d *Document, v *Verdict) {
	words := d.Characters.WordLetters() == 1
	if words && (v.within("gopher_quality_words", float64(w.words), bound{reasonFewWords, float64(c.MinWords)},
		bound{reasonManyWords, float64(c.MaxWords)}) ||
		w.words > 0 && v.within("gopher_quality_word_length", float64(w.characters)/float64(w.words),
			bound{reasonShortWords, float64(c.MinLength)}, bound{reasonLongWords, float64(c.MaxLength)}) ||
		v.most("gopher_quality_hashes", reasonHashes, w.per(w.hashes), c.MaxSymbols) ||
		v.most("gopher_quality_ellipses", reasonEllipses, w.per(w.ellipses), c.MaxSymbols)) {
		return
	}
	if v.most("gopher_quality_bullets", reasonBullets, ratio(w.bullets, w.lines), c.MaxBullets) ||
		v.most("gopher_quality_ellipsis_lines", reasonEllipsisLines, ratio(w.cut, w.lines), c.MaxEllipses) || !words {
		return
	}
	if !v.least("gopher_quality_alphabetic", reasonAlphabetic, w.per(w.alphabetic), c.MinAlphabetic) &&
		language.Base(d.Language) == "eng" {
		v.least("gopher_quality_stop_words", reasonStopWords, float64(w.stopWords()), float64(c.MinStopWords))
	}
}

// gopherStopWords are those of Gopher.
var gopherStopWords = [...]string{"the", "be", "to", "of", "and", "that", "have", "with"}

// wordCounts are what gopher-quality counts in a document.
type wordCounts struct {
	words, characters int // of the words
	tokens            int // words and marks
	alphabetic        int // words with a letter
	hashes, ellipses  int
	lines, bullets    int
	cut               int // lines that end with an ellipsis
	seen              [len(gopherStopWords)]bool

	units []characters.Unit
}

func (w *wordCounts) read(d *Document) {
	*w = wordCounts{units: w.units}
	for block := range d.blocks {
		w.lines++
		first := strings.TrimLeftFunc(block[0].Text, unicode.IsSpace)
		if strings.HasPrefix(first, "•") || strings.HasPrefix(first, "-") {
			w.bullets++
		}
		last := strings.TrimRightFunc(block[len(block)-1].Text, unicode.IsSpace)
		if strings.HasSuffix(last, "...") || strings.HasSuffix(last, "…") {
			w.cut++
		}
		for _, s := range block {
			w.hashes += strings.Count(s.Text, "#")
			w.ellipses += strings.Count(s.Text, "...") + strings.Count(s.Text, "…")
			w.units = eachWord(w.units, s.Text, w.add)
		}
	}
}

// add counts a word or a run of marks.
func (w *wordCounts) add(text string, isWord bool) {
	w.tokens++
	if !isWord {
		return
	}
	w.words++
	w.characters += utf8.RuneCountInString(text)
	if strings.IndexFunc(text, unicode.IsLetter) >= 0 {
		w.alphabetic++
	}
	if i := slices.Index(gopherStopWords[:], text); i >= 0 {
		w.seen[i] = true
	}
}

func (w *wordCounts) per(n int) float64 { return float64(n) / float64(max(1, w.tokens)) }

func (w *wordCounts) stopWords() (n int) {
	for _, seen := range w.seen {
		if seen {
			n++
		}
	}
	return n
}

// eachWord calls use with each word of a text: what white space separates, without the marks (Unicode P and S) at its ends. Of
// these, each run of one mark counts as a word that is none. Units is memory, which it returns.
func eachWord(units []characters.Unit, text string, use func(text string, isWord bool)) []characters.Unit {
	units = characters.AppendUnits(units[:0], text)
	for _, u := range units {
		rest := text[u.Start:u.End]
		for rest != "" && isMark(rest) {
			n := runLength(rest)
			use(rest[:n], false)
			rest = rest[n:]
		}
		word := strings.TrimRightFunc(rest, markRune)
		if word != "" {
			use(word, true)
		}
		for rest = rest[len(word):]; rest != ""; {
			n := runLength(rest)
			use(rest[:n], false)
			rest = rest[n:]
		}
	}
	return units
}

func markRune(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// isMark says whether a text begins with a mark.
func isMark(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return markRune(r)
}

// runLength returns the bytes of the run of one character with which a text begins.
func runLength(text string) int {
	_, width := utf8.DecodeRuneInString(text)
	n := width
	for strings.HasPrefix(text[n:], text[:width]) {
		n += width
	}
	return n
}
