package langid

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
)

// Models have learned from running text, and to lid.176 a text in capitals is often another
// language: Ukrainian is Russian, English is Spanish. Of 600 sentences each of Tatoeba's and of
// Universal Dependencies' languages it names .656 rightly as they are and .264 in capitals; with 2 of
// 5 words in capitals, as in blocks that begin with a headline, .553. So the model is asked with
// small letters, but for the first one, where a third of the letters or more are capitals, and names
// .656 and .645. In running text less than a tenth are.

// inCapitals reports whether a third or more of the letters of a text are capitals, and whether
// the letters tell that I is the capital of ı. Letters of scripts without capitals are none, and
// so are those of Cherokee, which is written in capitals throughout.
func inCapitals(text string) (many, turkic bool) {
	var counts [4]int
	table := letters()
	for _, r := range text {
		switch {
		case int(r) < len(table):
			counts[table[r]]++
		case r >= 0x2E80 && r < 0xA640 || r >= 0xAC00 && r < 0xFB00: // Chinese, Japanese, Korean
			counts[otherLetter]++
		default:
			counts[letterOf(r)]++
		}
	}
	capitals := counts[capitalLetter] + counts[turkicCapital]
	return capitals > 1 && 2*capitals >= counts[otherLetter], counts[turkicCapital] > 0
}

// letter is what a character is for inCapitals.
type letter uint8

const (
	noLetter letter = iota
	otherLetter
	capitalLetter
	turkicCapital // of languages that write ı
)

func letterOf(r rune) letter {
	switch {
	case r == 'İ' || r == 'Ğ' || r == 'Ə':
		return turkicCapital
	case isCapital(r):
		return capitalLetter
	case unicode.IsLetter(r):
		return otherLetter
	}
	return noLetter
}

// letters is letterOf of the alphabets that have capitals, nearly all of them: a search in Unicode's
// tables for each character took half the time of the model.
var letters = sync.OnceValue(func() *[0x2000]letter {
	var table [0x2000]letter
	for r := range table {
		table[r] = letterOf(rune(r))
	}
	return &table
})

// isCapital reports whether r is a capital that running text writes as a small letter. Mtavruli is
// one of Georgian, and the old Asomtavruli is not.
func isCapital(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'A' && r <= 'Z'
	case r >= 0x10A0 && r <= 0x10FF, r >= 0x13A0 && r <= 0x13FF:
		return false
	}
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// small appends a text in small letters, but for the first letter, to b. A sigma that ends a word
// becomes ς. Where dotless is true, I becomes ı.
func small(b []byte, text string, dotless bool) []byte {
	started, word := false, false // whether a letter comes before, in the text and in the word
	for offset := 0; offset < len(text); {
		r, width := utf8.DecodeRuneInString(text[offset:])
		letter := unicode.IsLetter(r)
		switch {
		case !letter || !isCapital(r) || !started && !unicode.Is(unicode.Georgian, r): // no text begins with Mtavruli alone
			b = append(b, text[offset:offset+width]...) // also a byte that is not UTF-8
		case dotless && r == 'I':
			b = append(b, "ı"...)
		case r == 'Σ' && word && !isLetterAt(text, offset+width):
			b = append(b, "ς"...)
		default:
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
		started = started || letter
		word = letter || word && unicode.IsMark(r)
		offset += width
	}
	return b
}

// isLetterAt reports whether a letter is at text[at], behind marks of the letter before it.
func isLetterAt(text string, offset int) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[offset:], unicode.IsMark))
	return unicode.IsLetter(r)
}

// dotless reports whether a language writes ı, whose capital is I.
func dotless(code string) bool {
	switch language.Base(code) {
	case "tur", "aze", "azj", "crh", "gag", "tat":
		return true
	}
	return false
}

// inSmall predicts the k most probable labels, or more, of a text in capitals. Turkish and
// Azerbaijani have two small letters for I, and people write it for both: of texts that may be in
// these languages the surer reading counts.
func (f *FastText) inSmall(text string, turkic bool, k int) {
	f.text = small(f.text[:0], text, false)
	f.predictions = f.classifier.Predict(f.predictions[:0], string(f.text), k)
	if len(f.predictions) == 0 || !turkic && !dotless(f.languages[f.predictions[0].Label]) || !strings.Contains(text, "I") {
		return
	}
	n := len(f.predictions)
	f.text = small(f.text[:0], text, true)
	f.predictions = f.classifier.Predict(f.predictions, string(f.text), k)
	if alternative := f.predictions[n:]; len(alternative) > 0 && dotless(f.languages[alternative[0].Label]) &&
		alternative[0].Probability > f.predictions[0].Probability {
		f.predictions = append(f.predictions[:0], alternative...)
		return
	}
	f.predictions = f.predictions[:n]
}
