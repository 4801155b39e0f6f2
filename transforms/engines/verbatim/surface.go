package verbatim

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
)

// punctuation stands without a space before it, in most languages.
const punctuation = ".,;:!?…)]}"

// surface gives a translation the surface of its text: the case of the first letter
// outside of some words, and no space before a mark of punctuation that has none in
// the text; one before the last mark if the text, which is tokenised, has it.
func surface(text, translation, target string, words []string) string {
	translation = strings.TrimSpace(translation)
	var b strings.Builder
	b.Grow(len(translation))
	for i, r := range translation {
		if r == ' ' && i+1 < len(translation) && closes(text, translation[i+1:], target) {
			continue
		}
		b.WriteRune(r)
	}
	translation = b.String()
	if last := len(text) - 1; last > 0 && strings.IndexByte(".,;:!?", text[last]) >= 0 && text[last-1] == ' ' &&
		strings.HasSuffix(translation, text[last:]) && !strings.HasSuffix(translation, text[last-1:]) &&
		!strings.ContainsRune(punctuation, before(translation)) {
		translation = translation[:len(translation)-1] + " " + text[last:]
	}
	return withCase(text, translation, target, words)
}

// before returns the character before the last one, which is a byte.
func before(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text[:len(text)-1])
	return r
}

// closes says whether the space before rest, a part of the translation, is wrong: marks of
// punctuation that stand alone come with no space in the text, nor in the language.
func closes(text, rest, target string) bool {
	rest = strings.TrimLeft(rest, " ")
	mark, size := utf8.DecodeRuneInString(rest)
	if !strings.ContainsRune(punctuation, mark) || language.Base(target) == "fra" && strings.ContainsRune(";:!?", mark) {
		return false
	}
	// .txt and :) begin something; a mark that ends something has a space behind it.
	if next, _ := utf8.DecodeRuneInString(rest[size:]); len(rest) > size && !unicode.IsSpace(next) &&
		!strings.ContainsRune(punctuation+`"'»”’`, next) {
		return false
	}
	return !strings.Contains(text, " "+string(mark))
}

// withCase writes the first letter of a translation as that of its text, both outside of
// some words. Other words in capitals stay, and nouns of German.
func withCase(text, translation, target string, words []string) string {
	start, offset := firstLetter(text, words), firstLetter(translation, words)
	if start < 0 || offset < 0 {
		return translation
	}
	expected, _ := utf8.DecodeRuneInString(text[start:])
	r, size := utf8.DecodeRuneInString(translation[offset:])
	next, _ := utf8.DecodeRuneInString(translation[offset+size:])
	upper, base := unicode.ToUpper, language.Base(target)
	switch base {
	case "tur", "aze", "azj", "crh", "kaz":
		upper = unicode.TurkishCase.ToUpper
	}
	changed := r
	switch {
	case unicode.IsUpper(expected) && unicode.IsLower(r):
		changed = upper(r)
	case unicode.IsLower(expected) && unicode.IsUpper(r) && !unicode.IsUpper(next) && base != "deu":
		changed = unicode.ToLower(r)
	}
	if changed == r {
		return afterName(text, translation, start, offset)
	}
	return translation[:offset] + string(changed) + translation[offset+size:]
}

// afterName undoes what Apertium does to the word behind a first one that it does not
// know: "Amrozi accused" becomes "Amrozi Acusó".
func afterName(text, translation string, start, offset int) string {
	first, rest, _ := strings.Cut(text[start:], " ")
	head, next, _ := strings.Cut(translation[offset:], " ")
	expected, _ := utf8.DecodeRuneInString(rest)
	r, size := utf8.DecodeRuneInString(next)
	word, _, _ := strings.Cut(next, " ")
	if first != head || !unicode.IsLower(expected) || !unicode.IsUpper(r) || strings.ToUpper(word) == word || strings.Contains(text, word) {
		return translation
	}
	place := offset + len(head) + 1
	return translation[:place] + string(unicode.ToLower(r)) + translation[place+size:]
}

// firstLetter returns where the first letter outside of some words stands, or -1.
func firstLetter(text string, words []string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) {
			i += size
			continue
		}
		index := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(text[i:], word) })
		if index < 0 {
			return i
		}
		i += len(words[index])
	}
	return -1
}
