package blocks

import (
	"golang.org/x/net/html/atom"

	"github.com/zeebo/xxh3"

	"sentweave/transforms/read/html"
)

// longWords is the number of words from which a block that is not mostly links counts as
// running text.
const longWords = 12

// texts counts what the texts consist of, and follows headings.
func (p *Page) texts() {
	hashes := p.hashes
	_, title := countText(p.written(titleOf(p.source.Title)), nil)
	title = set(title)
	best, words := 0.5, 0.0
	section := int32(-1)
	for i := range p.blocks {
		b, source := &p.blocks[i], &p.source.Blocks[i]
		b.textCounts, hashes = countText(p.written(source.Text), hashes[:0])
		b.linked = float64(b.words * float64(source.LinkDensity))
		b.bold = min(1, b.bold/float64(len(source.Text)))
		b.before = words
		words += b.words
		n := len(hashes)
		hashes = set(hashes)
		if n > 0 {
			b.distinct = float64(len(hashes)) / float64(n)
			inTitle := float64(common(hashes, title))
			b.inTitle = inTitle / float64(len(hashes))
			b.titleShare = inTitle / (float64(len(hashes)+len(title)) - inTitle)
			b.described = float64(common(hashes, p.counts.description)) / float64(len(hashes))
		}
		if b.titleShare > best {
			best, p.counts.title = b.titleShare, int32(i)
		}
		if source.Kind == html.Heading {
			b.heading = headingLevel(p.elements[b.container].tag)
			p.counts.headings++
			section = int32(i)
			if b.heading == 1 && p.counts.first < 0 && p.elements[b.container].in&inNavigation == 0 {
				p.counts.first = int32(i)
			}
		}
		b.section = section
		hash := xxh3.HashString(source.Text)
		first, ok := p.firsts[hash]
		if !ok {
			first = int32(i)
			p.firsts[hash] = first
		}
		b.first = first
		p.blocks[first].same++
		if b.currency {
			p.counts.currency++
		}
	}
	p.counts.words, p.hashes = words, hashes
	for i := range p.blocks {
		p.blocks[i].same = p.blocks[p.blocks[i].first].same
	}
}

// titleOf returns the part of a title that names the page, not the site: what comes before
// the first mark between spaces.
func titleOf(title string) string {
	for i := 1; i+1 < len(title); i++ {
		if title[i] != ' ' {
			continue
		}
		for _, mark := range []string{"| ", "- ", "– ", "— ", "· ", "» "} {
			if rest := title[i+1:]; len(rest) > len(mark) && rest[:len(mark)] == mark {
				return title[:i]
			}
		}
	}
	return title
}

func headingLevel(tag uint8) int32 {
	first := tagNumbers[atom.H1]
	if tag < first || tag > tagNumbers[atom.H6] {
		return 7 // an element in a heading
	}
	return int32(tag-first) + 1
}

// sums adds up what elements hold. Elements are behind those that they are in.
func (p *Page) sums() {
	for i := range p.blocks {
		b := &p.blocks[i]
		e := &p.elements[b.container]
		e.words += b.words
		e.linked += b.linked
		e.marks += float64(b.marks)
		e.blocks++
		if b.words >= longWords && b.linked*2 < b.words {
			e.long++
		}
		p.counts.linked += b.linked
		p.counts.marked += float64(b.marks)
		if e.in&inParagraph != 0 {
			p.counts.paragraphs += b.words
		}
	}
	for i := len(p.elements) - 1; i > 0; i-- {
		e := &p.elements[i]
		if e.parent < 0 {
			continue
		}
		parent := &p.elements[e.parent]
		parent.words += e.words
		parent.linked += e.linked
		parent.marks += e.marks
		parent.long += e.long
		parent.blocks += e.blocks
	}
	if len(p.elements) > 0 {
		p.counts.long = p.elements[0].long
	}
	for i := range p.elements {
		e := &p.elements[i]
		switch {
		case e.parent < 0 || e.block && e.long*2 >= max(1, p.counts.long):
			e.big = int32(i)
		default:
			parent := &p.elements[e.parent]
			e.big, e.bigDistance = parent.big, parent.bigDistance
			if e.block {
				e.bigDistance++
			}
		}
	}
}

// pathLength is how many elements, from that of a block, make its group.
const pathLength = 6

// repetition groups blocks by the markup around them.
func (p *Page) repetition() {
	for i := range p.blocks {
		b := &p.blocks[i]
		path := uint64(0)
		index := b.container
		for range pathLength {
			if index < 0 {
				break
			}
			path = (path ^ p.elements[index].markup) * 0x9e3779b97f4a7c15
			path ^= path >> 29
			index = p.up(index)
		}
		number, ok := p.groupOf[path]
		if !ok {
			number = int32(len(p.groups))
			p.groupOf[path] = number
			p.groups = append(p.groups, group{})
		}
		b.group = number
		g := &p.groups[number]
		g.blocks++
		g.words += b.words
		g.linked += b.linked
	}
}

// up returns the nearest block element around another one, -1 around the first.
func (p *Page) up(index int32) int32 {
	for index = p.elements[index].parent; index >= 0 && !p.elements[index].block; {
		index = p.elements[index].parent
	}
	return index
}
