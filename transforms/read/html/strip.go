package html

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// strip appends a simplified page to dst and leaves out what no step reads: attributes that are not in the list,
// the addresses of links, styles, comments, and scripts that do not name schema.org. The parser makes the same nodes
// of the rest, in little more than half of the time and with two thirds of the allocations. A nil list keeps all
// attributes.
func strip(dst, text []byte, attributes map[string]bool) []byte {
	s := scanner{text: text}
	for raw := false; ; {
		start := s.at
		hasText := s.next()
		if s.token == endOfText {
			return append(dst, text[start:]...)
		}
		passage := text[start:s.start]
		if hasText && raw && !bytes.Contains(passage, []byte("schema.org")) {
			passage = []byte{' '} // a node, too
		}
		dst = append(dst, passage...)
		raw = false
		tag := text[s.start:s.at]
		switch {
		case s.token == startTag:
			raw = s.name == atom.Script || s.name == atom.Style
			if s.attributes > 0 && attributes != nil {
				dst = s.appendTag(dst, attributes)
				continue
			}
		case s.token == comment && !isDoctype(tag):
			tag = []byte("<!---->")
		}
		dst = append(dst, tag...)
	}
}

// appendTag appends a start tag with the attributes that are read.
func (s *scanner) appendTag(dst []byte, attributes map[string]bool) []byte {
	dst = append(dst, s.text[s.start:s.nameEnd]...)
	a := attributeScanner{text: s.text[:s.at], at: s.nameEnd}
	var lower [32]byte
	for a.next() {
		if a.keyEnd == a.key || a.keyEnd-a.key > len(lower) {
			continue
		}
		key := lower[:0]
		for _, c := range s.text[a.key:a.keyEnd] {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			key = append(key, c)
		}
		end := a.end
		if s.name == atom.A && (string(key) == "href" || string(key) == "rel" || string(key) == "itemprop" && !attributes["itemprop"]) {
			if !mayLicense(s.text[s.start:s.at]) {
				if string(key) != "href" {
					continue
				}
				end = a.keyEnd // that there is one is all that counts
			}
		} else if !attributes[string(key)] && !ownAttribute(s.name, string(key)) && !ofMicrodata(s.name, string(key)) {
			continue
		}
		dst = append(dst, ' ')
		dst = append(dst, s.text[a.key:end]...)
	}
	if s.selfClosing {
		dst = append(dst, " /"...)
	}
	return append(dst, '>')
}

// ownAttribute says whether declarations or the parser read an attribute.
func ownAttribute(name atom.Atom, key string) bool {
	switch name {
	case atom.Html, atom.Body:
		return key == "lang" || key == "xml:lang"
	case atom.Div:
		return key == "lang"
	case atom.Link:
		return key == "rel" || key == "href"
	case atom.Meta:
		return key == "content" || key == "name" || key == "property" || key == "http-equiv"
	case atom.Input:
		return key == "type"
	case atom.Font:
		return key == "color" || key == "face" || key == "size"
	case atom.AnnotationXml:
		return key == "encoding"
	}
	return false
}

func isDoctype(markup []byte) bool {
	const start = "<!doctype"
	return len(markup) >= len(start) && bytes.EqualFold(markup[:len(start)], []byte(start))
}
