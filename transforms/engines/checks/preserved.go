package checks

import (
	"regexp"
	"strings"
	"unicode"
)

// placeholder matches what a translation must keep as it is: addresses of the web
// and of mail, tags, placeholders in braces ({0}, {name}, {{x}}, ${x}), and those of
// printf that are not a percentage (%s, %1$d, %(name)s, %.2f).
var placeholder = regexp.MustCompile(`(?i:https?|ftp)://[!#-;=?-~]*[A-Za-z0-9/=&%#_~+-]` +
	`|[\w.+-]+@[\w-]+(?:\.[\w-]+)+` +
	`|</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>` +
	`|\$?\{\{?[\w.:-]*\}?\}` +
	`|%(?:\d+\$|\(\w+\))?[-+#0]*\d*(?:\.\d+)?(?:ll?|h)?[sdiufxXcqv@]\b`)

// lostPlaceholder says whether the translation has one of the text's placeholders
// fewer times than the text.
func lostPlaceholder(text, translation string) bool {
	if !strings.ContainsAny(text, "{%<@:") {
		return false
	}
	return missing(placeholder.FindAllString(text, -1), placeholder.FindAllString(translation, -1))
}

// missing says whether some of the wanted are not among those there are.
func missing(wanted, there []string) bool {
	if len(wanted) == 0 {
		return false
	}
	counts := map[string]int{}
	for _, s := range there {
		counts[s]++
	}
	for _, s := range wanted {
		if counts[s]--; counts[s] < 0 {
			return true
		}
	}
	return false
}

// lostNumber says whether the translation lacks a number of the text with that many
// digits. Numbers are compared by their digits, in whatever script, without what
// groups them or marks the fraction, and without zeros around them: "1,234.50" is
// "1.234,5", and "10000" is "1万". A number that stands in the text several times may
// stand in the translation once.
func lostNumber(text, translation string, minDigits int) bool {
	wanted := numbers(text)
	if len(wanted) == 0 {
		return false
	}
	there := map[string]bool{}
	for _, n := range append(numbers(translation), numbers(spaced.ReplaceAllString(translation, "$1$2"))...) {
		there[n.value] = true
		for _, group := range n.groups {
			there[group] = true
		}
	}
	for _, n := range wanted {
		if n.digits >= minDigits && !there[n.value] && !n.inGroups(there) {
			return true
		}
	}
	return false
}

// spaced matches the end of a group of digits, a space, and a group of three.
var spaced = regexp.MustCompile(`(\d) (\d{3})\b`)

// number is the significant digits of a number, how many it has in all, and those
// of its groups if it has several: "12.11.2010" may be a date.
type number struct {
	value  string
	digits int
	groups []string
}

// inGroups says whether each group of a number is there as a number.
func (n number) inGroups(there map[string]bool) bool {
	for _, group := range n.groups {
		if !there[group] {
			return false
		}
	}
	return len(n.groups) > 0
}

// numbers returns the numbers of a text.
func numbers(text string) []number {
	if strings.IndexFunc(text, unicode.IsDigit) < 0 {
		return nil
	}
	var found []number
	var digits []byte
	var groups []string
	from, separated := 0, false // where the last group begins, and whether a separator follows it
	end := func() {
		if len(digits) > 0 {
			n := number{strings.Trim(string(digits), "0"), len(digits), nil}
			if from > 0 {
				n.groups = append(groups, strings.Trim(string(digits[from:]), "0"))
			}
			found = append(found, n)
		}
		digits, groups, from, separated = digits[:0], nil, 0, false
	}
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			if separated {
				groups = append(groups, strings.Trim(string(digits[from:]), "0"))
				from = len(digits)
			}
			digits = append(digits, byte('0'+value(r)))
			separated = false
		case len(digits) > 0 && !separated && strings.ContainsRune(".,'’٫٬\u00a0\u202f\u2009", r):
			separated = true
		default:
			end()
		}
	}
	end()
	return found
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
