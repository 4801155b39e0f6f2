// Package personal finds personal data in texts and puts placeholders in their place: addresses of mail, numbers of telephones, addresses
// of the internet, numbers of payment cards, and international bank account numbers.
//
// # Rules
//
// Each kind is a file with its rule and the rule's source. What carries check digits is checked: cards (ISO/IEC 7812, Luhn) and accounts
// (ISO 13616, modulo 97). Telephone numbers are those that libphonenumber holds valid. All kinds are looked for in whatever kinds are
// masked, in the order of Kinds, and what one kind has taken is closed to the later ones: digits of an account are no telephone number.
//
// # Placeholders
//
// A placeholder has the form of what it replaces, since an encoder meets such texts later, and cannot be anybody's: as in FineWeb (Penedo
// et al. 2024), which writes email@example.com, and not a tag as in Dolma, which no text has. Placeholders are never found again.
//
// # Determinism
//
// The result depends on the text, the region and the kinds alone. A text without "@" and with few digits costs one pass over its bytes and
// no allocation.
package personal

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of personal data.
type Kind int

// The kinds, in the order in which they are looked for.
const (
	email Kind = iota
	ip
	iban
	card
	phone
	kinds
)

var names = [kinds]string{"email", "ip", "iban", "card", "phone"}

var placeholders = [kinds]string{
	email: "email@example.com",        // RFC 2606
	ip:    "192.0.2.1",                // RFC 5737; of version 6 as RFC 3849 has them
	iban:  "XX00 0000 0000 0000 0000", // there is no such country
	card:  "0000 0000 0000 0000",      // no issuer begins with 0
	phone: "+00 000 000 000",          // no country's code begins with 0
}

const placeholder6 = "2001:db8::1"

// String returns the name by which users choose a kind.
func (k Kind) String() string { return names[k] }

// Kinds returns the names of the kinds.
func Kinds() []string { return names[:] }

// Counts are how many places of each kind were masked.
type Counts [kinds]int64

// Masker masks the kinds that were chosen. It is safe for concurrent use.
type Masker struct{ masks [kinds]bool }

// New returns a masker of the kinds with these names, or an error for a name that is none of Kinds.
func New(chosen []string) (*Masker, error) {
	m := &Masker{}
	for _, name := range chosen {
		kind := slices.Index(names[:], name)
		if kind < 0 {
			return nil, fmt.Errorf("%q is not one of %s", name, strings.Join(names[:], ", "))
		}
		m.masks[kind] = true
	}
	return m, nil
}

// Mask returns the text with placeholders, and adds what was masked to the counts. Region is the country whose telephone numbers may be
// written without the country's code, as from Region; "" for none.
func (m *Masker) Mask(text, region string, counts *Counts) string {
	digits, at := 0, false
	for i := range len(text) {
		if c := text[i]; c-'0' < 10 {
			digits++
		} else if c == '@' {
			at = true
		}
	}
	if !at && digits < fewDigits {
		return text
	}
	s := search{text: text}
	if at {
		s.emails()
	}
	if digits >= fewDigits {
		s.addresses()
		s.accounts()
		s.cards()
		s.phones(region)
	}
	return m.replace(text, s.found, counts)
}

// fewDigits is the least number of digits of what is looked for: an account number may have letters beside its check digits.
const fewDigits = 2

// replace puts placeholders in the place of spans, which are in order.
func (m *Masker) replace(text string, found []span, counts *Counts) string {
	var b strings.Builder
	written := 0
	for _, f := range found {
		if !m.masks[f.kind] {
			continue
		}
		placeholder := placeholders[f.kind]
		if f.kind == ip && strings.Contains(text[f.from:f.to], ":") {
			placeholder = placeholder6
		}
		b.WriteString(text[written:f.from])
		b.WriteString(placeholder)
		counts[f.kind]++
		written = f.to
	}
	if written == 0 {
		return text
	}
	b.WriteString(text[written:])
	return b.String()
}

// span is a part of a text that is personal data.
type span struct {
	from, to int
	kind     Kind
}

// search is a text and what was found in it so far, in the order of the text.
type search struct {
	text  string
	found []span
}

// add takes what a kind has found, in the order of the text, unless an earlier kind has taken a part of it.
func (s *search) add(spans []span) {
	if len(spans) == 0 {
		return
	}
	earlier := s.found
	for _, f := range spans {
		i, _ := slices.BinarySearchFunc(earlier, f.from, func(e span, from int) int {
			if e.to <= from {
				return -1
			}
			return 1
		})
		if i == len(earlier) || earlier[i].from >= f.to {
			s.found = append(s.found, f)
		}
	}
	slices.SortFunc(s.found, func(a, b span) int { return a.from - b.from })
}

func isDigit(c byte) bool  { return c-'0' < 10 }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// byteAt returns a byte of the text, 0 beyond its ends.
func (s *search) byteAt(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

// isWordAt says whether a byte of the text is a letter or digit of ASCII.
func (s *search) isWordAt(i int) bool { c := s.byteAt(i); return isDigit(c) || isLetter(c) }

// separator returns the length of the separator of a group of digits at i: a space, also one that does not break, or a hyphen; else 0.
func (s *search) separator(i int) int {
	switch rest := s.text[i:]; {
	case rest == "":
		return 0
	case rest[0] == ' ' || rest[0] == '-':
		return 1
	case rest[0] < 0x80:
		return 0
	default:
		for _, long := range []string{"\u00a0", "\u202f", "\u2009", "\u2010", "\u2011", "\u2013"} {
			if strings.HasPrefix(rest, long) {
				return len(long)
			}
		}
		return 0
	}
}
