package personal

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
)

// The digits of a telephone number with all prefixes (ITU-T E.164, and 00 or 011 before it); and how many digits a passage has at most in
// which one is looked for. Longer ones are tables.
const (
	leastPhone = 7
	mostPhone  = 17
	mostTable  = 26
	mostGroups = 9
	mostSigns  = 3 // before a group
)

// phones finds numbers of telephones that libphonenumber holds valid (the module phonenumbers is its port). Behind "+" a valid number
// suffices. Other numbers have the same form as dates, prices and marks of all kinds: they must be written as the region writes them, group
// by group, or begin with a trunk prefix of 0, or follow a word such as phone.
func (s *search) phones(region string) {
	var found []span
	for i := 0; i < len(s.text); {
		if c := s.text[i]; !isDigit(c) && c != '+' && c != '(' {
			i++
			continue
		}
		p, end := s.passage(i)
		i = max(end, i+1)
		if p.digits < leastPhone || p.digits > mostTable {
			continue
		}
		for start := 0; start < min(len(p.ends), mostGroups); {
			taken := s.phoneOf(&p, start, region)
			if taken == 0 {
				start++
				continue
			}
			from, to := p.starts[start], p.ends[start+taken-1]
			for open := strings.Count(s.text[from:to], "(") - strings.Count(s.text[from:to], ")"); open > 0 && s.text[from] == '('; open-- {
				from++
			}
			found = append(found, span{from, to, phone})
			start += taken
		}
	}
	s.add(found)
}

// passage is a passage of digits with separators.
type passage struct {
	starts, ends []int // of the groups, with signs before their digits
	digits       int
}

// passage reads groups of digits and what may be between those of one number. It returns its end, too.
func (s *search) passage(from int) (p passage, end int) {
	for to, open := from, 0; ; {
		start := to
		for to-start < mostSigns && (s.byteAt(to) == '(' || s.byteAt(to) == '+') {
			to++
		}
		if to > start && p.digits >= leastPhone { // another number begins
			return p, end
		}
		open += strings.Count(s.text[start:to], "(")
		first := to
		for isDigit(s.byteAt(to)) {
			to++
		}
		if first == to || first > start && s.text[first-1] == '+' && len(p.ends) > 0 {
			return p, max(end, start)
		}
		p.digits += to - first
		if len(p.ends) <= 2*mostGroups {
			p.starts, p.ends = append(p.starts, start), append(p.ends, to)
		}
		end = to
		for open > 0 && s.byteAt(to) == ')' {
			open--
			to++
		}
		if length := s.separator(to); length > 0 {
			to += length
		} else if c := s.byteAt(to); c == '.' || c == '/' {
			to++
		}
	}
}

// phoneOf returns how many groups, from start on, are a telephone number; 0 if they are none.
func (s *search) phoneOf(p *passage, start int, region string) int {
	var digits [mostGroups + 1]int // of the groups before
	n := 0
	for n < mostGroups && start+n < len(p.ends) && digits[n] <= mostPhone {
		group := s.text[p.starts[start+n]:p.ends[start+n]]
		n++
		digits[n] = digits[n-1] + len(strings.TrimLeft(group, "(+"))
	}
	for tries := 0; n > 0 && digits[n] >= leastPhone && tries < mostTries; n-- {
		if digits[n] > mostPhone {
			continue
		}
		tries++
		if s.isPhone(p.starts[start], p.ends[start+n-1], digits[n], region) {
			return n
		}
	}
	return 0
}

// mostTries bounds the work on numbers behind which others follow.
const mostTries = 4

