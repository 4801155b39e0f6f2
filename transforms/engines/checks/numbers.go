package checks

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/engines"
)

// lostNumber says whether a number of the text, in digits and at least minDigits of
// them, is lost in a translation: neither there, in any form that
// number.is knows, nor one that may be written out in words.
//
// A number that languages like to write out (writable) is lost if the translation has
// no word for it (spelled), or a number instead that the text has not.
func lostNumber(p engines.Pair, text, translation string, minDigits int) bool {
	expected := numbers(text, p.Source)
	if len(expected) == 0 {
		return false
	}
	actual := numbers(translation, p.Target)
	if !expected.lacking(actual, minDigits) {
		return false
	}
	// What is left is rare enough to look at numerals as well.
	expected, actual = withNumerals(text, expected), withNumerals(translation, actual)
	var unknown list
	for n := range expected.without(actual, minDigits) {
		if !n.writable() || !spelled(n, p.Target, translation) {
			return true
		}
		if unknown == nil {
			unknown = slices.DeleteFunc(slices.Clone(actual), func(m number) bool { return !m.unknown(expected) })
		}
		if slices.ContainsFunc(unknown, func(m number) bool { return n.replaced(m, minDigits) }) {
			return true
		}
	}
	return false
}

// list is the numbers of a text.
type list []number

// without yields the numbers in digits, and at least so many, that the counterparts lack, or what
// of them these lack.
func (list list) without(counterparts list, minDigits int) iter.Seq[number] {
	return func(yield func(number) bool) {
		shared := map[decimal]bool{} // nearly all are found here, so that long texts take no quadratic time
		for _, m := range counterparts {
			for _, d := range m.whole {
				shared[d] = true
			}
		}
		for _, n := range list {
			if n.written || n.digits < minDigits || slices.ContainsFunc(n.whole, func(d decimal) bool { return shared[d] }) {
				continue
			}
			for _, lost := range n.missing(counterparts) {
				if !yield(lost) {
					return
				}
			}
		}
	}
}

// lacking says whether the counterparts lack any of them.
func (list list) lacking(counterparts list, minDigits int) bool {
	for range list.without(counterparts, minDigits) {
		return true
	}
	return false
}

// unknown says whether a number is not among those of the text, but for minutes that
// have a word (half past).
func (n number) unknown(expected list) bool {
	return slices.ContainsFunc(n.missing(expected), func(m number) bool { return !m.minutes || m.whole[0].value()%15 != 0 })
}

// replaced says whether a number of a translation may stand for a lost one. One with
// few digits may be a word of the text, unless it begins the lost one.
func (n number) replaced(m number, minDigits int) bool {
	return !m.written && !m.month && (m.digits >= minDigits || strings.HasPrefix(n.whole[0].digits, m.whole[0].digits))
}

// decimal is a number without zeros around it, and the power of ten it is to be
// multiplied with: 1500 is {"15", 2}, and zero is {"", 0}.
type decimal struct {
	digits   string
	exponent int
}

// decimalOf reads digits of which some are behind the decimal point.
func decimalOf(digits string, fraction int) decimal {
	d := strings.TrimRight(digits, "0")
	e := len(digits) - len(d) - fraction
	if d = strings.TrimLeft(d, "0"); d == "" {
		return decimal{}
	}
	return decimal{d, e}
}

// value returns d if it is a whole number below 10000, else -1.
func (d decimal) value() int {
	if d.exponent < 0 || len(d.digits)+d.exponent > 4 {
		return -1
	}
	n := 0
	for i := range len(d.digits) + d.exponent {
		n *= 10
		if i < len(d.digits) {
			n += int(d.digits[i] - '0')
		}
	}
	return n
}

// number is a number of a text as it may be read: "1.500" is 1500 or 1.5, and "2.10."
// a date.
type number struct {
	whole  []decimal // the readings, the first without separators
	parts  []decimal // the groups of digits if there are several
	digits int       // how many digits it has in all
	from   int       // where in the text it begins
	// before and after are what stands around it, in its language; "" within it.
	language, before, after string
	// What it stands with: a sign of a time of day, of a decade, of a month.
	clock, decade, month, century bool
	grouped                       bool // by thousands
	minutes                       bool // behind the hour
	last                          bool // the last year of a range, 13 of 2012-13
	written                       bool // not in digits
}

