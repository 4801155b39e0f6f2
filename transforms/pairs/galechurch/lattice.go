package galechurch

import (
	"math"
	"slices"
)

// span is a range of columns, both ends included.
type span struct{ first, last int }

// corridor has the columns of each row, which are places between runs.
type corridor []span

const (
	// negligible is the logarithm of the probability below which a place takes no part.
	negligible = -20
	// margin are the columns beside those that were likely, for runs that were cut elsewhere.
	margin = 4
	// widest is the greatest number of columns of a row.
	widest = 256
)

// lattice holds the alignments of a level within a corridor.
type lattice struct {
	*level
	corridor corridor
	start    []int // of each row in the slices below
	gains    []float32
	cosines  []float32 // nil without vectors
	far      gaussian  // distances of strangers
	forward  []float64
	backward []float64
	tally    tally
	beads    []Bead
}

func newLattice(l *level, c corridor) *lattice {
	n, m := len(l.a.lengths), len(l.b.lengths)
	if c == nil {
		c = slices.Repeat(corridor{{0, m}}, n+1)
	}
	x := &lattice{level: l, corridor: c, start: make([]int, n+2)}
	for i, s := range c {
		x.start[i+1] = x.start[i] + s.last - s.first + 1
	}
	size := x.start[n+1]
	x.gains, x.forward, x.backward = make([]float32, size), make([]float64, size), make([]float64, size)
	x.share()
	x.compare()
	return x
}

// share adds up the evidence of words, for the run before each row with the run before each column.
func (x *lattice) share() {
	places := make([][]int32, len(x.gain))
	for j, list := range x.b.words {
		for _, w := range list {
			places[w] = append(places[w], int32(j))
		}
	}
	for i, list := range x.a.words {
		s := x.corridor[i+1]
		row := x.gains[x.start[i+1]:]
		for _, w := range list {
			from, _ := slices.BinarySearch(places[w], int32(s.first-1))
			for _, j := range places[w][from:] {
				if int(j)+1 > s.last {
					break
				}
				row[int(j)+1-s.first] += float32(x.gain[w])
			}
		}
	}
}

// index returns the place of a row and a column, or -1.
func (x *lattice) index(i, j int) int {
	if i < 0 || j < 0 {
		return -1
	}
	s := x.corridor[i]
	if j < s.first || j > s.last {
		return -1
	}
	return x.start[i] + j - s.first
}

func (x *lattice) gainAt(i, j int) float64 {
	if p := x.index(i, j); p >= 0 {
		return float64(x.gains[p])
	}
	return 0
}

// evidence is that for a bead of a kind that ends before row i and column j.
func (x *lattice) evidence(m *model, k kind, i, j, place int) float64 {
	if k.a == 0 || k.b == 0 {
		return 0
	}
	la, lb := x.a.lengths[i-1], x.b.lengths[j-1]
	e := x.a.absent[i-1] + x.b.absent[j-1] + float64(x.gains[place]) - x.b.strange[j-1]
	firstA, firstB := i-1, j-1
	switch {
	case k.a == 2:
		firstA--
		la += x.a.lengths[firstA]
		e += x.a.absent[firstA] + x.gainAt(i-1, j)
	case k.b == 2:
		firstB--
		lb += x.b.lengths[firstB]
		e += x.b.absent[firstB] + x.gainAt(i, j-1) - x.b.strange[firstB] - math.Log(lb)
	}
	expected := m.ratio * la
	v := m.variance * (expected + 5)
	d := lb - expected
	e += -d*d/(2*v) - math.Log(v)/2 - halfLogTau
	if x.a.begins != nil {
		if k.a == 2 && x.a.begins[i-1] || k.b == 2 && x.b.begins[j-1] {
			return math.Inf(-1)
		}
		e += beginning(x.a.begins[firstA], x.b.begins[firstB])
	}
	if x.cosines != nil {
		e += x.likeness(m, x.distance(k, i, j))
	}
	return e
}

