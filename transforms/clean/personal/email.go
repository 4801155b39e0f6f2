package personal

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// mostLocal is the length of the longest name before the "@" (RFC 5321, section 4.5.3.1).
const mostLocal = 64

// emails finds addresses of mail in the form of FineWeb's pattern (datatrove 0.10, utils/text): names as in RFC 5322 without quotes and
// slashes, and a domain of at least two labels. Here the last label must be a top-level domain, so that name@2x.png is none. Domains that
// RFC 2606 reserves are nobody's, and what precedes a path or a prompt, as in git@host.org:path, is an account of a machine.
func (s *search) emails() {
	var found []span
	for at := 0; at < len(s.text); {
		i := strings.IndexByte(s.text[at:], '@')
		if i < 0 {
			break
		}
		i += at
		from := i
		for from > at && i-from <= mostLocal && isLocal(s.text[from-1]) {
			from--
		}
		for from < i && !s.isWordAt(from) && s.text[from] != '_' {
			from++
		}
		at = i + 1
		to := s.domain(i + 1)
		if from < i && i-from <= mostLocal && s.text[i-1] != '.' && s.isWordAt(i+1) && s.isMailDomain(s.text[i+1:to]) && !s.isPath(to) {
			found = append(found, span{from, to, email})
			at = to
		}
	}
	s.add(found)
}

func isLocal(c byte) bool {
	return isDigit(c) || isLetter(c) || c > ' ' && strings.IndexByte("!#$%&'*+=?^_`{|}~-.", c) >= 0
}

// domain returns the end of the domain that begins at from.
func (s *search) domain(from int) int {
	to := from
	for s.isWordAt(to) || s.byteAt(to) == '-' || s.byteAt(to) == '.' && s.byteAt(to-1) != '.' && to > from {
		to++
	}
	for to > from && !s.isWordAt(to-1) {
		to--
	}
	return to
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
