package unigram

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// scoreOf returns the value that Hugging Face tokenizers gives a number of JSON, which is finite. Its parser, serde_json without the
// feature float_roundtrip, rounds twice: the digits as a number of 64 bits, without those that have no room there, and then this number
// times or by a power of ten. That is another last digit of every fourth score of XLM-R, which decides where sums are nearly equal.
func scoreOf(number string) float64 {
	text, negative := strings.CutPrefix(number, "-")
	digits, power := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		digits = text[:i]
		power, _ = strconv.Atoi(text[i+1:]) // beyond its range, Atoi gives the nearest number
		power = max(-1_000_000, min(power, 1_000_000))
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	var significand uint64
	full := false
	for i, c := range []byte(whole + fraction) {
		digit, inWhole := uint64(c-'0'), i < len(whole)
		full = full || significand > (math.MaxUint64-digit)/10
		switch {
		case !full:
			significand = significand*10 + digit
			if !inWhole {
				power--
			}
		case inWhole:
			power++
		}
	}
	value := float64(significand)
	for ; value != 0 && power < -308; power += 308 {
		value /= 1e308
	}
	if power >= 0 {
		value *= powersOfTen()[min(power, 308)]
	} else {
		value /= powersOfTen()[min(-power, 308)]
	}
	if negative {
		value = -value
	}
	return value
}

// powersOfTen are those up to 1e308, each rounded once.
var powersOfTen = sync.OnceValue(func() (powers [309]float64) {
	for i := range powers {
		powers[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return powers
})
