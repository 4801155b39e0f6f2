package normalform

import (
	"slices"
	"unicode/utf8"
)

// later are the characters with a combining class, a decomposition or a composition since Unicode 10, up to Unicode 17, and some between
// them that have none: Unicode 9 has none of these.
var later = [][2]rune{
	{0x7fd, 0x7fd}, {0x897, 0x8d3}, {0x9fe, 0x9fe}, {0xc3c, 0xc3c}, {0xd3b, 0xd3c}, {0xeba, 0xeba}, {0x1715, 0x1715}, {0x1abf, 0x1aeb},
	{0x1df6, 0x1dfa}, {0x32ff, 0x32ff}, {0xa7f1, 0xa7f4}, {0xa82c, 0xa82c}, {0xab69, 0xab69}, {0x105c9, 0x107ba}, {0x10d24, 0x10f85},
	{0x11070, 0x11070}, {0x1133b, 0x1133b}, {0x11382, 0x113d0}, {0x1145e, 0x1145e}, {0x11839, 0x11a99}, {0x11d42, 0x11f42},
	{0x1611e, 0x1612f}, {0x16d63, 0x16ff1}, {0x1ccd6, 0x1ccf9}, {0x1e030, 0x1e6f5}, {0x1f16c, 0x1f16c}, {0x1fbf0, 0x1fbf9},
}

// blocks says which 64 characters, which differ in the last byte of UTF-8 alone, hold some of them.
var blocks = func() (table [utf8.MaxRune>>6 + 1]bool) {
	for _, span := range later {
		for r := span[0]; r <= span[1]; r++ {
			table[r>>6] = true
		}
	}
	return table
}()

func isLater(r rune) bool {
	return blocks[r>>6] && slices.ContainsFunc(later, func(span [2]rune) bool { return span[0] <= r && r <= span[1] })
}

// hasLater says whether a text has one of these characters.
func hasLater(text []byte) bool {
	for i := 0; i < len(text); {
		if text[i] < 0xdf { // of a character up to U+07BF
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if isLater(r) {
			return true
		}
		i += size
	}
	return false
}
