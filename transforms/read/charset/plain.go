package charset

import (
	"bytes"
	"unicode/utf8"
)

// mostProse is how much of a text is given to Detect.
const mostProse = 64 << 10

// OfText returns the character set of a text without markup, of which nothing declares the set, by the evidence that pages have: its
// byte order mark, the NUL bytes of UTF-16 and UTF-32, UTF-8 beyond chance, the escapes of ISO 2022, or else Detect with the
// language that the text is said to be in. Where the evidence is against all sets, as where half of the characters are
// UTF-8 and half are not, the answer is UTF-8, in which such a text has many faults.
func OfText(data []byte, stated string) Charset {
	if c := Marked(data); c.IsUTF16Or32() || c.Known() && c.ReadsAsUTF8(data) {
		return c
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // which an editor left before a text in another set
	plain := Lookup(utf8Name)
	if head := Sniffed(data); bytes.IndexByte(head, 0) >= 0 {
		if c := OfNULs(head); c.Known() && !c.Contradicts(data) {
			return c
		}
		return plain
	}
	if c := Escaped(data); c.IsText() {
		return c
	}
	valid, invalid := countUTF8(data)
	if utf8.Valid(data) || valid > 0 && valid >= invalid {
		return plain
	}
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	start := max(0, first-sniffed)
	return Detect(data[start:min(len(data), start+mostProse)], stated).Of(data)
}
