package blocks

import (
	"strconv"
	"sync"

	"sentweave/transforms/read/html"
)

// vector takes the numbers of a block, and their names where they are asked for.
type vector struct {
	values []float32
	names  *[]string
	prefix string
}

func (v *vector) add(name string, value float64) {
	v.values = append(v.values, float32(value))
	if v.names != nil {
		*v.names = append(*v.names, v.prefix+name)
	}
}

func (v *vector) is(name string, value bool) {
	if value {
		v.add(name, 1)
	} else {
		v.add(name, 0)
	}
}

// named sets what the names that follow begin with.
func (v *vector) named(prefix string, n int, suffix string) {
	if v.names != nil {
		v.prefix = prefix + strconv.Itoa(n) + suffix
	}
}

// Names are the names of the numbers of a block, in order.
var Names = sync.OnceValue(func() []string {
	return namesOf(func(p *Page, v *vector) { p.append(v, 0, p.scored(make([]float64, 1))) })
})

// pageNames are the names of the numbers of a page, in order.
var pageNames = sync.OnceValue(func() []string { return namesOf((*Page).whole) })

// namesOf returns the names of the numbers that are added of any page.
func namesOf(add func(*Page, *vector)) []string {
	page, reason, _ := html.Parse([]byte("<p>x"), html.Origin{}, html.DefaultConfig())
	if reason != "" {
		return nil
	}
	var names []string
	add(Describe(page), &vector{names: &names})
	return names
}

// Append appends the numbers of block i to values. Scores are one for each block, that of a
// linear model of its names (Linear). It does not allocate if values has room.
func (p *Page) Append(values []float32, i int, scores *Scores) []float32 {
	v := vector{values: values}
	p.append(&v, i, scores)
	return v.values
}

func (p *Page) append(v *vector, i int, scores *Scores) {
	b := &p.blocks[i]
	v.add("score of its names", scores.blocks[i])
	p.means(v, i, scores, "score of names", [2]string{"score of names in ancestor ", ""})
	p.text(v, b)
	p.place(v, i)
	p.verdicts(v, i)
	p.takenByRules(v, i)
	p.markup(v, i)
	p.around(v, b)
	for _, distance := range []int{1, 2, 3, -1, -2, -3} {
		p.neighbour(v, i, distance, scores)
	}
	p.page(v)
}

// means adds what the scores around the block are, under names that begin with what they are; ancestor is what comes before and
// behind the number of one.
func (p *Page) means(v *vector, i int, s *Scores, what string, ancestor [2]string) {
	b := &p.blocks[i]
	element := b.container
	for level := 1; level <= 4; level++ {
		if next := p.up(element); next >= 0 {
			element = next
		}
		v.named(ancestor[0], level, ancestor[1])
		v.add("", s.elements[element].value())
	}
	v.prefix = what
	v.add(" with the same markup", s.groups[b.group].value())
	v.add(" in the section", s.sections[b.section+1].value())
	v.add(" in 2 blocks around", s.window(i, 2))
	v.add(" in 6 blocks around", s.window(i, 6))
	v.add(" on the page", s.window(i, len(p.blocks)))
	v.prefix = ""
}

// text adds what the text consists of.
func (p *Page) text(v *vector, b *block) {
	words, characters := max(b.words, .2), float64(max(1, b.characters))
	v.add("words", b.words)
	v.add("characters", characters)
	v.add("characters a word", characters/words)
	v.add("words in links", b.linked)
	v.add("share of links", b.linked/words)
	v.add("links", float64(b.links))
	v.add("share of bold text", b.bold)
	v.add("images before it", float64(b.images))
	v.add("ends of sentences", float64(b.ends))
	v.add("commas", float64(b.commas))
	v.add("marks a character", float64(b.marks)/characters)
	v.is("ends with a full stop", b.endsMark)
	v.is("ends with a colon", b.endsColon)
	v.add("separators", float64(b.separators))
	v.is("asks", b.question)
	v.add("share of capitals", float64(b.capital)/words)
	v.add("share of words in capitals", float64(b.upper)/words)
	v.add("share of digits", float64(b.digits)/characters)
	v.add("share of different words", b.distinct)
	v.is("a price", b.currency)
	v.is("begins with a small letter", b.lower)
	v.is("a hash or an at sign", b.at)
	v.add("signs of programs", float64(b.signs))
	v.add("blocks with the same text", float64(b.same))
	v.add("share of the title's words, if many", ifMany(b.titleShare))
	v.add("share in the title, if many", ifMany(b.inTitle))
	v.add("share in the description", b.described)
}

