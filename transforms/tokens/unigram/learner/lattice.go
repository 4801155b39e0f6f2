package learner

import (
	"iter"
	"math"
	"slices"
)

// lattice is the segmentations of symbols into pieces. Its memory is used again.
type lattice struct {
	*model
	// scores are the greatest sums of scores up to each symbol, last the pieces that end there in them.
	scores []float64
	last   []int32
	// forward and backward are the sums over all segmentations up to a symbol, and from it on, of probabilities over that of the best way
	// to the symbol: they neither underflow nor, with 512 symbols, overflow.
	forward, backward []float64
	edges             []edge
}

// edge is a piece from a symbol to another one, with its probability over that of the best way between them.
type edge struct {
	from, to, id int32
	weight       float64
}

// best finds the segmentation of the symbols [start, end) with the greatest sum of scores, of equal ones that whose last piece begins
// first; if divided, the best one of more than one piece.
func (l *lattice) best(start, end int32, divided bool) {
	n := end - start
	l.scores = append(slices.Grow(l.scores[:0], int(n)+1), 0)
	for range n {
		l.scores = append(l.scores, math.Inf(-1))
	}
	l.last = slices.Grow(l.last[:0], int(n)+1)[:n+1]
	for from := range n {
		score := l.scores[from]
		for id := l.longest[start+from]; id != noPiece; {
			p := &l.model.pieces[id]
			if to := from + p.length; to <= n && (!divided || p.length < n) {
				if sum := score + p.score; sum > l.scores[to] {
					l.scores[to], l.last[to] = sum, id
				}
			}
			id = p.parent
		}
	}
}

// path yields the pieces of the best segmentation from its end.
func (l *lattice) path() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for end := int32(len(l.scores) - 1); end > 0; {
			id := l.last[end]
			if !yield(id) {
				return
			}
			end -= l.model.pieces[id].length
		}
	}
}

// pieces counts those of the best segmentation.
func (l *lattice) pieces() (n int) {
	for range l.path() {
		n++
	}
	return n
}

// expect adds the expected counts of pieces in a segment, whose best segmentation was found.
func (l *lattice) expect(s segment, expected []float64) {
	n := s.end - s.start
	l.forward, l.backward = slices.Grow(l.forward[:0], int(n)+1)[:n+1], slices.Grow(l.backward[:0], int(n)+1)[:n+1]
	clear(l.forward)
	clear(l.backward)
	l.forward[0], l.backward[n] = 1, 1
	l.edges = l.edges[:0]
	for from := range n {
		for id := l.longest[s.start+from]; id != noPiece; {
			p := &l.model.pieces[id]
			to := from + p.length
			weight := math.Exp(l.scores[from] + p.score - l.scores[to])
			l.edges = append(l.edges, edge{from, to, id, weight})
			l.forward[to] += l.forward[from] * weight
			id = p.parent
		}
	}
	scale := float64(s.count) / l.forward[n]
	for _, e := range slices.Backward(l.edges) {
		rest := e.weight * l.backward[e.to]
		l.backward[e.from] += rest
		expected[e.id] += scale * l.forward[e.from] * rest
	}
}
