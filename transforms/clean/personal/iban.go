package personal

// accounts finds international bank account numbers (ISO 13616): a country with the length that its numbers have, in capitals, in one piece
// or with separators, and the check digits of ISO 7064 (modulo 97).
func (s *search) accounts() {
	var found []span
	for i := 0; i+4 < len(s.text); i++ {
		if !isCapital(s.text[i]) || !isCapital(s.text[i+1]) || !isDigit(s.text[i+2]) || !isDigit(s.text[i+3]) || s.isWordAt(i-1) {
			continue
		}
		if to := s.account(i); to > 0 {
			found = append(found, span{i, to, iban})
			i = to - 1
		}
	}
	s.add(found)
}

func isCapital(c byte) bool { return c-'A' < 26 }

// account returns the end of the account number that begins at from, 0 if there is none.
func (s *search) account(from int) int {
	length := ibanLengths[[2]byte{s.text[from], s.text[from+1]}]
	if length == 0 {
		return 0
	}
	var number [maxIBAN]byte
	to := from
	for n := 0; n < length; n++ {
		if n > 0 && to < len(s.text) {
			to += s.separator(to)
		}
		c := s.byteAt(to)
		if !isDigit(c) && !isCapital(c) {
			return 0
		}
		number[n] = c
		to++
	}
	rest := 0
	for n := range length { // the first four characters go to the end
		c := number[(n+4)%length]
		if isDigit(c) {
			rest = (10*rest + int(c-'0')) % 97
		} else {
			rest = (100*rest + int(c-'A') + 10) % 97
		}
	}
	if rest != 1 || s.isWordAt(to) {
		return 0
	}
	return to
}

const maxIBAN = 34

// ibanLengths are the lengths of the IBAN registry of SWIFT, and of the numbers of other countries that have the same form.
var ibanLengths = func() map[[2]byte]int {
	lengths := map[[2]byte]int{}
	for length, countries := range map[int]string{
		15: "NO", 16: "BE", 18: "DKFIFKFOGLNLSD", 19: "MKSI", 20: "ATBAEEKZLTLUMNXK", 21: "CHHRLILV", 22: "BGBHCRDEGBGEGGIEIMJEMERSVA",
		23: "AEGIILIQOMSOTL", 24: "ADCZESMDPKROSASESKTNVG", 25: "AOCVGWLYMZPTST", 26: "DZIRISTR",
		27: "BIBLCFCGCMDJFRGAGFGPGQGRITKMMCMFMGMQMRNCPFPMRESMTDTFWFYT", 28: "ALAZBFBJBYCICYDOGTHNHULBMAMLNENIPLSNSVTG", 29: "BREGPSQAUA",
		30: "JOKWMUYE", 31: "MTSC", 32: "LC", 33: "RU",
	} {
		for i := 0; i < len(countries); i += 2 {
			lengths[[2]byte{countries[i], countries[i+1]}] = length
		}
	}
	return lengths
}()
