// Package charset names character sets and decodes them to UTF-8.
//
// Names are the labels of the WHATWG's encoding standard, which browsers use:
// "latin1", "ISO-8859-1" and "windows-1252" are one character set, windows-1252.
package charset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	whatwg "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// Charset is a character set. The zero Charset is none.
type Charset struct {
	encoding encoding.Encoding
	name     string
}

const utf8Name = "utf-8"

// Lookup returns the character set with a label, in any case, or none.
func Lookup(label string) Charset {
	e, name := whatwg.Lookup(label)
	return Charset{e, name}
}

// Parse returns the character set with a label, or an error that names what may be meant.
func Parse(label string) (Charset, error) {
	c := Lookup(label)
	if c.Known() && c.name != "replacement" && c.name != "x-user-defined" {
		return c, nil
	}
	for _, name := range names {
		if bare(name) == bare(label) {
			return Charset{}, fmt.Errorf("%q is no character set that is known: %s may be meant", label, name)
		}
	}
	return Charset{}, fmt.Errorf("%q is no character set that is known; known are, with their other names on web pages, %s", label, strings.Join(names, ", "))
}

// bare returns the letters and digits of a label.
func bare(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, label)
}

// names are those of all character sets, in the order of the standard.
var names = []string{
	"utf-8", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
	"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh",
	"windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
	"windows-1256", "windows-1257", "windows-1258", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis",
	"euc-kr", "utf-16le", "utf-16be",
}

// Known reports whether c is a character set.
func (c Charset) Known() bool { return c.encoding != nil }

// Name is the name of the character set in the standard, in lower case; "" of none.
func (c Charset) Name() string { return c.name }

// IsUTF8 reports whether c is the character set of all text within this program.
func (c Charset) IsUTF8() bool { return c.name == utf8Name }

// IsUTF16 reports whether characters are pairs of bytes.
func (c Charset) IsUTF16() bool { return c.name == "utf-16le" || c.name == "utf-16be" }

// windows are the code pages that are meant where a text is said to be in a part of
// ISO 8859 and has bytes that are control characters there.
var windows = map[string]string{
	"iso-8859-2": "windows-1250", "iso-8859-7": "windows-1253", "iso-8859-8": "windows-1255", "iso-8859-8-i": "windows-1255",
	"iso-8859-13": "windows-1257",
}

// Of returns the character set that data is in if it is said to be in c: itself, or the
// code page of Windows that writes the same languages, where data has one of the bytes
// 0x80 to 0x9f, which no text in ISO 8859 has. (Browsers do the same with ISO-8859-1
// and ISO-8859-9 whatever the bytes.)
func (c Charset) Of(data []byte) Charset {
	page, ok := windows[c.name]
	if !ok {
		return c
	}
	for _, b := range data {
		if b >= 0x80 && b < 0xa0 {
			return Lookup(page)
		}
	}
	return c
}

// Decode returns data as valid UTF-8 without byte order mark. What cannot be decoded
// becomes U+FFFD. Data that is UTF-8 already is returned as it is, not copied.
func (c Charset) Decode(data []byte) []byte {
	if c.IsUTF8() {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		if !utf8.Valid(data) {
			data = bytes.ToValidUTF8(data, []byte("\ufffd"))
		}
		return data
	}
	text, err := c.encoding.NewDecoder().Bytes(data)
	if err != nil {
		// Decoders replace what they cannot decode; the encodings that the standard
		// forbids are the exception.
		return []byte("\ufffd")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return bytes.ToValidUTF8(text, []byte("\ufffd"))
}

// certainly is the number of valid multi-byte sequences, with no invalid one, from which
// data is UTF-8 whatever is said of it. A wrong declaration is the commonest fault of
// pages; in the other character sets such bytes are valid UTF-8 by chance with a
// probability below 0.15 each (GBK, the worst).
const certainly = 8

// ValidUTF8 reports whether data is valid UTF-8, and whether that is certainly no chance.
func ValidUTF8(data []byte) (valid, certain bool) {
	if !utf8.Valid(data) {
		return false, false
	}
	count := 0
	for _, b := range data {
		if b >= 0xc0 {
			if count++; count == certainly {
				return true, true
			}
		}
	}
	return true, false
}