// run computes the probabilities of all places and beads.
func (x *lattice) run(m *model) {
	n, columns := len(x.a.lengths), len(x.b.lengths)
	for i := range n + 1 {
		s := x.corridor[i]
		for j := s.first; j <= s.last; j++ {
			place := x.index(i, j)
			if i == 0 && j == 0 {
				x.forward[place] = 0
				continue
			}
			var terms [len(kinds)]float64
			greatest := math.Inf(-1)
			for k, kind := range kinds {
				terms[k] = math.Inf(-1)
				p := x.index(i-kind.a, j-kind.b)
				if p < 0 || math.IsInf(x.forward[p], -1) {
					continue
				}
				terms[k] = x.forward[p] + m.prior[k] + x.evidence(m, kind, i, j, place)
				greatest = max(greatest, terms[k])
			}
			if math.IsInf(greatest, -1) {
				x.forward[place] = greatest
				continue
			}
			sum := 0.
			for _, t := range terms {
				if t > greatest-40 {
					sum += math.Exp(t - greatest)
				}
			}
			x.forward[place] = greatest + math.Log(sum)
		}
	}
	for i := range x.backward {
		x.backward[i] = math.Inf(-1)
	}
	x.tally, x.beads = tally{}, x.beads[:0]
	total := x.forward[x.index(n, columns)]
	x.backward[x.index(n, columns)] = 0
	for i := n; i >= 0; i-- {
		s := x.corridor[i]
		for j := s.last; j >= s.first; j-- {
			place := x.index(i, j)
			if x.forward[place]+x.backward[place]-total < negligible {
				continue
			}
			for k, kind := range kinds {
				p := x.index(i-kind.a, j-kind.b)
				if p < 0 || math.IsInf(x.forward[p], -1) {
					continue
				}
				t := m.prior[k] + x.evidence(m, kind, i, j, place) + x.backward[place]
				x.backward[p] = add(x.backward[p], t)
				if posterior := x.forward[p] + t - total; posterior > negligible {
					x.count(m, k, i, j, math.Exp(posterior))
				}
			}
		}
	}
	slices.Reverse(x.beads)
}

func add(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) || b < a-40 {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// count takes a bead that ends before row i and column j into the tally, and keeps it where it is likely.
func (x *lattice) count(m *model, k, i, j int, probability float64) {
	t, kind := &x.tally, kinds[k]
	t.beads[k] += probability
	if kind.a == 0 || kind.b == 0 {
		return
	}
	la, lb := 0., 0.
	for _, l := range x.a.lengths[i-kind.a : i] {
		la += l
	}
	for _, l := range x.b.lengths[j-kind.b : j] {
		lb += l
	}
	t.lengthA += probability * la
	t.lengthB += probability * lb
	d := lb - m.ratio*la
	t.deviation += probability * d * d / (m.ratio*la + 5)
	t.deviating += probability
	if x.cosines != nil {
		if d := x.distance(kind, i, j); !math.IsNaN(d) {
			t.near.add(d, probability)
		}
	}
	if probability > .5 {
		x.beads = append(x.beads, Bead{i - kind.a, i, j - kind.b, j, min(1, probability)})
	}
}

// refine returns the corridor of a level with runs of half the length.
func (x *lattice) refine(finer *level) corridor {
	n, m := len(finer.a.lengths), len(finer.b.lengths)
	total := x.forward[len(x.forward)-1]
	likely := make(corridor, len(x.corridor))
	for i, s := range x.corridor {
		likely[i] = span{s.last + 1, s.first - 1}
		best, greatest := s.first, math.Inf(-1)
		for j := s.first; j <= s.last; j++ {
			p := x.index(i, j)
			g := x.forward[p] + x.backward[p] - total
			if g > greatest {
				best, greatest = j, g
			}
			if g > negligible {
				likely[i].first, likely[i].last = min(likely[i].first, j), j
			}
		}
		likely[i].first = min(best, max(likely[i].first, best-widest/4))
		likely[i].last = max(best, min(likely[i].last, best+widest/4))
	}
	c := make(corridor, n+1)
	for i := range c {
		s, t := likely[i/2], likely[(i+1)/2]
		c[i] = span{max(0, 2*min(s.first, t.first)-margin), min(m, 2*max(s.last, t.last)+margin)}
	}
	c[0].first, c[n].last = 0, m
	for i := 1; i <= n; i++ {
		c[i].first = max(c[i-1].first, min(c[i].first, c[i-1].last))
	}
	for i := n - 1; i >= 0; i-- {
		c[i].last = min(c[i+1].last, max(c[i].last, c[i+1].first))
	}
	return c
}
