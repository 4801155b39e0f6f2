package tmx

import (
	"bytes"
	"fmt"
)

// appendText appends text as XML writes it: with references to entities, line ends of any
// kind, and characters that are forbidden and become spaces.
func (d entities) appendText(dst, text []byte, references bool) ([]byte, error) {
	for {
		n := plain(text, references)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return dst, nil
		}
		switch c := text[n]; c {
		case '&':
			meant, length, err := d.entity(text[n:])
			if err != nil {
				return dst, err
			}
			dst, n = append(dst, meant...), n+length
		case '\r':
			if dst = append(dst, '\n'); n+1 < len(text) && text[n+1] == '\n' {
				n++
			}
			n++
		case '\xef': // of U+FFFE and U+FFFF
			dst, n = append(dst, ' '), n+3
		default:
			dst, n = append(dst, ' '), n+1
		}
		text = text[n:]
	}
}

// plain returns how many bytes of text stand for themselves.
func plain(text []byte, references bool) int {
	for i, c := range text {
		switch {
		case c < 0x20 && c != '\t' && c != '\n', c == '&' && references:
			return i
		case c == '\xef' && len(text) > i+2 && text[i+1] == '\xbf' && text[i+2] >= '\xbe':
			return i
		}
	}
	return len(text)
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

// attributes calls use for each attribute, with its value.
func (d entities) attributes(attributes []byte, use func(name string, value string)) error {
	for len(attributes) > 0 {
		name, value, rest, ok := attribute(attributes)
		if !ok {
			return fmt.Errorf("a tag has a malformed attribute")
		}
		text, err := d.appendText(nil, value, true)
		if err != nil {
			return err
		}
		use(string(name), string(bytes.ToValidUTF8(text, []byte("\ufffd"))))
		attributes = rest
	}
	return nil
}
