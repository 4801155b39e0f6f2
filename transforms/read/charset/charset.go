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
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Charset is a character set. The zero Charset is none.
type Charset struct {
	encoding encoding.Encoding
	name     string
}

const utf8Name = "utf-8"

// HZ is the label of a set of seven bits that the standard forbids: in a browser it may hide scripts.
const HZ = "hz-gb-2312"

// replacement is the name of the sets that the standard forbids.
const replacement = "replacement"

// unlisted are sets that the standard leaves out, and old programs write.
var unlisted = map[string]Charset{
	"ibm850":   {charmap.CodePage850, "ibm850"},
	"ibm852":   {charmap.CodePage852, "ibm852"},
	"utf-32le": {utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "utf-32le"},
	"utf-32be": {utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "utf-32be"},
}

// Lookup returns the character set with a label, in any case, or none.
func Lookup(label string) Charset {
	if c, ok := unlisted[strings.ToLower(label)]; ok {
		return c
	}
	e, name := whatwg.Lookup(label)
	if name == replacement && strings.EqualFold(strings.TrimSpace(label), HZ) {
		return Charset{simplifiedchinese.HZGB2312, HZ}
	}
	return Charset{e, name}
}

// IsText reports whether c says what the bytes of a text mean: those do not that the standard forbids, nor
// x-user-defined, which leaves it to the page's own font.
func (c Charset) IsText() bool {
	return c.Known() && c.name != replacement && c.name != HZ && c.name != "x-user-defined"
}

// Parse returns the character set with a label, or an error that names what may be meant.
func Parse(label string) (Charset, error) {
	c := Lookup(label)
	if c.IsText() {
		return c, nil
	}
	for _, name := range names {
		if bare(name) == bare(label) {
			return Charset{}, fmt.Errorf("%q is not a known character set; did you mean %s?", label, name)
		}
	}
	return Charset{}, fmt.Errorf("%q is not a known character set; the known ones are, with their other names on web pages, %s", label,
		strings.Join(names, ", "))
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

// names are those of all character sets, in the order of the standard, with those of UTF-32 and of DOS.
var names = []string{
	"utf-8", "ibm850", "ibm852", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
	"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh",
	"windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
	"windows-1256", "windows-1257", "windows-1258", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis",
	"euc-kr", "utf-16le", "utf-16be", "utf-32le", "utf-32be",
}

// Known reports whether c is a character set.
func (c Charset) Known() bool { return c.encoding != nil }

// Name is the name of the character set in the standard, in lower case; "" of none.
func (c Charset) Name() string { return c.name }

// IsUTF8 reports whether c is the character set of all text within this program.
func (c Charset) IsUTF8() bool { return c.name == utf8Name }

// IsUTF16Or32 reports whether characters are units of two or four bytes, of which those of ASCII have NULs.
func (c Charset) IsUTF16Or32() bool {
	return strings.HasPrefix(c.name, "utf-16") || strings.HasPrefix(c.name, "utf-32")
}

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
// becomes U+FFFD; in UTF-8 two halves of a character of UTF-16, as CESU-8 has them, become that one, and a character that the end
// has cut is left out. Data that is UTF-8 already is returned as it is, not copied.
func (c Charset) Decode(data []byte) []byte {
	if c.IsUTF8() {
		data = withoutCutCharacter(bytes.TrimPrefix(data, []byte("\ufeff")))
		if !utf8.Valid(data) {
			data = bytes.ToValidUTF8(paired(data), []byte("\ufffd"))
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

const (
	// mostUndecodable is of how many characters beyond ASCII one may be undecodable in a text that is in a set.
	mostUndecodable = 20
	// tried is how much of a text is decoded to see whether it is in a set.
	tried = 256 << 10
)

// IsASCII reports whether a label is one of ASCII, which the standard takes for windows-1252.
func IsASCII(label string) bool {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "ascii", "us-ascii", "ansi_x3.4-1968":
		return true
	}
	return false
}

// Contradicts reports whether many of the first bytes of data mean nothing in c, or control characters, so that data is in another set.
func (c Charset) Contradicts(data []byte) bool {
	if c.IsUTF8() {
		return !c.ReadsAsUTF8(data)
	}
	undecodable, characters := c.undecodable(data)
	return undecodable*mostUndecodable > characters
}

// Fits reports whether all bytes of a text mean something in c, and in a set of two bytes a character no rare ones, as they do where
// the text is in another set.
func (c Charset) Fits(text []byte) bool {
	undecodable, characters := c.undecodable(text)
	wide := c.wide()
	return undecodable == 0 && (wide == nil || wide.weigh(text) >= leastFitting*float64(characters))
}

func (c Charset) undecodable(data []byte) (undecodable, characters int) {
	first := 0
	if !c.IsUTF16Or32() { // whose units a cut may part
		first = max(0, bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }))
	}
	data = data[first:min(len(data), first+tried)]
	for _, r := range string(c.Decode(data)) {
		if r >= utf8.RuneSelf {
			characters++
		}
		if kindOf(r) == undefined {
			undecodable++
		}
	}
	return undecodable, characters
}
