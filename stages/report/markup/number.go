package markup

import (
	"math"
	"strconv"
	"strings"
)

// Finite tells whether v is a number, and not an infinite one.
func Finite(v float64) bool { return v-v == 0 }

// Absent is where there is no number.
const Absent = "–"

// decimals writes v with so many digits after the point and a comma between
// thousands.
func decimals(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	if strings.Trim(text, "0.") == "" {
		sign = "" // −0.0 is 0.0
	}
	result, fraction, _ := strings.Cut(text, ".")
	for comma := len(result) - 3; comma > 0; comma -= 3 {
		result = result[:comma] + "," + result[comma:]
	}
	if fraction != "" {
		result += "." + fraction
	}
	return sign + result
}

// Number writes v with so many digits after the point, and a minus sign; values
// that are not finite by name.
func Number(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	return strings.Replace(decimals(v, digits), "-", "−", 1)
}

// Percent writes a share a hundred times as great, with one digit.
func Percent(share float64) string { return Number(100*share, 1) }

// Signed writes a difference with its sign.
func Signed(v float64, digits int) string {
	if text := Number(v, digits); v > 0 {
		return "+" + text
	} else {
		return text
	}
}

// Interval writes the ends of an interval of shares; nothing where there is none.
func Interval(low, high float64) string {
	if !Finite(low) || !Finite(high) {
		return ""
	}
	return Percent(low) + " to " + Percent(high)
}

// LossText writes a loss: three digits after the point below 100, and more below .1, as squared
// distances are, until there are three that count.
func LossText(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100:
		return Number(v, 0)
	case size > 0 && size < .1:
		return Number(v, min(2-int(math.Floor(math.Log10(size))), 9))
	}
	return Number(v, 3)
}

// Size writes bytes in binary units.
func Size(bytes int64) string {
	value, unit := float64(bytes), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return Number(value, 0) + " B"
	}
	return Number(value, 1) + " " + units[unit]
}

// Duration writes seconds, from a minute on as minutes and seconds.
func Duration(seconds float64) string {
	if !Finite(seconds) || seconds < 60 {
		return Number(seconds, 1) + " s"
	}
	rounded := int64(math.Round(seconds))
	if rounded < 3600 {
		return strconv.FormatInt(rounded/60, 10) + " min " + strconv.FormatInt(rounded%60, 10) + " s"
	}
	return strconv.FormatInt(rounded/3600, 10) + " h " + strconv.FormatInt(rounded%3600/60, 10) + " min"
}

// fixed writes a coordinate: two digits after the point at most.
func fixed(v float64) string {
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

// Count writes a number of rows.
func Count(n int64) string { return Number(float64(n), 0) }
