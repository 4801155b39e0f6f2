package report

import (
	"math"
	"strconv"
	"strings"
)

// finite tells whether v is a number, and not an infinite one.
func finite(v float64) bool { return v-v == 0 }

// absent stands where there is no number.
const absent = "–"

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

// number writes v with so many digits after the point, and a minus sign; values
// that are not finite by name.
func number(v float64, digits int) string {
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

// percent writes a share a hundred times as great, with one digit.
func percent(share float64) string { return number(100*share, 1) }

// signed writes a difference with its sign.
func signed(v float64, digits int) string {
	if text := number(v, digits); v > 0 {
		return "+" + text
	} else {
		return text
	}
}

// interval writes the ends of an interval of shares; nothing where there is none.
func interval(low, high float64) string {
	if !finite(low) || !finite(high) {
		return ""
	}
	return percent(low) + " to " + percent(high)
}

// loss writes a loss: three digits after the point below 100, and more below .1, as squared
// distances are, until there are three that count.
func loss(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100:
		return number(v, 0)
	case size > 0 && size < .1:
		return number(v, min(2-int(math.Floor(math.Log10(size))), 9))
	}
	return number(v, 3)
}

// size writes bytes in binary units.
func size(bytes int64) string {
	value, unit := float64(bytes), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return number(value, 0) + " B"
	}
	return number(value, 1) + " " + units[unit]
}

// duration writes seconds, from a minute on as minutes and seconds.
func duration(seconds float64) string {
	if !finite(seconds) || seconds < 60 {
		return number(seconds, 1) + " s"
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
