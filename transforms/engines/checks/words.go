package checks

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas/language"
)

//go:embed words.txt
var wordList string

var powers, scaleWords, numberWords = readWords(wordList)

// power is a word for a power of ten, which may begin other words if it is whole.
type power struct {
	word  string
	zeros int
	whole bool
}

// readWords reads words.txt: the words for powers, the scales of each language with those
// of every language, and 19 lists of words for numbers.
func readWords(list string) (powers []power, scales map[string]string, numbers map[string][]string) {
	scales, numbers = map[string]string{}, map[string][]string{}
	shared := ""
	for line := range strings.Lines(list) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		key, words, _ := strings.Cut(rest, " ")
		switch {
		case kind == "power":
			zeros, _ := strconv.Atoi(key) // words_test.go reads them all
			for word := range strings.FieldsSeq(words) {
				word, complete := strings.CutSuffix(word, ".")
				powers = append(powers, power{word, zeros, complete})
			}
		case kind == "scale" && key == "any":
			shared = words
		case kind == "scale":
			scales[key] = fold(key, words+" "+shared)
		case kind == "number":
			numbers[key] = strings.Split(words, " | ")
		}
	}
	return powers, scales, numbers
}

// spelled says whether a text may have a number in words, in a language that has them
// in numberWords. Of other languages nothing is known, so that it may; numbers in Han
// characters are read elsewhere, so that what is left there is none.
func spelled(n number, code, text string) bool {
	if n.half() || n.decade || n.month || n.clock {
		return true
	}
	code = language.Base(code)
	switch code {
	case "zho", "cmn", "jpn":
		return false
	}
	words, ok := numberWords[code]
	if !ok {
		return true
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(n.whole, func(d decimal) bool {
		index, v := 18, d.value()
		switch {
		case v < 0 && d.exponent >= 0:
			// a number with scales, index has the words
		case !writable(d):
			return false
		case v >= 0 && v < 10:
			return true
		case v >= 10 && v <= 20:
			index = v - 10
		case v > 20 && v < 100:
			index = v/10 + 8
		}
		return slices.ContainsFunc(strings.Fields(words[index]), func(word string) bool { return strings.Contains(text, word) })
	})
}
