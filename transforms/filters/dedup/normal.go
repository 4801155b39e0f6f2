package dedup

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendNormal appends the normal form of text to dst, without white space at its ends: equal forms are what
// duplicates means. Bytes that are not UTF-8 become U+FFFD.
func (k *Keyer) AppendNormal(dst []byte, text string) []byte {
	start := len(dst)
	dst = k.appendFolded(dst, text, k.config.DropPunctuation)
	if len(dst) == start && k.config.DropPunctuation {
		dst = k.appendFolded(dst, text, false) // or all lines of decoration would be one
	}
	return dst
}

func (k *Keyer) appendFolded(dst []byte, text string, dropPunctuation bool) []byte {
	f := folder{dst: dst, start: len(dst), lower: k.config.Lower, digits: k.config.DropDigits, punctuation: dropPunctuation}
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	form := norm.NFC
	if k.config.Form == formNFKC {
		form = norm.NFKC
	}
	if i == len(text) || form.QuickSpanString(text) == len(text) {
		f.fold(text)
		return f.dst
	}
	k.form = form.AppendString(k.form[:0], text)
	foldBytes(&f, k.form)
	return f.dst
}

// folder appends text to dst with the differences removed that do not count.
type folder struct {
	dst                        []byte
	start                      int
	space                      bool // white space is due before the next character
	number                     bool // the last character was a digit
	lower, digits, punctuation bool
}

func (f *folder) fold(text string) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			f.add(rune(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		f.add(r)
		i += size
	}
}

func foldBytes(f *folder, text []byte) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		f.add(r)
		i += size
	}
}

func (f *folder) add(r rune) {
	switch {
	case r > ' ' && r < utf8.RuneSelf && isASCIILetter(r): // most of most texts
		if f.lower {
			r |= 0x20
		}
	case unicode.IsSpace(r):
		f.space = true
		return
	case f.digits && unicode.IsDigit(r):
		if f.number && !f.space {
			return
		}
		f.put('0')
		f.number = true
		return
	case f.punctuation && (unicode.IsPunct(r) || unicode.IsSymbol(r)):
		// A dropped mark parts no words: "e-mail" is "email". A number goes on
		// behind it, so that 1.000 is 1000.
		return
	case f.lower:
		r = unicode.ToLower(r)
	}
	f.put(r)
	f.number = false
}

func (f *folder) put(r rune) {
	if f.space && len(f.dst) > f.start {
		f.dst = append(f.dst, ' ')
	}
	f.space = false
	f.dst = utf8.AppendRune(f.dst, r)
}

func isASCIILetter(r rune) bool { return uint32(r|0x20)-'a' < 26 }
