package charset

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// IsSevenBit reports whether all bytes of data are of ASCII.
func IsSevenBit(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return b >= utf8.RuneSelf })
}

// Marked returns the character set that a byte order mark at the beginning of data tells, or none.
func Marked(data []byte) Charset {
	for _, m := range []struct{ prefix, name string }{
		{"\xef\xbb\xbf", utf8Name}, {"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"},
		{"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(data, []byte(m.prefix)) {
			return Lookup(m.name)
		}
	}
	return Charset{}
}

// sniffed is how much of a text is searched for NUL bytes.
const sniffed = 1024

// Sniffed returns the part of data that OfNULs looks at.
func Sniffed(data []byte) []byte { return data[:min(len(data), sniffed)] }

// leastZeros is of how many bytes of UTF-16 at the start of a text one at least is NUL: those of tags and spaces.
const leastZeros = 20

// OfNULs returns that set of UTF-16 or UTF-32 in which the beginning of a text has these NUL bytes, or none.
func OfNULs(head []byte) Charset {
	var zeros [2]int
	var quarters [4]int
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
			quarters[i&3]++
		}
	}
	enough, units := max(2, len(head)/leastZeros), len(head)/4
	switch {
	case units > 1 && quarters[0] < units && min(quarters[2], quarters[3]) == units:
		return Lookup("utf-32le")
	case units > 1 && quarters[3] < units && min(quarters[0], quarters[1]) >= units:
		return Lookup("utf-32be")
	case zeros[0] == 0 && zeros[1] >= enough || bytes.HasPrefix(head, []byte("<\x00")):
		return Lookup("utf-16le")
	case zeros[1] == 0 && zeros[0] >= enough || bytes.HasPrefix(head, []byte("\x00<")):
		return Lookup("utf-16be")
	}
	return Charset{}
}

// HasManyNULs says whether more than one of a hundred bytes is NUL. Those of a few damaged places tell no binary data.
func HasManyNULs(data []byte) bool { return bytes.Count(data, []byte{0})*100 > len(data) }

// Escaped returns the set of seven bits that the escapes of ISO 2022 in data tell, or none. They are in no other text.
func Escaped(data []byte) Charset {
	contains := func(escape string) bool { return bytes.Contains(data, []byte(escape)) }
	japanese, korean := contains("\x1b$B") || contains("\x1b$@"), contains("\x1b$)")
	switch {
	case !japanese && !korean || !IsSevenBit(data):
		return Charset{}
	case japanese:
		return Lookup("iso-2022-jp")
	}
	return Lookup("iso-2022-kr") // forbidden, and with nothing to decode it
}
