package tmx

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// appendText appends text as XML writes it: with entities, line ends of any kind,
// and characters that are forbidden and become spaces.
func appendText(to, text []byte, entities bool) ([]byte, error) {
	for {
		n := plain(text, entities)
		to = append(to, text[:n]...)
		if n == len(text) {
			return to, nil
		}
		switch c := text[n]; c {
		case '&':
			r, length, err := entity(text[n:])
			if err != nil {
				return to, err
			}
			to, n = utf8.AppendRune(to, r), n+length
		case '\r':
			if to = append(to, '\n'); n+1 < len(text) && text[n+1] == '\n' {
				n++
			}
			n++
		case '\xef': // of U+FFFE and U+FFFF
			to, n = append(to, ' '), n+3
		default:
			to, n = append(to, ' '), n+1
		}
		text = text[n:]
	}
}

// plain returns how many bytes of text stand for themselves.
func plain(text []byte, entities bool) int {
	for i, c := range text {
		switch {
		case c < 0x20 && c != '\t' && c != '\n', c == '&' && entities:
			return i
		case c == '\xef' && len(text) > i+2 && text[i+1] == '\xbf' && text[i+2] >= '\xbe':
			return i
		}
	}
	return len(text)
}

// maxEntity is the length of the longest entity: "&#x0010FFFF;" and some zeros.
const maxEntity = 16

// entity reads the entity that text begins with. A character that XML forbids is a
// space.
func entity(text []byte) (r rune, length int, err error) {
	end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 0 {
		return 0, 0, fmt.Errorf("an & begins no entity")
	}
	name := string(text[1:end])
	for _, e := range [...]struct {
		name string
		r    rune
	}{{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}} {
		if name == e.name {
			return e.r, end + 1, nil
		}
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, 0, fmt.Errorf("the entity %q is not known", name)
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, 0, fmt.Errorf("the entity %q is no character", name)
	}
	if forbidden(rune(n)) {
		n = ' '
	}
	return rune(n), end + 1, nil
}

// attribute reads the first of a tag's attributes and returns what follows it.
func attribute(attributes []byte) (name, value, rest []byte, ok bool) {
	name, rest, found := bytes.Cut(attributes, []byte("="))
	name = bytes.TrimRight(name, spaces)
	rest = bytes.TrimLeft(rest, spaces)
	if !found || len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' || !isName(name) {
		return nil, nil, nil, false
	}
	value, rest, found = bytes.Cut(rest[1:], rest[:1])
	if len(rest) > 0 && !isSpace(rest[0]) {
		return nil, nil, nil, false
	}
	return name, value, bytes.TrimLeft(rest, spaces), found
}

// read calls use for each attribute, with its value.
func readAttributes(attributes []byte, use func(name string, value string)) error {
	for len(attributes) > 0 {
		name, value, rest, ok := attribute(attributes)
		if !ok {
			return fmt.Errorf("a tag has a malformed attribute")
		}
		text, err := appendText(nil, value, true)
		if err != nil {
			return err
		}
		use(string(name), string(bytes.ToValidUTF8(text, []byte("\ufffd"))))
		attributes = rest
	}
	return nil
}
