package tmx

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a document type may declare is bounded.
const (
	maxEntity   = 64      // bytes of a reference, "&name;"
	maxMeaning  = 1 << 10 // bytes that an entity stands for
	maxDeclared = 1 << 10 // entities
)

// entities are those of the document type, by their names.
type entities map[string]meaning

// meaning is what an entity stands for, in which no further reference is, or the fault for which it is not read.
type meaning struct{ text, fault string }

// unreadEntity is the error for a reference to an entity that is declared and not read.
type unreadEntity struct{ name, fault string }

// Error implements error.
func (e unreadEntity) Error() string {
	return fmt.Sprintf("the entity %q, which is declared, %s", e.name, e.fault)
}

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
	if e, ok := d[name]; ok && e.fault != "" {
		return nil, 0, unreadEntity{name, e.fault}
	} else if ok {
		return []byte(e.text), end + 1, nil
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

// referring begins the fault of an entity that refers to one with a fault.
const referring = "refers to one that "

// declare takes what begins with a declaration, <!ENTITY name "value">. Of two with one name the first that is read
// counts, as XML has it. One that is not text alone, is in another file, is too long, or refers to such a one, is not read.
func (d entities) declare(text []byte) {
	rest := bytes.TrimLeft(text[len("<!ENTITY"):], spaces)
	n := nameLength(rest)
	name := string(rest[:n])
	rest = bytes.TrimLeft(rest[n:], spaces)
	if e, ok := d[name]; n == 0 || n > maxEntity || ok && e.fault == "" || !ok && len(d) >= maxDeclared {
		return
	}
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		d[name] = meaning{fault: "is in another file"}
		return
	}
	value, _, ended := bytes.Cut(rest[1:], rest[:1])
	meant, err := d.appendText(nil, ampersand.ReplaceAll(value, []byte("&")), true)
	if err != nil { // as in "A &#38; B", which means what it says, although XML would have &#38;amp; there
		meant, err = d.appendText(nil, value, true)
	}
	var inner unreadEntity
	switch {
	case !ended || err == nil && len(meant) > maxMeaning:
		d[name] = meaning{fault: fmt.Sprintf("has more than %d bytes", maxMeaning)}
	case errors.As(err, &inner): // without the names between, so that a message does not grow
		d[name] = meaning{fault: referring + strings.TrimPrefix(inner.fault, referring)}
	case err != nil:
		d[name] = meaning{fault: "is damaged: " + err.Error()}
	case bytes.IndexByte(value, '<') >= 0 || !utf8.Valid(meant):
		d[name] = meaning{fault: "is not text alone"}
	default:
		d[name] = meaning{text: string(meant)}
	}
}
