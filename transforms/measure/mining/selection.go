package mining

import (
	"cmp"
	"slices"

	"sentweave/transforms/measure/neighbors"
)

// Mean is the mean cosine of a neighbourhood, 0 of one without neighbours.
func Mean(list []neighbors.Neighbor) (mean float64) {
	for _, x := range list {
		mean += x.Similarity / float64(len(list))
	}
	return mean
}

// Score compares a cosine with the means of both sentences' neighbourhoods.
func (m Margin) Score(cosine, a, b float64) float64 {
	mean := (a + b) / 2
	switch {
	case m == Absolute:
		return cosine
	case m == Distance:
		return cosine - mean
	case mean <= 0:
		return 0
	}
	return cosine / mean
}

// Choose returns the place in a neighbourhood of the sentence with the greatest score, the first of
// equal ones, and that score. Mean is that of the neighbourhood, meanOf gives that of a sentence in it.
// The neighbourhood must not be empty.
func (m Margin) Choose(list []neighbors.Neighbor, mean float64, meanOf func(index int) float64) (place int, score float64) {
	for i, x := range list {
		if s := m.Score(x.Similarity, mean, meanOf(x.Index)); i == 0 || s > score {
			place, score = i, s
		}
	}
	return place, score
}

// Candidate is the pair of a sentence with the one that Choose chose for it: for the source, or
// Backward for the target.
type Candidate struct {
	Pair
	Backward bool
}

// Compare orders candidates as a Selection takes them: by score, the greatest first, then by source
// and target.
func (c Candidate) Compare(d Candidate) int {
	direction := func(backward bool) int {
		if backward {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(d.Score, c.Score), cmp.Compare(c.Source, d.Source), cmp.Compare(c.Target, d.Target),
		direction(c.Backward)-direction(d.Backward))
}

// Selection finds the pairs among candidates. It holds a bit for each sentence.
type Selection struct {
	retrieval        Retrieval
	sources, targets Bits
	last             Candidate
}

// NewSelection returns the selection among candidates of so many sources and targets.
func NewSelection(retrieval Retrieval, sources, targets int) *Selection {
	return &Selection{retrieval: retrieval, sources: NewBits(sources), targets: NewBits(targets), last: Candidate{Pair: Pair{Source: -1}}}
}

// Take says whether a candidate is a pair. Candidates come in their order.
func (s *Selection) Take(c Candidate) bool {
	switch s.retrieval {
	case Forward:
		return !c.Backward
	case Backward:
		return c.Backward
	case Intersect: // both directions give a pair the same score, so they follow each other
		last := s.last
		s.last = c
		return c.Backward && !last.Backward && last.Source == c.Source && last.Target == c.Target
	}
	if c.Score <= 0 || s.sources.Has(c.Source) || s.targets.Has(c.Target) {
		return false
	}
	s.sources.Set(c.Source)
	s.targets.Set(c.Target)
	return true
}

// Bits is a set of places.
type Bits []uint64

// NewBits returns an empty set of places below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has says whether the set has a place.
func (b Bits) Has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

// Set adds a place.
func (b Bits) Set(i int) { b[i/64] |= 1 << (i % 64) }

// Tuning finds the threshold that gives the best F1, among pairs that come one after another, the
// greatest score first.
type Tuning struct {
	gold      int
	score     float64
	sum, best Figures
	threshold float64
}

// NewTuning returns the tuning for so many true pairs.
func NewTuning(gold int) *Tuning { return &Tuning{gold: gold} }

// Add takes the next pair.
func (t *Tuning) Add(score float64, correct bool) {
	if t.sum.Extracted > 0 && score != t.score {
		t.settle((t.score + score) / 2)
	}
	t.score = score
	t.sum.Extracted++
	if correct {
		t.sum.Correct++
	}
}

func (t *Tuning) settle(threshold float64) {
	if t.sum.fill(t.gold); t.sum.F1 > t.best.F1 {
		t.best, t.threshold = t.sum, threshold
	}
}

// Best returns the threshold, half way between the last pair that is taken and the first that is
// not, with its figures; the highest of equally good ones. Ok is false where no pair is right: then
// there is none.
func (t *Tuning) Best() (threshold float64, f Figures, ok bool) {
	if t.sum.Extracted > 0 {
		t.settle(t.score)
	}
	return t.threshold, t.best, t.best.Correct > 0
}

// candidates are those of all sentences, in their order.
func (n *Neighborhoods) candidates(margin Margin) (list []Candidate) {
	for source, mean := range n.forwards {
		near := n.forward[source*n.perSource:][:n.perSource]
		place, score := margin.Choose(near, mean, func(target int) float64 { return n.backwards[target] })
		list = append(list, Candidate{Pair{source, near[place].Index, score}, false})
	}
	for target, mean := range n.backwards {
		near := n.backward[target*n.perTarget:][:n.perTarget]
		place, score := margin.Choose(near, mean, func(source int) float64 { return n.forwards[source] })
		list = append(list, Candidate{Pair{near[place].Index, target, score}, true})
	}
	slices.SortFunc(list, Candidate.Compare)
	return list
}