// leastTitle is the share of words in common with the title below which they say nothing: which texts have
// one or two words of it depends on the language.
const leastTitle = .25

func ifMany(share float64) float64 {
	if share < leastTitle {
		return 0
	}
	return share
}

// place adds where the block stands.
func (p *Page) place(v *vector, i int) {
	b := &p.blocks[i]
	n, total := float64(len(p.blocks)), max(1, p.counts.words)
	v.add("place among blocks", float64(i)/n)
	v.add("place among words", b.before/total)
	v.add("blocks before", float64(i))
	v.add("blocks after", n-float64(i))
	v.add("words before", b.before)
	v.add("words after", p.counts.words-b.before-b.words)
	if first := p.counts.first; first >= 0 {
		v.add("blocks since the first heading", float64(i)-float64(first))
		v.add("words since the first heading", b.before-p.blocks[first].before)
	} else {
		v.add("blocks since the first heading", -999)
		v.add("words since the first heading", -9999)
	}
	if title := p.counts.title; title >= 0 {
		v.add("blocks since the title", float64(i)-float64(title))
	} else {
		v.add("blocks since the title", -999)
	}
	v.add("level of the heading", float64(b.heading))
	if b.section >= 0 {
		head := &p.blocks[b.section]
		v.add("blocks since a heading", float64(i)-float64(b.section))
		v.add("level of the last heading", float64(head.heading))
		v.add("words since a heading", b.before-head.before)
		v.add("links in the last heading", head.linked/max(head.words, .2))
	} else {
		v.add("blocks since a heading", 999)
		v.add("level of the last heading", 0)
		v.add("words since a heading", -1)
		v.add("links in the last heading", -1)
	}
}

// markup adds what the block is in.
func (p *Page) markup(v *vector, i int) {
	b := &p.blocks[i]
	inline, e := &p.elements[b.element], &p.elements[b.container]
	tag := func(index int32) float64 {
		if index < 0 {
			return 99
		}
		return float64(p.elements[index].tag)
	}
	parent := p.up(b.container)
	v.add("kind", float64(p.source.Blocks[i].Kind))
	v.add("element", tag(b.container))
	v.add("inline element", tag(b.element))
	v.add("parent", tag(parent))
	grandparent, siblings := int32(-1), int32(0)
	if parent >= 0 {
		grandparent, siblings = p.up(parent), p.elements[parent].children
	}
	v.add("grandparent", tag(grandparent))
	v.add("siblings", float64(siblings))
	v.add("depth", float64(e.depth))
	v.add("hidden", float64(inline.hidden))
	v.add("stated text", float64(inline.item))
	if v.names != nil {
		v.prefix = "in "
	}
	for k, name := range ancestorNames {
		v.is(name, inline.in>>k&1 == 1)
	}
	if v.names != nil {
		v.prefix = "near a name of "
	}
	for k := range families {
		v.add(families[k].name, float64(inline.near[k]))
	}
	v.prefix = ""
}

