package blocks

// rules are what two cheap extractors without a model say of a page, each in one pass.
type rules struct {
	// top is the element with the most prose, and topEnd the first one behind what it
	// holds; -1 if there is none.
	top, topEnd int32
	points      []float64 // of elements
	// from and to are the blocks of the densest part.
	from, to int
	words    float64 // of these
}

// Points of a paragraph for the elements around it, as in Readability (Arc90): one, one for
// each comma, and one for each hundred characters, at most three.
const (
	leastParagraph = 25 // characters
	mostLengths    = 3
)

// topContainer finds the element that holds the most prose. A paragraph gives its points
// to the element around it, half of them to the next one, and a third to that after it;
// links lower those of an element.
func (p *Page) topContainer() {
	r := &p.rules
	r.top, r.topEnd = -1, -1
	r.points = zeros(r.points, len(p.elements))
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.characters < leastParagraph || b.linked*2 > b.words {
			continue
		}
		points := 1 + float64(b.commas) + min(mostLengths, float64(b.characters)/100)
		container := b.container
		for _, part := range []float64{1, 2, 3} {
			if container = p.up(container); container < 0 {
				break
			}
			r.points[container] += points / part
		}
	}
	best := 0.0
	for i := range p.elements {
		e := &p.elements[i]
		r.points[i] = float64(r.points[i] * (1 - e.linked/max(1, e.words)))
		if r.points[i] > best {
			best, r.top = r.points[i], int32(i)
		}
	}
	if r.top < 0 {
		return
	}
	for i := range r.points {
		r.points[i] /= best
	}
	for r.topEnd = r.top + 1; int(r.topEnd) < len(p.elements) && p.elements[r.topEnd].parent >= r.top; r.topEnd++ {
	}
}

// blockCost is what a block costs in words: the densest part of a page is the run of blocks
// that has the most words, less twice those in links, less these.
const blockCost = 7

// densest finds the densest part, by the maximum subsequence (Pasternack and Roth 2009).
func (p *Page) densest() {
	best, sum, start := 0.0, 0.0, 0
	for i := range p.blocks {
		b := &p.blocks[i]
		if sum <= 0 {
			sum, start = 0, i
		}
		sum += b.words - 2*b.linked - blockCost
		if sum > best {
			best, p.rules.from, p.rules.to = sum, start, i+1
		}
	}
	for i := p.rules.from; i < p.rules.to; i++ {
		p.rules.words += p.blocks[i].words
	}
}

// verdicts adds what the two say of a block.
func (p *Page) verdicts(v *vector, i int) {
	r := &p.rules
	container := p.blocks[i].container
	v.is("in the element with most prose", container >= r.top && container < r.topEnd)
	prose, level := 0.0, 0
	for container = p.up(container); container >= 0 && level < 3; container = p.up(container) {
		prose = max(prose, r.points[container])
		level++
	}
	v.add("prose of the elements around", prose)
	share := 0.0
	if r.top >= 0 {
		share = p.elements[r.top].words / max(1, p.counts.words)
	}
	v.add("share of the element with most prose", share)
	distance := 0
	if i < r.from {
		distance = r.from - i
	} else if i >= r.to {
		distance = r.to - i - 1
	}
	v.add("blocks to the densest part", float64(distance))
	v.add("blocks of the densest part", float64(r.to-r.from))
}
