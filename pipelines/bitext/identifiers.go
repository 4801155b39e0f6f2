package bitext

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sentweave/transforms/read/bitext"
)

// isIdentifier says of a value that it looks like a number or name of a row, such as 17, c0ffee-4 or
// doc_3.txt, or an address, and not like a text: one word of ASCII with a digit, or with "://".
func isIdentifier(value string) bool {
	digit := false
	for i := range len(value) {
		c := value[i]
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("._:/#+-?&=%~", c) >= 0:
		default:
			return false
		}
	}
	return digit || strings.Contains(value, "://")
}

// Of a few names that many rows share nobody makes texts, such as the domains news and law.
const (
	fewRows     = 5
	rowsPerName = 3
)

// areTexts says of the values of a column that they may be texts: not all of them are identifiers,
// and not all of them are of a few words that many rows share. Blank ones tell nothing.
func areTexts(values []string) bool {
	names := map[string]bool{}
	identifiers, words, total := 0, 0, 0
	for _, v := range values {
		v = strings.TrimSpace(v)
		if v == "" {
			continue
		}
		total++
		_, err := strconv.ParseFloat(v, 64) // NaN is a number, too
		if err == nil || isIdentifier(v) || !strings.ContainsFunc(v, unicode.IsLetter) {
			identifiers++
		}
		if !strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			words++
		}
		names[v] = true
	}
	return total == 0 || identifiers < total && (words < total || total < fewRows || len(names)*rowsPerName > total)
}

// namesOfRows returns which of three columns or more names the rows beside the texts, as one of train, dev and test does: each of its
// values is one word of ASCII, and in most rows without an empty value each of the others has more than twice its bytes, which what
// translates it seldom has. It is -1 where none does. Fewer than fewRows such rows tell nothing.
func namesOfRows(columns [][]string) int {
	if len(columns) < 3 {
		return -1
	}
	return slices.IndexFunc(columns, func(values []string) bool {
		names, total := 0, 0
		for row, v := range values {
			v = strings.TrimSpace(v)
			if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				return false
			}
			complete, longer := v != "", 0
			for _, other := range columns {
				length := 0
				if row < len(other) {
					length = len(strings.TrimSpace(other[row]))
				}
				complete = complete && length > 0
				if length > 2*len(v) {
					longer++
				}
			}
			if complete {
				total++
				if longer == len(columns)-1 {
					names++
				}
			}
		}
		return total >= fewRows && 2*names > total
	})
}

// areRowNumbers says of values that each is greater by one than the one before: numbers of rows, and no scores.
func areRowNumbers(values []string) bool {
	last := 0.
	for i, v := range values {
		x, ok := bitext.ParseNumber(strings.TrimSpace(v), false)
		if !ok || i > 0 && x != last+1 || x != float64(int64(x)) {
			return false
		}
		last = x
	}
	return len(values) >= fewRows
}

// columnOf returns the values of a column; rows without it have none.
func columnOf(rows [][]string, index int) (values []string) {
	for _, row := range rows {
		if index < len(row) {
			values = append(values, row[index])
		}
	}
	return slices.Clip(values)
}
