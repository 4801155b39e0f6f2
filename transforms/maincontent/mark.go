package maincontent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/html"
)

// Extractors copy, merge and rebuild elements: neither node identity nor attributes
// survive them, but text does. So each text node carries its block's index in front,
// as one character of the private use planes 15 and 16. One character among the text
// changes the lengths that extractors weigh by next to nothing, counts as no word
// character in their patterns, and is not white space.
const (
	firstMark = 0xF0000
	lastMark  = 0x10FFFD
	maxMarks  = lastMark - firstMark + 1 - 2 // without the noncharacters at the end of plane 15
)

// mark returns the character of block i, below maxMarks.
func mark(i int) rune {
	r := rune(firstMark + i)
	if r >= 0xFFFFE {
		r += 2
	}
	return r
}

// marked returns the block whose mark r is, or -1.
func marked(r rune) int {
	switch {
	case r < firstMark || r > lastMark:
		return -1
	case r >= 0x100000:
		return int(r) - firstMark - 2
	}
	return int(r) - firstMark
}

// maskedBytes is the length from which texts may be masked. Shorter ones keep their
// words: the library drops texts that end in a word such as "Facebook".
const maskedBytes = 100

// markedText returns s with the mark of a block in front. Characters of s that look
// like marks are replaced. With mask set, all characters of a long text other than
// white space become "0", one for one: the library weighs lengths, links and markup,
// and does not spend a quarter of its time on identifying the language of the result,
// which cannot be switched off, when there are no letters.
func markedText(s string, block int, mask bool) string {
	b := make([]byte, 0, len(s)+utf8.UTFMax)
	b = utf8.AppendRune(b, mark(block))
	switch {
	case mask && len(s) >= maskedBytes:
		for _, r := range s {
			if unicode.IsSpace(r) {
				b = utf8.AppendRune(b, r)
			} else {
				b = append(b, '0')
			}
		}
	case strings.ContainsFunc(s, isMark):
		for _, r := range s {
			if isMark(r) {
				r = utf8.RuneError
			}
			b = utf8.AppendRune(b, r)
		}
	default:
		b = append(b, s...)
	}
	return string(b)
}

func isMark(r rune) bool { return r >= firstMark }

// markedCopy returns a copy of the page's tree with a mark in front of each text that
// belongs to a block, without the elements that drop names, and with a p for each
// element that promote names.
func markedCopy(page *html.Page, drop, promote func(*nethtml.Node) bool, mask bool) *nethtml.Node {
	texts := page.Texts
	root := &nethtml.Node{Type: page.Root.Type, Data: page.Root.Data, DataAtom: page.Root.DataAtom}
	to := root
	n := page.Root.FirstChild
	for n != nil {
		if drop(n) {
			texts = skipTexts(texts, n)
		} else {
			c := &nethtml.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace}
			c.Attr = append(c.Attr, n.Attr...)
			if promote(n) {
				c.DataAtom, c.Data = atom.P, "p"
			}
			if len(texts) > 0 && texts[0].Node == n {
				c.Data = markedText(n.Data, texts[0].Block, mask)
				texts = texts[1:]
			}
			to.AppendChild(c)
			if n.FirstChild != nil {
				n, to = n.FirstChild, c
				continue
			}
		}
		for n.NextSibling == nil && n.Parent != page.Root {
			n, to = n.Parent, to.Parent
		}
		n = n.NextSibling
	}
	return root
}

// skipTexts returns texts without those below n, which come first if there are any.
func skipTexts(texts []html.Text, n *nethtml.Node) []html.Text {
	for len(texts) > 0 && under(texts[0].Node, n) {
		texts = texts[1:]
	}
	return texts
}

// under reports whether ancestor is above n.
func under(n, ancestor *nethtml.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n == ancestor {
			return true
		}
	}
	return false
}

// countMarked adds, for each text below n, the characters after each mark to the
// count of its block.
func countMarked(n *nethtml.Node, counts []int) {
	for d := range n.Descendants() {
		if d.Type != nethtml.TextNode {
			continue
		}
		block := -1
		for _, r := range d.Data {
			if m := marked(r); m >= 0 {
				block = m
			} else if block >= 0 && !unicode.IsSpace(r) {
				counts[block]++
			}
		}
	}
}
