package sentences

import (
	"strings"
	"unicode/utf8"
)

// Lengths of Thai and Lao clauses in bytes: 30 and 10 characters of three bytes.
const (
	minClause     = 90
	minNextClause = 30
)

// Words of Thai and Lao that decide at a space.
var (
	// finals are polite words that end what somebody says.
	finals = []string{"ครับ", "ค่ะ", "คะ", "จ้ะ", "จ้า", "ນະ", "ເດີ້"}
	// joiners begin clauses that belong to the one before.
	joiners = []string{"และ", "หรือ", "แต่", "ที่", "ซึ่ง", "โดย", "เพราะ", "เพื่อ", "ว่า", "จึง", "ทั้ง", "เช่น", "รวม", "กับ",
		"ແລະ", "ຫຼື", "ແຕ່", "ທີ່", "ເຊິ່ງ", "ໂດຍ", "ເພາະ", "ເພື່ອ", "ວ່າ", "ຈຶ່ງ", "ເຊັ່ນ", "ກັບ"}
	// repeaters are signs that a space follows by rule.
	repeaters = []string{"ๆ", "ฯ", "ໆ", "ຯ"}
)

// clause decides at a space in Thai or Lao text; see stop for the results.
func (s Splitter) clause(text string, start, at int) (end, next int) {
	next = skipSpace(text, at)
	if next < len(text) && parts(text, at, next) {
		return trimSpace(text, start, at), next
	}
	before, _ := utf8.DecodeLastRuneInString(text[start:at])
	after, _ := utf8.DecodeRuneInString(text[next:])
	if !isThaiLao(before) || !isThaiLao(after) {
		return 0, next
	}
	done, rest := text[start:at], text[next:]
	switch {
	case hasSuffix(done, repeaters), hasPrefix(rest, repeaters):
		return 0, next
	case hasSuffix(done, finals):
		return at, next
	case len(done) < minClause, hasPrefix(rest, joiners):
		return 0, next
	}
	if space := strings.IndexByte(rest[:min(len(rest), minNextClause)], ' '); space >= 0 || len(rest) < minNextClause {
		return 0, next
	}
	return at, next
}

func isThaiLao(r rune) bool { return r >= 0x0E01 && r <= 0x0EDF }

func hasPrefix(text string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

func hasSuffix(text string, words []string) bool {
	for _, w := range words {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}
