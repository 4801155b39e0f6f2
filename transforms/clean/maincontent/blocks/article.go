package blocks

import "golang.org/x/net/html/atom"

// Bits of words in the names of classes and ids that an extractor goes by, above those of families.
const (
	wordDropped = 1 << (iota + familyCount) // what else than content is there
	wordReaders                             // of these, what readers write
	wordSubject                             // what a page is about: article, post …
	wordContent                             // content, body …
)

// articleWords are the words with these bits.
var articleWords = map[uint32]string{
	wordDropped | wordReaders: `comment comments disqus replies respond reply`,
	wordDropped: `nav navbar navigation menu submenu breadcrumb breadcrumbs pager pagination sidebar sidebars rail
widget widgets footer colophon copyright related recommended recommendation recommendations recirc teaser teasers trending popular outbrain taboola
share sharing social follow facebook twitter promo promos promotion ad ads adv advert advertisement sponsor sponsored cookie cookies consent gdpr
modal popup overlay newsletter newsletters subscribe subscription signup login byline author authors bio avatar tag tags rating ratings caption captions credit
toolbar masthead jump skip noprint hidden timestamp dateline meta metadata info yarpp shariff paywall next prev previous more print`,
	wordSubject: `article articles post posts entry story news blog page main single detail`,
	wordContent: `content contents body text copy`,
	wordSubject | wordContent: `articlebody articletext articlecontent storybody storytext storycontent postbody postcontent posttext entrycontent entrybody maincontent pagecontent
contentbody bodytext bodycontent textcontent newstext newsbody blogcontent`,
}

const (
	// leastArticle is the number of words, and leastArticleShare the share of what is kept on the page,
	// from which an element may hold the article.
	leastArticle      = 60
	leastArticleShare = .15
	// mostDropped is the share of a page's words outside of links above which no name drops them.
	mostDropped = .4
	// A block that is this much in links is dropped, or that much if it has few words.
	mostLinks      = .8
	mostLinksShort = .5
	shortBlock     = 15
)

// articleRules are what an extractor by rules finds, in the manner of Trafilatura (Barbaresi 2021): it
// drops elements by the words of their names, takes the first element whose name or tag says that
// the article is in it, and of that what is not mostly links. On Scrapinghub's articles it
// alone reaches an F1 of .962, Trafilatura itself .960.
type articleRules struct {
	taken *Scores // 1 of blocks that are taken, 0 of others
	// Of the blocks that are taken:
	words, linked  float64
	long, headings int32
	// how is the place, among the ways to find an element, of the one that found it, and around the words of that element.
	how    int
	around float64
}

// findArticle runs the extractor. It takes time in proportion to elements, names and blocks.
func (p *Page) findArticle() {
	a := &p.article
	dropped := p.droppedByName()
	chosen := zeros(a.taken.blocks, len(p.blocks))
	p.prose = zeros(p.prose, len(p.elements))
	prose := p.prose
	for i := range p.blocks {
		b := &p.blocks[i]
		if dropped[b.element] || b.linked > mostLinks*b.words || b.linked > mostLinksShort*b.words && b.words < shortBlock {
			continue
		}
		chosen[i] = 1
		if b.heading == 0 {
			prose[b.container] += b.words
		}
	}
	for i := len(p.elements) - 1; i > 0; i-- {
		if parent := p.elements[i].parent; parent >= 0 {
			prose[parent] += prose[i]
		}
	}
	from, to := p.articleElement(dropped, prose)
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.element < from || b.element >= to {
			chosen[i] = 0
		}
		if chosen[i] == 0 {
			continue
		}
		a.words += b.words
		a.linked += b.linked
		if b.words >= longWords {
			a.long++
		}
		if b.heading > 0 {
			a.headings++
		}
	}
	a.taken.fill(p, chosen)
}

// droppedByName says of each element whether its names, or those around it, say that it is no
// content. Names that hold much of the page, such as those of a site's building blocks, say nothing.
func (p *Page) droppedByName() []bool {
	text := func(e *element) float64 { return e.words - e.linked }
	limit := mostDropped * (p.counts.words - p.counts.linked)
	words := p.held // in elements that are in no other such
	p.dropped = zeros(p.dropped, len(p.elements))
	inside := p.dropped
	for i := range p.elements {
		e := &p.elements[i]
		if inside[i] = e.parent >= 0 && inside[e.parent]; inside[i] || e.said&wordDropped == 0 || text(e) > limit {
			continue
		}
		inside[i] = true
		for _, n := range p.names[e.names[0]:e.names[1]] {
			if familyBits[n.hash]&wordDropped != 0 {
				words[n.hash] += text(e)
			}
		}
	}
	dropped := inside // is used again
	for i := range p.elements {
		e := &p.elements[i]
		ancestors, hidden := e.in, e.hidden
		dropped[i] = false
		if e.parent >= 0 {
			parent := &p.elements[e.parent]
			dropped[i] = dropped[e.parent]
			ancestors, hidden = ancestors&^parent.in, hidden&^parent.hidden
		}
		if e.long*3 > p.counts.long || text(e) > limit {
			continue
		}
		if ancestors&(inNavigation|inFooter|inAside|inDialog) != 0 || hidden&(hiddenAttribute|notDisplayed) != 0 {
			dropped[i] = true
		}
		if e.said&wordDropped == 0 || !e.block || isTag(e, atom.Article, atom.Main, atom.P, atom.Blockquote) {
			continue
		}
		for _, n := range p.names[e.names[0]:e.names[1]] {
			if bits := familyBits[n.hash]; bits&wordReaders != 0 || bits&wordDropped != 0 && words[n.hash] <= limit {
				dropped[i] = true
			}
		}
	}
	return dropped
}

