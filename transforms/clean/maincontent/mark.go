package maincontent

import (
	"unicode"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/html"
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

const (
	// maskedBytes is the length from which texts may be masked. Shorter ones keep their
	// words: the library drops texts that end in a word such as "Facebook".
	maskedBytes = 100
	// maskedMost is how many characters of a masked text are given. The library compares
	// lengths with limits up to 1,000.
	maskedMost = 4096
	// maskedSpace stands for the spaces within a masked text. It is not white space: the
	// library cuts texts into words in order to join them again. Pages cannot hold it.
	maskedSpace = '\x1f'
)

// markedText returns s with the mark of a block in front, and how many characters other
// than white space it gives. Characters of s that look like marks are replaced. With
// mask set, all characters of a long text other than white space become "0": the
// library weighs lengths, links and markup, and does not spend a quarter of its time on
// identifying the language of the result, which cannot be switched off, when there are
// no letters. White space within it is collapsed, as the library does at every step.
func markedText(s string, block int, mask bool) (marked string, given int) {
	if mask && len(s) >= maskedBytes {
		return maskedText(s, block)
	}
	b := make([]byte, 0, len(s)+utf8.UTFMax)
	b = utf8.AppendRune(b, mark(block))
	for _, r := range s {
		if isMark(r) {
			r = utf8.RuneError
		}
		if !unicode.IsSpace(r) && r != maskedSpace {
			given++
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), given
}

func maskedText(s string, block int) (marked string, given int) {
	b := make([]byte, 0, min(len(s), maskedMost)+2*utf8.UTFMax)
	b = utf8.AppendRune(b, mark(block))
	space := byte(0)
	for i, r := range s {
		if unicode.IsSpace(r) {
			space = maskedSpace
			if given == 0 {
				space = ' '
			}
			continue
		}
		if space != 0 {
			b = append(b, space)
			space = 0
		}
		b = append(b, '0')
		if given++; len(b) >= maskedMost {
			if last, _ := utf8.DecodeLastRuneInString(s[i:]); unicode.IsSpace(last) {
				space = ' '
			}
			break
		}
	}
	if space != 0 {
		b = append(b, ' ')
	}
	return string(b), given
}

func isMark(r rune) bool { return r >= firstMark }

// copying says how a page is copied for an extractor.
type copying struct {
	drop    func(*nethtml.Node) bool // elements that are left out with what they hold
	strip   func(*nethtml.Node) bool // elements that are left out, but not what they hold
	promote func(*nethtml.Node) bool // elements in whose place a p stands
	keep    func(key string) bool    // attributes that stay
	mask    bool                     // masks long texts
}

// copy returns a copy of the page's tree with a mark in front of each text that belongs
// to a block, and how many characters of each block, other than white space, it has.
func (c copying) copy(page *html.Page) (root *nethtml.Node, given []int) {
	texts := page.Texts
	given = make([]int, len(page.Blocks))
	root = &nethtml.Node{Type: page.Root.Type, Data: page.Root.Data, DataAtom: page.Root.DataAtom}
	to := root
	n := page.Root.FirstChild
	for n != nil {
		if c.drop(n) {
			texts = skipTexts(texts, n)
		} else {
			inside := to
			if !c.strip(n) {
				inside = c.node(n)
				if len(texts) > 0 && texts[0].Node == n {
					block, characters := texts[0].Block, 0
					inside.Data, characters = markedText(n.Data, block, c.mask)
					given[block] += characters
					texts = texts[1:]
				}
				to.AppendChild(inside)
			}
			if n.FirstChild != nil {
				n, to = n.FirstChild, inside
				continue
			}
		}
		for n.NextSibling == nil && n.Parent != page.Root {
			n = n.Parent
			if !c.strip(n) {
				to = to.Parent
			}
		}
		n = n.NextSibling
	}
	return root, given
}

// node returns a copy of a node alone.
func (c copying) node(n *nethtml.Node) *nethtml.Node {
	copied := &nethtml.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace}
	for _, a := range n.Attr {
		if c.keep(a.Key) {
			copied.Attr = append(copied.Attr, a)
		}
	}
	if c.promote(n) {
		copied.DataAtom, copied.Data = atom.P, "p"
	}
	return copied
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
			} else if block >= 0 && !unicode.IsSpace(r) && r != maskedSpace {
				counts[block]++
			}
		}
	}
}