// around adds what the elements around the block hold.
func (p *Page) around(v *vector, b *block) {
	total := max(1, p.counts.words)
	ancestor, level := b.container, 0
	for _, distance := range []int{1, 2, 3, 4, 6} {
		for level < distance {
			next := p.up(ancestor)
			if next < 0 {
				break
			}
			ancestor = next
			level++
		}
		e := &p.elements[ancestor]
		words := max(e.words, 1)
		v.named("ancestor ", distance, ": ")
		v.add("words", e.words)
		v.add("share of the page", e.words/total)
		v.add("share of links", e.linked/words)
		v.add("long texts", float64(e.long))
		v.add("blocks", float64(e.blocks))
		v.add("words a block", e.words/float64(max(1, e.blocks)))
		v.add("marks a word", e.marks/words)
		v.add("children", float64(e.children))
	}
	for k := 2; k < len(b.aboveOf(p)); k++ {
		e := &p.elements[b.aboveOf(p)[k]]
		v.named("level ", k, ": ")
		v.add("share of the page", e.words/total)
		v.add("share of links", e.linked/max(e.words, 1))
		v.add("long texts", float64(e.long))
	}
	v.prefix = ""
	e := &p.elements[b.container]
	v.add("elements up to the one with most long texts", float64(e.bigDistance))
	v.add("share of the one with most long texts", p.elements[e.big].words/total)
	g := &p.groups[b.group]
	v.add("blocks with the same markup", float64(g.blocks))
	v.add("words with the same markup", g.words)
	v.add("words a block with the same markup", g.words/float64(g.blocks))
	v.add("links with the same markup", g.linked/max(g.words, 1))
	v.add("share with the same markup", g.words/total)
}

func (b *block) aboveOf(p *Page) *[6]int32 { return &p.elements[b.container].above }

// neighbour adds what a block before (1, 2 …) or behind (-1, -2 …) is.
func (p *Page) neighbour(v *vector, i, distance int, scores *Scores) {
	v.named("block before ", distance, ": ")
	if k := i - distance; k >= 0 && k < len(p.blocks) {
		b := &p.blocks[k]
		v.add("words", b.words)
		v.add("share of links", b.linked/max(b.words, .2))
		v.add("level of the heading", float64(b.heading))
		v.add("element", float64(p.elements[b.container].tag))
		v.is("ends with a full stop", b.endsMark)
		v.is("the same markup", b.group == p.blocks[i].group)
		v.add("score of its names", scores.blocks[k])
	} else {
		for _, name := range []string{"words", "share of links", "level of the heading", "element", "ends with a full stop",
			"the same markup"} {
			v.add(name, -1)
		}
		v.add("score of its names", -99)
	}
	v.prefix = ""
}

// page adds what holds for all blocks of the page.
func (p *Page) page(v *vector) {
	if v.names != nil {
		v.prefix = "page: "
	}
	c := &p.counts
	words, n := max(1, c.words), float64(len(p.blocks))
	v.add("words", c.words)
	v.add("blocks", n)
	v.add("words a block", c.words/n)
	v.add("share of links", c.linked/words)
	v.add("long texts", float64(c.long))
	v.add("share of prices", float64(c.currency)/n)
	v.add("headings", float64(c.headings))
	v.add("place of the first heading", float64(c.first)/n)
	v.add("place of the title", float64(c.title)/n)
	v.add("share of paragraphs", c.paragraphs/words)
	v.add("marks a word", c.marked/words)
	v.add("elements", float64(c.elements))
	v.add("stated kind", float64(c.open))
	v.prefix = ""
}

// whole adds what only kinds of pages are told by. Blocks that are judged by these, too, are judged worse on
// pages of other sites.
func (p *Page) whole(v *vector) {
	p.page(v)
	c := &p.counts
	p.articlePage(v)
	p.shares(v)
	for k, a := range counted {
		if v.names != nil {
			v.prefix = "page: number of " + a.String()
		}
		v.add("", float64(c.tags[k]))
	}
	for k, kind := range linkedTypes {
		if v.names != nil {
			v.prefix = "page: states " + kind
		}
		v.is("", c.types>>k&1 == 1)
	}
	v.prefix = ""
}

// AppendPage appends the numbers of the page as a whole to values.
func (p *Page) AppendPage(values []float32) []float32 {
	v := vector{values: values}
	p.whole(&v)
	return v.values
}

// PageNumbers is how many numbers AppendPage appends.
func PageNumbers() int { return len(pageNames()) }