func isTag(e *element, list ...atom.Atom) bool {
	for _, a := range list {
		if e.tag == tagNumbers[a] {
			return true
		}
	}
	return false
}

// articleElement returns the first element in which the article is, and the first one behind what that
// holds; all if there is none.
func (p *Page) articleElement(dropped []bool, prose []float64) (from, to int32) {
	a := &p.article
	if len(p.elements) == 0 {
		return 0, 0
	}
	minimum := max(leastArticle, leastArticleShare*prose[0])
	ways := []func(e *element) bool{
		func(e *element) bool {
			stated := e.item&statedText != 0 && (e.parent < 0 || p.elements[e.parent].item&statedText == 0)
			return e.named || stated && !isTag(e, atom.Article)
		},
		func(e *element) bool { return isTag(e, atom.Article) },
		func(e *element) bool { return e.said&wordContent != 0 },
		func(e *element) bool { return e.in&inMain != 0 },
	}
	for how, matches := range ways {
		for i := range p.elements {
			e := &p.elements[i]
			if dropped[i] || prose[i] < minimum || !e.block || isTag(e, atom.Body, atom.P) || !matches(e) {
				continue
			}
			a.how, a.around = how+1, e.words
			from = int32(i)
			for to = from + 1; int(to) < len(p.elements) && p.elements[to].parent >= from; to++ {
			}
			return from, to
		}
	}
	return 0, int32(len(p.elements))
}

// takenByRules adds what the extractor says of a block and of what is around it.
func (p *Page) takenByRules(v *vector, i int) {
	s := p.article.taken
	v.add("taken by the rules", s.blocks[i])
	for _, distance := range []int{1, 2, 3, -1, -2, -3} {
		verdict := -1.0
		if k := i - distance; k >= 0 && k < len(s.blocks) {
			verdict = s.blocks[k]
		}
		v.named("block before ", distance, ": taken by the rules")
		v.add("", verdict)
	}
	p.means(v, i, s, "share that the rules take", [2]string{"ancestor ", ": share that the rules take"})
}

// articlePage adds what the rules find on the page.
func (p *Page) articlePage(v *vector) {
	a, c := &p.article, &p.counts
	words, long := max(1, c.words), float64(max(1, a.long))
	v.add("words that the rules take", a.words)
	v.add("share that the rules take", a.words/words)
	v.add("share of the text outside of links that the rules take", a.words/max(1, c.words-c.linked))
	v.add("long texts that the rules take", float64(a.long))
	v.add("share of the long texts that the rules take", float64(a.long)/float64(max(1, c.long)))
	v.add("words that the rules take for each long text", a.words/long)
	v.add("headings that the rules take", float64(a.headings))
	v.add("way by which the rules find it", float64(a.how))
	v.add("share of links in what the rules take", a.linked/max(1, a.words))
	v.add("share that the rules take of what is around", a.words/max(1, a.around))
	v.add("share of the densest part", p.rules.words/words)
	share := 0.0
	if p.rules.top >= 0 {
		share = p.elements[p.rules.top].words / words
	}
	v.add("share of the element with most prose", share)
}

// nearFamily is how many block elements a name of a family may be away for a text to count as near it.
const nearFamily = 4

// shares adds how much of the page's text is in elements of each sort, and near names of each family.
func (p *Page) shares(v *vector) {
	var ancestors [32]float64
	var near [familyCount]float64
	for i := range p.blocks {
		b := &p.blocks[i]
		e := &p.elements[b.element]
		for k := range ancestorNames {
			if e.in>>k&1 == 1 {
				ancestors[k] += b.words
			}
		}
		for k := range near {
			if e.near[k] <= nearFamily {
				near[k] += b.words
			}
		}
	}
	words := max(1, p.counts.words)
	for k, name := range ancestorNames {
		v.add("share in "+name, ancestors[k]/words)
	}
	for k := range near {
		v.add("share near a name of "+families[k].name, near[k]/words)
	}
}
