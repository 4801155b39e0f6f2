package html

import (
	"bytes"
	"slices"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/schemas/language"
	"sentweave/transforms/read/charset"
)

const (
	// mostProse is how much text of a page the detector of encodings sees.
	mostProse = 64 << 10
	// mostPlain is how much of that may be passages of ASCII alone, in which no character tells the encoding.
	mostPlain = 16 << 10
	// before is how much of a page without text beyond ASCII is taken before its first byte beyond.
	before = 1024
)

// prose returns the start of the text of a page, in the page's own encoding, with spaces for
// tags: what the detector of encodings goes by. Where there is no text beyond ASCII it is the page itself.
func prose(data []byte) []byte {
	var text []byte
	plain, foreign := 0, false
	take := func(passage []byte) {
		switch ascii := charset.IsSevenBit(passage); {
		case ascii && plain+len(passage) > mostPlain:
			return
		case ascii:
			plain += len(passage)
		default:
			foreign = true
		}
		text = append(append(text, passage...), ' ')
	}
	s := scanner{text: data}
	for next := true; next && len(text) < mostProse; {
		start := s.at
		hasText := s.next()
		next = s.token != endOfText
		if end := s.start; hasText && next {
			take(data[start:end])
		} else if hasText {
			take(data[start:])
		}
		if s.token == startTag && s.isRaw() {
			start = s.at
			s.at, _ = s.rawEnd()
			if s.name == atom.Title || s.name == atom.Noscript {
				take(data[start:s.at])
			}
		}
	}
	if !foreign {
		first := slices.IndexFunc(data, func(b byte) bool { return b >= utf8.RuneSelf })
		text = data[max(0, first-before):]
	}
	return text[:min(len(text), mostProse)]
}

// pageLanguage returns the language of a page, as ISO 639-3: that which its elements declare, or else
// what is known from elsewhere.
func pageLanguage(data []byte, elsewhere string) string {
	var languages declaredLanguages
	s := scanner{text: data[:min(len(data), declared)]}
	for finished := false; !finished; {
		s.next()
		finished = s.token == endOfText || s.token == startTag && s.name == atom.Body
		if s.token != startTag {
			continue
		}
		switch s.name {
		case atom.Html, atom.Meta, atom.Body:
			z := nethtml.NewTokenizer(bytes.NewReader(s.text[s.start:s.at]))
			z.Next()
			tag := z.Token()
			languages.add(&nethtml.Node{DataAtom: tag.DataAtom, Attr: tag.Attr})
		}
		if s.isRaw() {
			s.at, _ = s.rawEnd()
		}
	}
	for _, tag := range []string{languages.best(), elsewhere} {
		if code, err := language.Parse(tag); err == nil && code != language.Undetermined {
			return code
		}
	}
	return ""
}
