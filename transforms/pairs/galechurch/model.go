package galechurch

import "math"

// kind is a kind of bead: how many runs of either text it has.
type kind struct{ a, b int }

var kinds = [...]kind{{1, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 1}}

// model says how a translation comes about.
type model struct {
	ratio    float64 // of lengths, b to a
	variance float64 // of the length of b by a character of a's share
	prior    [len(kinds)]float64
	near     gaussian // distances of vectors
}

// newModel returns what Gale and Church measured, with more sentences that only one text has.
func newModel() model {
	m := model{ratio: 1, variance: 6.8, near: near}
	for k, p := range [...]float64{.83, .05, .05, .035, .035} {
		m.prior[k] = math.Log(p)
	}
	return m
}

// tally is what a run over all alignments expects.
type tally struct {
	beads                [len(kinds)]float64
	lengthA, lengthB     float64 // in beads of both texts
	deviation, deviating float64 // squares of deviations by a character, and their number
	near                 distances
}

// weight is that of what is known before, in beads.
const weight = 10

// learn takes the parameters from expectations, held to what they may be: a few sentences tell little.
func (m *model) learn(x *lattice) {
	t, total := &x.tally, 0.
	for _, n := range t.beads {
		total += n
	}
	start := newModel()
	for k := range m.prior {
		m.prior[k] = math.Log((t.beads[k] + weight*math.Exp(start.prior[k])) / (total + weight))
	}
	m.ratio = min(3, max(1./3, (t.lengthB+1000)/(t.lengthA+1000)))
	m.near = t.near.distribution(near)
	m.variance = min(50, max(3, (t.deviation+weight*start.variance)/(t.deviating+weight)))
}

const (
	// together is the share of paragraphs that begin where those of the translation begin.
	together = .8
	// beginnings is the share of sentences that begin a paragraph.
	beginnings = .4
)

var (
	bothBegin    = math.Log((together + (1-together)*beginnings) / beginnings)
	oneBegins    = math.Log(1 - together)
	neitherBegin = math.Log((1 - beginnings*(1-together)) / (1 - beginnings))
)

// beginning is the evidence of whether the sides of a bead begin paragraphs.
func beginning(a, b bool) float64 {
	switch {
	case a != b:
		return oneBegins
	case a:
		return bothBegin
	}
	return neitherBegin
}