// missing returns a number if the counterparts have neither it nor all its parts, each on its
// own. Of a time of day, and of a date with a year, it returns the parts that they lack.
func (n number) missing(counterparts list) (missing list) {
	if n.whole[0].digits == "" || slices.ContainsFunc(counterparts, n.is) {
		return nil
	}
	if len(n.parts) == 0 {
		return list{n}
	}
	for i, d := range n.parts {
		p := number{whole: n.parts[i : i+1], digits: len(d.digits), clock: n.clock, minutes: n.clock && i > 0, month: n.date() &&
			d.value() <= 12}
		if i == len(n.parts)-1 {
			p.language, p.after = n.language, n.after
		}
		if (d.digits != "" || n.grouped) &&
			!slices.ContainsFunc(counterparts, func(m number) bool { return len(m.parts) == 0 && p.is(m) }) {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 || n.clock || n.date() {
		return missing
	}
	return list{n}
}

// date says whether a number has a day, a month and a year, in any order.
func (n number) date() bool {
	return len(n.parts) == 3 && slices.ContainsFunc(n.parts, func(d decimal) bool { return d.value() >= 1000 })
}

// is says whether two numbers are the same, or the first a part of the other: in any
// script's digits, with any grouping, with zeros behind the fraction or not, with some
// zeros as a word (1.5 million and 1500000), a decade (1990s and 90), an hour that
// counts to 12 or to 24, or a date.
func (n number) is(m number) bool {
	for _, a := range n.whole {
		if slices.Contains(m.whole, a) || len(n.parts) == 0 && !m.grouped && slices.Contains(m.parts, a) {
			return true
		}
		for _, b := range m.whole {
			if zeros := a.exponent - b.exponent; a.digits == b.digits && zeros%3 == 0 &&
				(zeros < 0 && n.scaled() || zeros > 0 && m.scaled()) {
				return true
			}
		}
	}
	return n.time(m) || n.inDecade(m) || m.inDecade(n) || n.date() && m.date() && slices.Equal(sorted(n.parts), sorted(m.parts))
}

func sorted(list []decimal) []decimal {
	return slices.SortedFunc(slices.Values(list), func(a, b decimal) int { return a.value() - b.value() })
}

// time says whether both are a time of the day, one of which counts hours to 12.
func (n number) time(m number) bool {
	if !n.clock && !m.clock {
		return false
	}
	a, b := n.first(), m.first()
	if a < 0 || b < 0 || a > 24 || b > 24 || (a-b)%12 != 0 {
		return false
	}
	for i := 1; i < max(len(n.parts), len(m.parts)); i++ {
		if n.minute(i) != m.minute(i) && len(n.parts) > 0 {
			return false
		}
	}
	return true
}

// minute returns part i of a time of day, zero if it has none.
func (n number) minute(i int) decimal {
	if i < len(n.parts) {
		return n.parts[i]
	}
	return decimal{}
}

// first returns the value of the first part of a number.
func (n number) first() int {
	if len(n.parts) > 0 {
		return n.parts[0].value()
	}
	return n.whole[0].value()
}

// inDecade says whether a number is the short name of a decade, 90 of 1990s, or of the
// last year of a range; or the century of a decade, 20 of the same.
func (n number) inDecade(m number) bool {
	short, long := n.whole[0].value(), m.whole[0].value()
	if n.century && m.decade && long >= 1000 && long/100 == short-1 {
		return true
	}
	return (m.decade || n.last) && short >= 0 && short < 100 && long >= 1000 && long%100 == short
}

// writable says whether a number is one that languages write in words: up to twenty,
// with one digit besides zeros, with a half, a decade, minutes.
func (n number) writable() bool {
	return n.decade || n.minutes || n.half() || slices.ContainsFunc(n.whole, writable)
}

func writable(d decimal) bool {
	v := d.value()
	return v >= 0 && v <= 20 || len(d.digits) == 1 && d.exponent >= 0
}

// half says whether a number is a small one and a half.
func (n number) half() bool {
	return slices.ContainsFunc(n.whole, func(d decimal) bool {
		return d.exponent == -1 && len(d.digits) <= 2 && d.digits[len(d.digits)-1] == '5'
	})
}

var (
	clockSign   = regexp.MustCompile(`^(?i:\s?[ap]\.?\s?m\b|\s?h\b|\s?h\d\d|\s?Uhr\b|\s?uur\b|\s?час|\s?hod|\s?o['’]clock|\s?[時时点點시])`)
	decadeSign  = regexp.MustCompile(`^(?:['’]?s\b|er\b|-х|\s?年代)`)
	rangeSign   = regexp.MustCompile(`\d{4}[-–/]$`)
	centurySign = regexp.MustCompile(`^\s?世[纪紀]`)
	monthSign   = regexp.MustCompile(`^\s?[月월]`)
)

// numbers returns the numbers of a text in a language that are written in digits.
func numbers(text, language string) (result list) {
	for rest := text; ; {
		index := strings.IndexFunc(rest, unicode.IsDigit)
		if index < 0 {
			return result
		}
		start := len(text) - len(rest) + index
		var n number
		n, rest = cutNumber(rest[index:])
		n.from, n.last = start, rangeSign.MatchString(text[max(0, start-len("1999–")):start])
		n.language, n.before, n.after = language, text[:start], rest
		result = append(result, n)
	}
}

// cutNumber reads the number that a text begins with, and returns what follows.
func cutNumber(text string) (number, string) {
	groups, separators, rest := cutGroups(text)
	digits := strings.Join(groups, "")
	n := number{digits: len(digits)}
	n.whole = []decimal{decimalOf(digits, 0)}
	if last := len(groups) - 1; last > 0 {
		for _, g := range groups {
			n.parts = append(n.parts, decimalOf(g, 0))
		}
		h := n.parts[0].value()
		n.clock = strings.ContainsRune(":：", separators[0]) && len(groups[1]) == 2 && h >= 0 && h <= 24
		n.grouped = thousands(groups)
		if strings.ContainsRune(".,٫．", separators[last-1]) && !wholeThousands(groups) {
			n.whole = append(n.whole, decimalOf(digits, len(groups[last])))
		}
	}
	n.clock = n.clock || clockSign.MatchString(rest)
	n.decade = decadeSign.MatchString(rest)
	n.century = centurySign.MatchString(rest)
	n.month = monthSign.MatchString(rest)
	return n, rest
}

// thousands says whether groups are those of a number by thousands.
func thousands(groups []string) bool {
	return len(groups[0]) <= 3 && !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// wholeThousands says whether groups are those of a number of thousands: 55.000 is no
// fraction.
func wholeThousands(groups []string) bool {
	return thousands(groups) && groups[len(groups)-1] == "000"
}

// cutGroups reads the groups of digits that a text begins with, as digits of ASCII,
// and what stands between them: one separator, and a space before three digits only.
func cutGroups(text string) (groups []string, separators []rune, rest string) {
	for {
		var digits []byte
		for _, r := range text {
			if !unicode.IsDigit(r) {
				break
			}
			digits = append(digits, byte('0'+value(r)))
			text = text[utf8.RuneLen(r):]
		}
		groups = append(groups, string(digits))
		r, size := utf8.DecodeRuneInString(text)
		ahead := 0
		for _, next := range text[size:] {
			if ahead > 3 || !unicode.IsDigit(next) {
				break
			}
			ahead++
		}
		switch {
		case ahead == 0:
			return groups, separators, text
		case strings.ContainsRune(".,:'’٫٬،．：", r):
		case strings.ContainsRune(" \u00a0\u202f\u2009", r) && ahead == 3 && len(digits) <= 3 &&
			!slices.ContainsFunc(separators, func(s rune) bool { return !unicode.IsSpace(s) }):
		default:
			return groups, separators, text
		}
		separators = append(separators, r)
		text = text[size:]
	}
}

// value returns the value of a decimal digit. The digits of a script lie together,
// in runs of ten that begin with zero.
func value(r rune) int {
	if r <= '9' {
		return int(r - '0')
	}
	n := 0
	for n < 9 && unicode.IsDigit(r-rune(n)-1) {
		n++
	}
	if r >= 0x1d7ce && r <= 0x1d7ff { // five runs of mathematical digits without a gap
		return int(r-0x1d7ce) % 10
	}
	return n
}
