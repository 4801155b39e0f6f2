// Package blocks describes the blocks of a page in numbers, by which a model tells main
// content from the rest.
//
// Describe goes through a page's tree once. A block gets numbers for its text, for its
// element and those around it, for what its neighbours are, for where it stands, for how
// often its markup repeats, and for the page as a whole; Names says what each of them is.
// Texts are counted by characters, not by words of a language, so that all scripts and languages are
// described alike. Names of classes and ids are hashed (Tokens). Nothing in it
// names a host or a page.
//
// # Cost
//
// The time is linear in the nodes of the tree and the bytes of the text. The memory is
// about 200 bytes for each element and 150 for each block, beside 4 for each hashed name.
//
// # Determinism
//
// The numbers are functions of the page alone, the same on every machine.
package blocks

import (
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sentweave/transforms/read/html"
)

// Page is a page that has been described. It is safe for concurrent use after Describe, but for Append.
type Page struct {
	source   *html.Page
	write    func(string) string // what texts are described as, nil for themselves
	elements []element           // in document order: each behind the one that it is in
	names    []name              // hashed names of classes and the like, by element
	blocks   []block
	groups   []group
	counts   pageCounts
	rules    rules
	article  articleRules

	*workspace
}

// element is an element that holds text.
type element struct {
	parent      int32 // -1 of the first
	block       bool  // it begins and ends blocks
	tag         uint8
	said        uint32 // bits of articleWords in its names
	named       bool   // one of its names says that the article is in it
	hidden      uint8
	unseen      Unseen
	item        uint8
	depth       int32 // blocks around it
	in          uint32
	near        [familyCount]uint8 // blocks up to the nearest name of each family
	names       [2]int32           // of its own
	markup      uint64             // hash of its tag and first class
	children    int32
	above       [6]int32 // the elements at the levels 0 to 5 below html, around it or itself
	big         int32    // the nearest one around it with half of the long texts
	bigDistance int32

	// Of all that it holds:
	words, linked, marks float64
	long, blocks         int32
}

type name struct {
	hash  uint32
	extra bool // a part of another one
}

// block is what is known of a block of the page.
type block struct {
	textCounts
	element    int32 // around its first text
	container  int32 // the nearest block element
	links      int32
	images     int32 // since the block before it
	bold       float64
	linked     float64 // words in links
	before     float64 // words of the blocks before it
	first      int32   // the first block with the same text
	same       int32   // blocks of the page with the same text
	group      int32
	heading    int32 // level, 0 for others
	section    int32 // the last heading at or before it, -1 for none
	titleShare float64
	inTitle    float64
	described  float64
	distinct   float64
}

// group are the blocks whose elements, and five around them, have the same tags and first classes.
type group struct {
	blocks        int32
	words, linked float64
}

type pageCounts struct {
	words, linked      float64
	long, currency     int32
	headings           int32
	first, title       int32 // the block of the first h1, and the one most like the title; -1 for none
	tags               [20]int32
	types              uint32 // of linkedTypes
	open               uint8  // what og:type says
	elements           int32
	paragraphs, marked float64 // words in p, and marks
	description        []uint32
}

const familyCount = 22 // of families

// familyLimit is the greatest distance of a family that is told apart.
const familyLimit = 9

// Describe describes the blocks of a page.
func Describe(source *html.Page) *Page { return DescribeAs(source, nil) }

// DescribeAs describes a page as if each of its texts were what write returns for it, such as the same in another
// script. Text still returns the page's own.
func DescribeAs(source *html.Page, write func(text string) string) *Page {
	p := pages.Get().(*Page)
	*p = Page{
		source: source, write: write, elements: p.elements[:0], names: p.names[:0], blocks: zeros(p.blocks, len(source.Blocks)),
		groups: p.groups[:0], rules: rules{points: p.rules.points},
		article: articleRules{taken: p.article.taken}, workspace: workspaces.Get().(*workspace),
	}
	p.counts.first, p.counts.title = -1, -1
	p.walk()
	p.texts()
	p.sums()
	p.repetition()
	p.topContainer()
	p.densest()
	p.findArticle()
	p.source = &html.Page{Blocks: source.Blocks, Title: source.Title} // without the tree
	p.workspace.free(p)
	return p
}

// written is what a text is described as.
func (p *Page) written(text string) string {
	if p.write == nil {
		return text
	}
	return p.write(text)
}

// Len is the number of blocks.
func (p *Page) Len() int { return len(p.blocks) }

// Text is the text of a block.
func (p *Page) Text(i int) string { return p.source.Blocks[i].Text }

