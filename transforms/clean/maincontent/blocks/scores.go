package blocks

// Scores are what a Linear model says of the blocks of a page, and the means of that over
// neighbours, elements and groups, weighted by words.
type Scores struct {
	blocks   []float64
	sums     []float64 // score times weight of the blocks before, and one more
	weights  []float64
	elements []mean
	groups   []mean
	sections []mean // by the block of the heading; the first is that of none
}

// mean is a weighted mean.
type mean struct{ sum, weight float64 }

func (m *mean) add(score, weight float64) {
	m.sum += float64(score * weight)
	m.weight += weight
}

func (m mean) value() float64 { return m.sum / max(m.weight, .1) }

// Scores applies the model to a page.
func (l *Linear) Scores(p *Page) *Scores { return p.scored(l.scores(p)) }

// leastWeight is what a block weighs beside its words.
const leastWeight = 1

// scored adds up scores.
func (p *Page) scored(list []float64) *Scores {
	s := new(Scores)
	s.fill(p, list)
	return s
}

// fill is scored, in the memory of s.
func (s *Scores) fill(p *Page, list []float64) {
	*s = Scores{
		blocks: list, sums: zeros(s.sums, len(list)+1), weights: zeros(s.weights, len(list)+1),
		elements: zeros(s.elements, len(p.elements)), groups: zeros(s.groups, len(p.groups)), sections: zeros(s.sections, len(list)+1),
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		weight := b.words + leastWeight
		s.sums[i+1] = s.sums[i] + float64(list[i]*weight)
		s.weights[i+1] = s.weights[i] + weight
		s.elements[b.container].add(list[i], weight)
		s.groups[b.group].add(list[i], weight)
		s.sections[b.section+1].add(list[i], weight)
	}
	for i := len(p.elements) - 1; i > 0; i-- {
		if parent := p.elements[i].parent; parent >= 0 {
			s.elements[parent].sum += s.elements[i].sum
			s.elements[parent].weight += s.elements[i].weight
		}
	}
}

// window is the mean of the blocks from i-distance to i+distance.
func (s *Scores) window(i, distance int) float64 {
	from, to := max(0, i-distance), min(len(s.blocks), i+distance+1)
	return (s.sums[to] - s.sums[from]) / max(s.weights[to]-s.weights[from], .1)
}
