package jsonfields

import (
	"unicode/utf16"
	"unicode/utf8"
)

// hex returns the value of four hexadecimal digits, or -1.
func hex(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	r := rune(0)
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Text returns the text of a string, between its quotes, whose syntax is right. The text
// is good until the next call, or as long as raw. Bytes that are not UTF-8 and halves
// of surrogate pairs become U+FFFD, as in encoding/json, but then the text is not valid.
func (p *Picker) Text(raw []byte) (text []byte, valid bool) {
	plain := 0
	for plain < len(raw) && raw[plain] != '\\' && raw[plain] < utf8.RuneSelf {
		plain++
	}
	if plain == len(raw) || raw[plain] != '\\' && noEscape(raw[plain:]) {
		return raw, true
	}
	valid = true
	b := append(p.buffer[:0], raw[:plain]...)
	for i := plain; i < len(raw); {
		c := raw[i]
		switch {
		case c < utf8.RuneSelf && c != '\\':
			b = append(b, c)
			i++
			continue
		case c != '\\':
			r, size := utf8.DecodeRune(raw[i:])
			valid = valid && (r != utf8.RuneError || size > 1)
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		c = raw[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex(raw[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				second := rune(-1)
				if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
					second = hex(raw[i+2:])
				}
				r = utf16.DecodeRune(r, second)
				if r != utf8.RuneError {
					i += 6
				} else {
					valid = false
				}
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		b = append(b, c)
	}
	p.buffer = b
	return b, valid
}

// noEscape reports whether b is valid UTF-8 without a backslash.
func noEscape(b []byte) bool {
	for _, c := range b {
		if c == '\\' {
			return false
		}
	}
	return utf8.Valid(b)
}