// Words is the length of a block in words; see the package comment.
func (p *Page) Words(i int) float64 { return p.blocks[i].words }

// Group is the number of the blocks that have the same markup as a block: their elements, and five around
// them, have the same tags and first classes.
func (p *Page) Group(i int) int { return int(p.blocks[i].group) }

// Groups is how many such numbers there are.
func (p *Page) Groups() int { return len(p.groups) }

// First is the first block with the text of a block.
func (p *Page) First(i int) int { return int(p.blocks[i].first) }

// LinkShare is the share of the text of a block that is in links.
func (p *Page) LinkShare(i int) float64 { return float64(p.source.Blocks[i].LinkDensity) }

// walk goes through the tree.
type walk struct {
	*Page
	texts        []html.Text
	at           int32 // the current element
	links, bold  int
	link         int32 // the number of the last link
	linkOf       int32 // the one that was counted last
	images       int32
	imagesBefore int32
	last         int // the block of the last text
}

func (p *Page) walk() {
	w := walk{Page: p, texts: p.source.Texts, at: -1, last: -1, linkOf: -1}
	root := p.source.Root
	for n := root; ; {
		if w.enter(n) && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for w.leave(n); n != root && n.NextSibling == nil; w.leave(n) {
			n = n.Parent
		}
		if n == root {
			return
		}
		n = n.NextSibling
	}
}

// enter handles the start of a node and says whether to go into it.
func (w *walk) enter(n *nethtml.Node) bool {
	switch n.Type {
	case nethtml.DocumentNode:
		return true
	case nethtml.TextNode:
		if len(w.texts) > 0 && w.texts[0].Node == n {
			w.text(n, w.texts[0].Block)
			w.texts = w.texts[1:]
		}
		return false
	case nethtml.ElementNode:
	default:
		return false
	}
	for i, a := range counted {
		if n.DataAtom == a {
			w.counts.tags[i]++
		}
	}
	if html.Ignored(n) {
		if n.DataAtom == atom.Head {
			w.head(n)
		}
		if n.DataAtom == atom.Script {
			w.script(n)
		}
		return false
	}
	w.element(n)
	switch n.DataAtom {
	case atom.Img:
		w.images++
	case atom.A:
		w.links++
		w.link++
	case atom.B, atom.Strong:
		w.bold++
	}
	return true
}

func (w *walk) leave(n *nethtml.Node) {
	if n.Type != nethtml.ElementNode || html.Ignored(n) {
		return
	}
	w.at = w.elements[w.at].parent
	switch n.DataAtom {
	case atom.A:
		w.links--
	case atom.B, atom.Strong:
		w.bold--
	}
}

// text handles a text of a block.
func (w *walk) text(n *nethtml.Node, block int) {
	b := &w.blocks[block]
	if block != w.last {
		w.last = block
		b.element, b.container = w.at, w.at
		for c := w.at; c >= 0; c = w.elements[c].parent {
			if b.container = c; w.elements[c].block {
				break
			}
		}
		b.images = w.images - w.imagesBefore
		w.imagesBefore = w.images
	}
	if w.links > 0 && w.linkOf != w.link {
		w.linkOf = w.link
		b.links++
	}
	if w.bold > 0 {
		b.bold += float64(len(n.Data))
	}
}

// element adds an element.
func (w *walk) element(n *nethtml.Node) {
	e := element{parent: w.at, block: html.IsBlock(n), tag: tagNumbers[n.DataAtom], in: byTag[n.DataAtom]}
	i := int32(len(w.elements))
	level := 0
	if w.at >= 0 {
		parent := &w.elements[w.at]
		parent.children++
		e.hidden, e.unseen, e.item, e.near, e.above, e.depth = parent.hidden, parent.unseen, parent.item, parent.near, parent.above,
			parent.depth
		e.in |= parent.in
		level = int(e.depth)
	} else {
		for k := range e.near {
			e.near[k] = familyLimit
		}
	}
	if e.block {
		e.depth++
		for k := range e.near {
			e.near[k] = min(e.near[k]+1, familyLimit)
		}
		for k := level; k < len(e.above); k++ {
			e.above[k] = i
		}
	}
	e.names[0] = int32(len(w.names))
	e.markup = uint64(n.DataAtom)*0x9e3779b97f4a7c15 + 1
	w.attributes(n, &e)
	e.names[1] = int32(len(w.names))
	w.elements = append(w.elements, e)
	w.counts.elements++
	w.at = i
}

// Bits of what attributes say of an element and all that it holds.
const (
	hiddenAttribute = 1 << iota
	hiddenFromReaders
	notDisplayed
	collapsed
)

const (
	statedText = 1 << iota
	statedItem
)
