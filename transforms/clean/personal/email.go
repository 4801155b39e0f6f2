package personal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// mostLocal is the length of the longest name before the "@" (RFC 5321, section 4.5.3.1).
const mostLocal = 64

// emails finds addresses of mail in the form of FineWeb's pattern (datatrove 0.10, utils/text): names as in RFC 5322 without quotes and
// slashes, also with letters of RFC 6531, and a domain of at least two labels. Here the last label must be a top-level domain, so that
// name@2x.png is none. Domains that RFC 2606 reserves are nobody's, and what precedes a path or a prompt, as in git@host.org:path, is an
// account of a machine.
func (s *search) emails() {
	var found []span
	for at := 0; at < len(s.text); {
		i := strings.IndexByte(s.text[at:], '@')
		if i < 0 {
			break
		}
		i += at
		from := i
		for from > at && i-from <= mostLocal {
			r, size := utf8.DecodeLastRuneInString(s.text[at:from])
			if !isLocal(r) {
				break
			}
			from -= size
		}
		for from < i && s.letter(from) == 0 && s.text[from] != '_' { // all others that are local are of one byte
			from++
		}
		at = i + 1
		to := s.domain(i + 1)
		if from < i && i-from <= mostLocal && s.text[i-1] != '.' && s.letter(i+1) > 0 && s.isMailDomain(s.text[i+1:to]) && !s.isPath(to) {
			found = append(found, span{from, to, email})
			at = to
		}
	}
	s.add(found)
}

func isLocal(r rune) bool {
	return isMailLetter(r) || r > ' ' && r < 0x80 && strings.IndexByte("!#$%&'*+=?^_`{|}~-.", byte(r)) >= 0
}

// isMailLetter says whether a character is a digit of ASCII, or a letter of an alphabet whose words are separated: before an address in
// ASCII a letter of Chinese belongs to the sentence.
func isMailLetter(r rune) bool {
	if r < 0x80 {
		return isDigit(byte(r)) || isLetter(byte(r))
	}
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) && unicode.IsLetter(r) || unicode.Is(unicode.Mn, r)
}

// letter returns the bytes of the letter or digit at i, 0 if there is none.
func (s *search) letter(i int) int {
	if i >= len(s.text) {
		return 0
	}
	if r, size := utf8.DecodeRuneInString(s.text[i:]); isMailLetter(r) {
		return size
	}
	return 0
}

// domain returns the end of the domain that begins at from, behind its last letter or digit.
func (s *search) domain(from int) int {
	end := from
	for to := from; ; {
		switch size := s.letter(to); {
		case size > 0:
			to += size
			end = to
		case s.byteAt(to) == '-' || s.byteAt(to) == '.' && s.byteAt(to-1) != '.' && to > from:
			to++
		default:
			return end
		}
	}
}

// isPath says whether what is at i makes the address before it one of a file or a prompt.
func (s *search) isPath(i int) bool {
	return s.byteAt(i) == ':' && i+1 < len(s.text) && s.text[i+1] > ' ' && s.text[i+1] < 0x80
}

func (s *search) isMailDomain(domain string) bool {
	dot := strings.LastIndexByte(domain, '.')
	if dot <= 0 || len(domain) > 253 {
		return false
	}
	domain = strings.ToLower(domain)
	if ascii, err := idna.ToASCII(domain); err == nil { // of a name in other letters
		domain, dot = ascii, strings.LastIndexByte(ascii, '.')
	}
	switch domain[dot+1:] {
	case "example", "test", "invalid", "localhost":
		return false
	}
	for _, reserved := range []string{"example.com", "example.net", "example.org"} {
		if before, ok := strings.CutSuffix(domain, reserved); ok && (before == "" || strings.HasSuffix(before, ".")) {
			return false
		}
	}
	_, icann := publicsuffix.PublicSuffix(domain[dot+1:])
	return icann
}
