package tmx

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// What a document type may declare is bounded.
const (
	maxEntity   = 64      // bytes of a reference, "&name;"
	maxMeaning  = 1 << 10 // bytes that an entity stands for
	maxDeclared = 1 << 10 // entities
)

// entities are those of the document type, by their names: what they stand for, in which no further reference is, or nil for one that is
// not read.
type entities map[string][]byte

// entity reads the reference that text begins with: to one of the five entities of XML, to one that
// is declared, or to a character by its number. A character that XML forbids is a space.
func (d entities) entity(text []byte) (meant []byte, length int, err error) {
	end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 0 {
		return nil, 0, fmt.Errorf("an & begins no entity")
	}
	name := string(text[1:end])
	for _, e := range [...][2]string{{"lt", "<"}, {"gt", ">"}, {"amp", "&"}, {"quot", `"`}, {"apos", "'"}} {
		if name == e[0] {
			return []byte(e[1]), end + 1, nil
		}
	}
	if meant, declared := d[name]; meant != nil {
		return meant, end + 1, nil
	} else if declared {
		return nil, 0, fmt.Errorf("the entity %q is declared, but not as text of at most %d bytes in this file", name, maxMeaning)
	}
	if len(name) < 2 || name[0] != '#' {
		return nil, 0, fmt.Errorf("the entity %q is not known", name)
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		return nil, 0, fmt.Errorf("the entity %q is not a character", name)
	}
	if forbidden(rune(n)) {
		n = ' '
	}
	return utf8.AppendRune(nil, rune(n)), end + 1, nil
}

// ampersand is a reference to & by its number. In the value of an entity it is read before the other references, so that
// &#38;amp; is one of them (XML 1.0, 4.4.5 and appendix D).
var ampersand = regexp.MustCompile(`&#(?:0*38|x0*26);`)

// declare takes what begins with a declaration, <!ENTITY name "value">. Of two with one name the first that is read
// counts, as XML has it. One that is not text alone, is in another file, is too long, or refers to such a one, is not read.
func (d entities) declare(text []byte) {
	rest := bytes.TrimLeft(text[len("<!ENTITY"):], spaces)
	n := nameLength(rest)
	name := string(rest[:n])
	rest = bytes.TrimLeft(rest[n:], spaces)
	if n == 0 || n > maxEntity || d[name] != nil || len(d) >= maxDeclared {
		return
	}
	d[name] = nil
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return
	}
	value, _, ended := bytes.Cut(rest[1:], rest[:1])
	meant, err := d.appendText([]byte{}, ampersand.ReplaceAll(value, []byte("&")), true)
	if err != nil { // as in "A &#38; B", which means what it says, although XML would have &#38;amp; there
		meant, err = d.appendText([]byte{}, value, true)
	}
	if ended && err == nil && len(meant) <= maxMeaning && utf8.Valid(meant) && bytes.IndexByte(value, '<') < 0 {
		d[name] = meant
	}
}