// isPhone says whether a part of the text with so many digits is a telephone number.
func (s *search) isPhone(from, to, digits int, region string) bool {
	raw := strings.TrimLeft(s.text[from:to], "(")
	if s.isPart(from, to) {
		return false
	}
	if raw[0] == '+' {
		n, err := phonenumbers.Parse(raw, "")
		return err == nil && phonenumbers.IsValidNumber(n)
	}
	var room [mostGroups]string
	groups := groupsOf(room[:0], raw)
	cued := s.isCued(from)
	if !cued && (len(groups) == 1 || isOther(raw, groups)) {
		return false
	}
	if rest, ok := strings.CutPrefix(raw, "00"); ok && rest[0] != '0' {
		n, err := phonenumbers.Parse("+"+rest, "")
		return err == nil && phonenumbers.IsValidNumber(n)
	}
	if lengths()[region]>>digits&1 == 0 {
		return false
	}
	n, err := phonenumbers.Parse(raw, region)
	if err != nil || int(n.GetCountryCode()) != phonenumbers.GetCountryCodeForRegion(region) || !phonenumbers.IsValidNumber(n) {
		return false
	}
	return cued || raw[0] == '0' && len(groups[0]) > 1 || isWritten(n, groups)
}

// lengths has a bit for each number of digits that numbers of a region have, with or without the prefix that goes before an area, and in
// some regions with two digits more, as of mobile numbers in Argentina (011 15-…) and carriers in Brazil: a number of another length need
// not be parsed, which takes 15 µs.
var lengths = sync.OnceValue(func() map[string]uint32 {
	lengths := map[string]uint32{}
	collection, err := phonenumbers.MetadataCollection()
	if err != nil {
		return lengths // it is in the program: phonenumbers itself has read it before
	}
	for _, region := range collection.GetMetadata() {
		for _, length := range region.GetGeneralDesc().GetPossibleLength() {
			prefixed := int(length) + len(region.GetNationalPrefix())
			lengths[region.GetId()] |= 1<<length | 1<<prefixed
			if region.GetNationalPrefixTransformRule() != "" {
				lengths[region.GetId()] |= 1 << (prefixed + 2)
			}
		}
	}
	return lengths
})

// isWritten says whether a number is grouped as its country groups it, within the country or behind the country's code.
func isWritten(n *phonenumbers.PhoneNumber, groups []string) bool {
	var room [mostGroups]string
	return slices.Equal(groups, groupsOf(room[:0], phonenumbers.Format(n, phonenumbers.NATIONAL))) ||
		slices.Equal(groups, groupsOf(room[:0], phonenumbers.Format(n, phonenumbers.INTERNATIONAL)))
}

// groupsOf appends the groups of digits of a number.
func groupsOf(list []string, number string) []string {
	for i := 0; i < len(number); i++ {
		first := i
		for i < len(number) && isDigit(number[i]) {
			i++
		}
		if i > first {
			list = append(list, number[first:i])
		}
	}
	return list
}

// isPart says whether what is before or behind a number makes it a part of something else: a word, an address, an amount.
func (s *search) isPart(from, to int) bool {
	before, size := utf8.DecodeLastRuneInString(s.text[:from])
	after, _ := utf8.DecodeRuneInString(s.text[to:])
	if unicode.IsDigit(before) || unicode.IsDigit(after) || unicode.Is(unicode.Sc, before) || unicode.Is(unicode.Sc, after) ||
		unicode.Is(unicode.Latin, before) || unicode.Is(unicode.Latin, after) {
		return true
	}
	if before == '+' && size == 1 || before < 0x80 && strings.ContainsRune("/_=#&%@*^~$-", before) && size > 0 ||
		(before == '.' || before == ',') && isDigit(s.byteAt(from-2)) {
		return true
	}
	if (after == '.' || after == ',' || after == ':' || after == '-') && isDigit(s.byteAt(to+1)) {
		return true
	}
	return to < len(s.text) && strings.ContainsRune("%_=@*^°", after) || s.isUnit(to)
}

