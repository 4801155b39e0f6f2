package personal

import (
	"net/netip"
	"strings"
)

// addresses finds public addresses of the internet, as FineWeb does (datatrove 0.10, utils/text: is_global of Python's ipaddress). Numbers
// of versions and sections have the same form: an address of version 4 whose bytes are all below 64, or of which the first is below 10 and
// the others below 128 (one of 120 addresses), is taken for such, and so is what follows the word version, a letter or a hyphen.
func (s *search) addresses() {
	var found []span
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == ':':
			from, to := s.address6(i)
			if a, err := netip.ParseAddr(s.text[from:to]); err == nil && isPublic(a) && !s.isWordAt(from-1) && !s.isWordAt(to) {
				found = append(found, span{from, to, ip})
			}
			i = to
		case isDigit(c) && !s.joins(i-1):
			to := i
			for to < len(s.text) && to-i < 16 && (isDigit(s.text[to]) || s.text[to] == '.' && isDigit(s.byteAt(to+1))) {
				to++
			}
			if a, err := netip.ParseAddr(s.text[i:to]); err == nil && isPublic(a) && !s.joins(to) && !s.isVersion(i, a) {
				found = append(found, span{i, to, ip})
			}
			for i < to-1 && s.text[i+1] != ':' {
				i++
			}
		}
	}
	s.add(found)
}

// joins says whether the byte at i makes one word with a number beside it.
func (s *search) joins(i int) bool {
	c := s.byteAt(i)
	return isDigit(c) || isLetter(c) || c == '_' || c == '-' || c == '.' && s.isWordAt(i+1) && s.isWordAt(i-1)
}

// address6 returns the hexadecimal digits and colons around the colon at i.
func (s *search) address6(i int) (from, to int) {
	isPart := func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' || c == ':' }
	for from = i; from > 0 && i-from < 5 && isPart(s.text[from-1]); {
		from--
	}
	for to = i + 1; to < len(s.text) && isPart(s.text[to]); {
		to++
	}
	for to > i+1 && s.text[to-1] == ':' && s.text[to-2] != ':' { // what the address is said of
		to--
	}
	return from, to
}

// Blocks within the public ones that are nobody's: RFC 6598, 5737, 2544, 6890, 3849 and 9637.
var reserved = func() (list []netip.Prefix) {
	for block := range strings.FieldsSeq("0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 " +
		"240.0.0.0/4 2001:db8::/32 3fff::/20") {
		list = append(list, netip.MustParsePrefix(block))
	}
	return list
}()

func isPublic(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && a.As16()[0]>>5 != 1 { // 2000::/3 is all that is given out
		return false
	}
	for _, block := range reserved {
		if block.Contains(a) {
			return false
		}
	}
	return true
}

const mostVersion = 64

func (s *search) isVersion(from int, a netip.Addr) bool {
	bytes := a.As4()
	greatest := max(bytes[1], bytes[2], bytes[3])
	if max(bytes[0], greatest) < mostVersion || bytes[0] < 10 && greatest < 2*mostVersion {
		return true
	}
	before := strings.ToLower(strings.TrimRight(s.text[max(0, from-10):from], " .:\t"))
	return strings.HasSuffix(before, "version") || strings.HasSuffix(before, "release")
}
