package personal

// cards finds numbers of payment cards: of an issuer (ISO/IEC 7812) and of a length that its cards have, with Luhn's check digit, in one
// piece or in the groups that are embossed. Numbers of 12 and 13 digits, which some networks gave out long ago, are not looked for: article
// numbers have the same form.
func (s *search) cards() {
	var found []span
	for i := 0; i < len(s.text); {
		if !isDigit(s.text[i]) || s.joins(i-1) {
			i++
			continue
		}
		to, next := s.card(i)
		if to > 0 {
			found = append(found, span{i, to, card})
			next = to
		}
		i = next
	}
	s.add(found)
}

const maxCard = 19

// card returns the end of the longest card number that begins at from, 0 if there is none, and where the next one may begin.
func (s *search) card(from int) (end, next int) {
	var digits [maxCard]byte
	var groups []int // their lengths
	var room [8]int
	groups = room[:0]
	n, to := 0, from
	for {
		first := n
		for isDigit(s.byteAt(to)) && n < maxCard {
			digits[n] = s.text[to] - '0'
			n++
			to++
		}
		if next == 0 {
			for next = to; isDigit(s.byteAt(next)); {
				next++
			}
		}
		if n == first || isDigit(s.byteAt(to)) || len(groups) == cap(groups) {
			return end, next
		}
		groups = append(groups, n-first)
		if isGrouped(groups) && isIssued(digits[:n]) && luhn(digits[:n]) && !s.joins(to) {
			end = to
		}
		length := s.separator(to)
		if length == 0 {
			return end, next
		}
		to += length
	}
}

func isGrouped(groups []int) bool {
	switch len(groups) {
	case 1:
		return groups[0] >= 14
	case 3: // American Express and Diners Club
		return groups[0] == 4 && groups[1] == 6 && (groups[2] == 5 || groups[2] == 4)
	case 4, 5:
		return groups[0] == 4 && groups[1] == 4 && groups[2] == 4 && groups[3] == 4 && (len(groups) == 4 || groups[4] == 3)
	}
	return false
}

// issuers are the ranges of the first four digits of the networks, with the lengths of their numbers.
var issuers = []struct{ from, to, least, most int }{
	{4000, 4999, 16, 16}, {4000, 4999, 19, 19}, // Visa
	{5100, 5599, 16, 16}, {2221, 2720, 16, 16}, // Mastercard
	{3400, 3499, 15, 15}, {3700, 3799, 15, 15}, // American Express
	{6011, 6011, 16, 19}, {6440, 6599, 16, 19}, // Discover, and RuPay in its ranges
	{3000, 3059, 14, 19}, {3095, 3095, 14, 19}, {3600, 3699, 14, 19}, {3800, 3999, 14, 19}, // Diners Club
	{3500, 3599, 16, 19},                       // JCB, and what is free beside it
	{1800, 1800, 15, 15}, {2131, 2131, 15, 15}, // JCB until 1989
	{6200, 6299, 16, 19}, {8100, 8171, 16, 19}, // UnionPay
	{5018, 5018, 16, 19}, {5020, 5020, 16, 19}, {5038, 5038, 16, 19}, {5600, 5899, 16, 19}, {6304, 6304, 16, 19}, {6390, 6390, 16, 19},
	{6759, 6763, 16, 19}, // Maestro
	{2200, 2204, 16, 19}, // Mir
}

func isIssued(digits []byte) bool {
	if len(digits) < 14 {
		return false
	}
	first := 1000*int(digits[0]) + 100*int(digits[1]) + 10*int(digits[2]) + int(digits[3])
	for _, r := range issuers {
		if r.from <= first && first <= r.to && r.least <= len(digits) && len(digits) <= r.most {
			return true
		}
	}
	return false
}

func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			d = 2*d/10 + 2*d%10
		}
		sum += d
	}
	return sum%10 == 0
}