// units are words that make the number before them an amount, those of languages above all that group numbers of telephones as amounts.
var units = strings.Fields("bytes byte bit bits kb mb gb tb kib mib gib km m kg g ft eur euro euros usd gbp dollars kr zł kč руб грн 円 元 원 " +
	"people users blocks sectors złotych złote złotego pln osób sztuk mieszkańców korun czk osob obyvatel kusů kroner kronor dkk nok sek " +
	"personer indbyggere innbyggere habitantes pessoas personas habitants")

// isUnit says whether the next word is a unit.
func (s *search) isUnit(at int) bool {
	rest := strings.TrimLeft(s.text[at:min(len(s.text), at+24)], " \u00a0\u202f")
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	return slices.Contains(units, strings.ToLower(rest[:end]))
}

// cues are beginnings of words, in small letters, behind which a number of a valid form is a telephone number.
var cues = strings.Fields("tel tél phone fon fax faks mobil móvil handy cell call puh gsm sms whatsapp viber hotline appel llama ligue chiama " +
	"тел факс моб звон τηλ φαξ κιν 電話 电话 手机 傳真 传真 携帯 전화 휴대 팩스 טל نقال هاتف تلفن फ़ोन फोन โทร điện đt ☎ ☏ 📞 📱 ✆")

// cueBefore is how many bytes before a number are searched for a cue.
const cueBefore = 32

// isCued says whether a word before a number says that it is one of a telephone.
func (s *search) isCued(from int) bool {
	before := strings.ToLower(s.text[max(0, from-cueBefore):from])
	before = before[strings.LastIndexAny(before, "\"{};=0123456789")+1:]
	for _, cue := range cues {
		if i := strings.Index(before, cue); i >= 0 {
			if previous, size := utf8.DecodeLastRuneInString(before[:i]); size == 0 || !unicode.Is(unicode.Latin, previous) {
				return true
			}
		}
	}
	return false
}

// isOther says whether groups of digits have the form of something else: a date, a span of years, a decimal number, a number with marks of
// thousands, an ISBN or an ISSN.
func isOther(raw string, groups []string) bool {
	first, last := groups[0], groups[len(groups)-1]
	isYear := func(g string) bool { return len(g) == 4 && g >= "1000" && g < "2200" }
	switch {
	case first == "0" && raw[1] != ')' && !isBracketed(raw, groups) || strings.HasPrefix(first, "000"):
		return true
	case len(groups) == 2 && (isYear(first) && isYear(last) || raw[len(first)] == '.'):
		return true
	case len(groups) >= 3 && len(groups[1]) <= 2 && (isYear(first) && groups[1] <= "12" || len(first) <= 2 && isYear(groups[2])):
		return true
	case isThousands(raw, groups):
		return true
	}
	return isBook(raw, groups)
}

// isBracketed says whether 0 and an area behind a hyphen are in parentheses, as in Lithuania: (0-312) 31602.
func isBracketed(raw string, groups []string) bool {
	return raw[1] == '-' && len(groups) > 2 && raw[len("0-")+len(groups[1])] == ')'
}

// isThousands says whether groups of three digits are parted by points.
func isThousands(raw string, groups []string) bool {
	for i, g := range groups {
		if len(g) != 3 && (i > 0 || len(g) > 3) {
			return false
		}
	}
	return groups[0][0] != '0' && raw[len(groups[0])] == '.'
}

// isBook says whether groups of digits are an ISBN (ISO 2108) of ten or thirteen digits, or an ISSN (ISO 3297), which has a hyphen.
func isBook(raw string, groups []string) bool {
	digits := strings.Join(groups, "")
	if len(digits) == 13 {
		return digits[:3] == "978" || digits[:3] == "979"
	}
	isISSN := len(digits) == 8 && len(groups) == 2 && strings.IndexByte(raw, '-') == 4
	if !(len(digits) == 10 && len(groups) == 4 && len(groups[3]) == 1 || isISSN) {
		return false
	}
	sum := 0
	for i := range digits {
		sum += (len(digits) - i) * int(digits[i]-'0')
	}
	return sum%11 == 0
}
