package checks

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The powers of ten of India's scales.
const (
	lakh  = 5
	crore = 7
)

// myriad is the power of ten of the first scale of East Asia.
const myriad = 4

// hanDigits are the digits in Han characters, each three bytes, in their order.
const hanDigits = "〇一二三四五六七八九"

// hanDigit returns the value of a digit in Han characters, or -1.
func hanDigit(r rune) int {
	switch r {
	case '零':
		return 0
	case '两', '兩':
		return 2
	}
	if index := strings.IndexRune(hanDigits, r); index >= 0 {
		return index / len("一")
	}
	return -1
}

// numeral is a number with scales or in Han characters, and where in a text it stands.
type numeral struct {
	from, to int
	value    decimal
}

// numerals returns the numbers of a text that have scales or are in Han characters:
// "1億2500万", "1.5 crore", "二十五", "二〇一〇".
func numerals(text string) (result []numeral) {
	for offset := 0; offset < len(text); {
		value, size, exact := cutNumeral(text[offset:])
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[offset:])
		} else if exact {
			result = append(result, numeral{offset, offset + size, value})
		}
		offset += size
	}
	return result
}

// cutNumeral reads the numeral that a text begins with; its size is 0 if there is none.
// One that is too large has no exact value.
func cutNumeral(text string) (value decimal, size int, exact bool) {
	var total, section float64 // what scales from 10000 on have taken, and the smaller ones
	largest, last := 0, 0      // of the scales that total has
	var pending string         // what no scale has taken, with a point
	decimals := false          // whether those are decimal digits
	take := func() float64 {
		v, _ := strconv.ParseFloat(pending, 64)
		pending = ""
		return v
	}
	for size < len(text) {
		rest := text[size:]
		r, width := utf8.DecodeRuneInString(rest)
		if d := hanDigit(r); d >= 0 && !(decimals && pending != "") {
			pending, decimals = pending+strconv.Itoa(d), false
			size += width
			continue
		}
		if tens := map[rune]float64{'廿': 20, '卅': 30}[r]; tens > 0 {
			section, size = section+tens, size+width
			continue
		}
		if pending == "" && last > 0 && isApart(rest, last) {
			size += width
			continue
		}
		if unicode.IsDigit(r) && pending == "" {
			groups, separators, suffix := cutGroups(rest)
			pending, decimals = strings.Join(groups, ""), true
			if last := len(groups) - 1; last > 0 && strings.ContainsRune(".．٫", separators[last-1]) && !wholeThousands(groups) {
				pending = strings.Join(groups[:last], "") + "." + groups[last]
			}
			size = len(text) - len(suffix)
			continue
		}
		s, width := cutScale(rest, decimals && (pending != "" || largest > 0))
		if width == 0 || pending == "" && width > len(s.word) && !(largest == lakh && s.zeros == crore) {
			break // of scales apart from each other, lakh crore alone is one number
		}
		v, explicit := 1.0, pending != ""
		if pending != "" || s.zeros >= 4 && section > 0 {
			v = take()
		}
		switch {
		case s.zeros < 4:
			section += v * math.Pow10(s.zeros)
		case s.zeros > largest && total > 0: // a scale of scales: 2万亿, 2 lakh crore
			if !explicit {
				v = 0
			}
			total, section = (total+section+v)*math.Pow10(s.zeros), 0
		default:
			total, section = total+(section+v)*math.Pow10(s.zeros), 0
		}
		if s.zeros >= 4 {
			largest, last = s.zeros, s.zeros
		}
		size += width
	}
	v := total + section + take()
	if size == 0 || v > 1e15 { // beyond, a float64 would not be exact
		return decimal{}, size, false
	}
	integer, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', 3, 64), ".")
	return decimalOf(integer+fraction, len(fraction)), size, true
}

// isApart says whether a text goes on with a space and a smaller part of the number
// whose last scale comes before it: 1억 2,500만, 2 करोड़ 50 लाख, 1만 2,000.
func isApart(text string, last int) bool {
	r, width := utf8.DecodeRuneInString(text)
	if next, _ := utf8.DecodeRuneInString(text[width:]); !strings.ContainsRune(" \u00a0\u202f", r) || !unicode.IsDigit(next) {
		return false
	}
	groups, _, rest := cutGroups(text[width:])
	if len(groups) > 1 && !thousands(groups) {
		return false
	}
	digits := len(strings.Join(groups, ""))
	if s, size := cutScale(rest, true); size > 0 {
		return s.zeros < last && digits+s.zeros <= last
	}
	return last == myriad && digits == myriad
}

// cutScale reads the power of ten that a text begins with, behind a space if one may be.
func cutScale(text string, spaced bool) (power, int) {
	word := text
	if spaced {
		for _, space := range []string{" ", "\u00a0", "\u202f"} {
			word = strings.TrimPrefix(word, space)
		}
	}
	for _, surplus := range []string{"多", "余", "餘"} { // 30多万: more than 300000
		word = strings.TrimPrefix(word, surplus)
	}
	for _, p := range powers {
		rest, ok := strings.CutPrefix(word, p.word)
		if next, _ := utf8.DecodeRuneInString(rest); ok && !(p.whole && (unicode.IsLetter(next) || unicode.IsMark(next))) {
			return p, len(text) - len(word) + len(p.word)
		}
	}
	return power{}, 0
}

// withNumerals gives the numbers of a text the readings of the numerals in which they
// stand, and adds the others, and those in Roman letters.
func withNumerals(text string, result []number) []number {
	for _, n := range numerals(text) {
		inside := false
		for i := range result {
			if result[i].from >= n.from && result[i].from < n.to {
				result[i].whole = append(result[i].whole, n.value)
				inside = true
			}
		}
		if !inside {
			result = append(result, number{from: n.from, whole: []decimal{n.value}, written: true})
		}
	}
	for _, m := range roman.FindAllStringSubmatch(latinLetters.Replace(text), -1) {
		if v := romanValue(m[1]); len(m[1]) > 1 || v > 0 && v <= 10 { // a letter alone that counts more is an initial
			result = append(result, number{whole: []decimal{decimalOf(strconv.Itoa(v), 0)}, written: true})
		}
	}
	return result
}

// roman matches a Roman number and the endings of ordinals in Romance languages.
var roman = regexp.MustCompile(`\b(M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?:er?|ème)?\b`)

// latinLetters are the letters of Cyrillic that people type Roman numbers with.
var latinLetters = strings.NewReplacer("Х", "X", "І", "I", "С", "C", "М", "M")

// romanValue returns the value of a Roman number.
func romanValue(letters string) (n int) {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	for i := range len(letters) {
		v := values[letters[i]]
		if i+1 < len(letters) && values[letters[i+1]] > v {
			v = -v
		}
		n += v
	}
	return n
}
