package checks

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sentweave/schemas/language"
)

// sameWords are the languages that have the words of another one.
var sameWords = map[string]string{"arb": "ara", "cmn": "zho", "yue": "zho", "wuu": "zho", "nob": "nor", "nno": "nor", "swh": "swa"}

// fold returns a text in small letters and without marks, by which one writes words
// differently: accents, and the vowels of Arabic. In Thai and Vietnamese other marks are
// other words.
func fold(code, text string) string {
	text = strings.ToLower(text)
	if code == "tha" || code == "vie" {
		return norm.NFC.String(text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// reach is how many words behind a number may hold its scale: "5 to 10 million", "27 de
// milioane". Before a number it is one, as in Swahili.
const reach = 3

// scaled says whether a number has a word for a power of a thousand, or the next one has
// that belongs to it ("15-20 million", "15 to about 20 million", "15–20,000").
func (n number) scaled() bool {
	if scaled(n.language, n.before, n.after) {
		return true
	}
	next := strings.IndexFunc(n.after, unicode.IsDigit)
	if next < 0 || next > near || len(wordsOf(n.language, n.after[:next])) >= reach {
		return false
	}
	groups, _, rest := cutGroups(n.after[next:])
	return dash.MatchString(n.after[:next]) && len(groups) > 1 && thousands(groups) || scaled(n.language, "", rest)
}

// scaled says whether there is a scale of a language around a number. Of a language that
// scaleWords has not every word beside the number may be one.
func scaled(code, prefix, suffix string) bool {
	code = language.Base(code)
	if alias, ok := sameWords[code]; ok {
		code = alias
	}
	words, exists := scaleWords[code]
	if !exists {
		const around = " -\u00a0\u202f"
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(suffix, around))
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(prefix, around))
		return unicode.IsLetter(next) || unicode.IsLetter(last)
	}
	if sign.MatchString(suffix) || currency.MatchString(prefix) && spacedSign.MatchString(suffix) {
		return true
	}
	list := wordsOf(code, suffix[:min(len(suffix), near)])
	for _, word := range list[:min(reach, len(list))] {
		if isScale(word, words) {
			return true
		}
	}
	list = wordsOf(code, prefix[max(0, len(prefix)-near):])
	for len(list) > 0 && isNumber(list[len(list)-1]) { // elfu 15-20
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return utf8.RuneCountInString(last) > 1 && isScale(last, words)
}

// Signs of a letter are a scale right behind the number, in capitals (kM in Catalan), or
// with a currency: "27 m" has metres, "27 t" tonnes.
var (
	sign       = regexp.MustCompile(`^(?:[kKmMbBtT]|[\s\x{a0}\x{202f}](?:[kKMBT]|kM|[mbt][\s\x{a0}\x{202f}]?\p{Sc}))(?:[^\pL\pN]|$)`)
	spacedSign = regexp.MustCompile(`^[\s\x{a0}\x{202f}][mbt](?:[^\pL\pN]|$)`)
	currency   = regexp.MustCompile(`\p{Sc}\s?$`)
)

// dash matches what stands between the numbers of a range.
var dash = regexp.MustCompile(`^\s?[-–—~〜～]\s?\p{Sc}?$`)

func isNumber(word string) bool { return strings.IndexFunc(word, unicode.IsLetter) < 0 }

// near is how many bytes around a number are looked at for words.
const near = 80

// wordsOf returns the words of a text in a language, folded.
func wordsOf(code, text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	for i, word := range list {
		list[i] = fold(code, word)
	}
	return list
}

// isScale says whether a folded word is one of a list. In Arabic it may have words before
// it: and, by, to, the.
func isScale(word, list string) bool {
	forms := []string{word}
	for _, article := range []string{"و", "ب", "ل", "ال", "وال", "بال"} {
		if rest, ok := strings.CutPrefix(word, article); ok {
			forms = append(forms, rest)
		}
	}
	for scale := range strings.FieldsSeq(list) {
		stem, exact := strings.CutSuffix(scale, ".")
		if slices.ContainsFunc(forms, func(form string) bool { return form == stem || !exact && strings.HasPrefix(form, stem) }) {
			return true
		}
	}
	return false
}
