package learner

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// parts is into how many parts the text is cut, whose sums are added in order.
const parts = 16

// sum adds up over all segments what work adds to the value of each piece, and returns what work returns, times the count, as a sum, too.
func (m *model) sum(ctx context.Context, work func(l *lattice, s segment, values []float64) float64) (values []float64, total float64,
	err error) {
	var lists [parts][]float64
	var totals [parts]float64
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() {
			l := &lattice{model: m}
			lists[i] = make([]float64, len(m.pieces))
			for n, s := range m.segments[len(m.segments)*i/parts : len(m.segments)*(i+1)/parts] {
				if n%1024 == 0 && ctx.Err() != nil {
					return
				}
				totals[i] += float64(s.count) * work(l, s, lists[i])
			}
		})
	}
	group.Wait()
	for i := range parts {
		total += totals[i]
		for id, value := range lists[i] {
			if i > 0 {
				lists[0][id] += value
			}
		}
	}
	return lists[0], total, ctx.Err()
}

// expect is the E step: how often each piece is expected in the text, and how many pieces the best segmentations have for a word.
func (m *model) expect(ctx context.Context) (expected []float64, perWord float64, err error) {
	expected, total, err := m.sum(ctx, func(l *lattice, s segment, values []float64) float64 {
		l.best(s.start, s.end, false)
		l.expect(s, values)
		return float64(l.pieces())
	})
	return expected, total / float64(m.words), err
}

// maximize is the M step, with the sparse prior of SentencePiece: digamma in the place of the logarithm, and rare pieces go.
func (m *model) maximize(expected []float64) {
	keep := make([]bool, len(m.pieces))
	sum := 0.
	for id, n := range expected {
		if keep[id] = n >= leastExpected && !m.pieces[id].lost; keep[id] {
			sum += n
		}
	}
	for id := range m.pieces {
		if keep[id] {
			m.pieces[id].score = digamma(expected[id]) - digamma(sum)
		}
	}
	m.retain(keep)
}

// digamma is the derivative of the logarithm of the gamma function, by its asymptotic series.
func digamma(x float64) (result float64) {
	for ; x < 7; x++ {
		result -= 1 / x
	}
	x -= .5
	inverse := 1 / (x * x)
	return result + math.Log(x) + inverse*(1./24+inverse*(-7./960+inverse*(31./8064-inverse*127/30720)))
}

// retain drops pieces, but that characters that are dropped become lost.
func (m *model) retain(keep []bool) {
	ids := make([]int32, len(m.pieces)) // in the place of old ones: of those that are dropped, that of the next shorter piece
	n := int32(0)
	for id, p := range m.pieces {
		if p.parent != noPiece {
			p.parent = ids[p.parent]
		}
		if p.lost = !keep[id]; p.lost && p.length > 1 {
			ids[id] = p.parent
			continue
		}
		if p.length == 1 {
			m.characters[m.symbols[p.place]] = n
		}
		ids[id] = n
		m.pieces[n] = p
		n++
	}
	m.pieces = m.pieces[:n]
	for place, id := range m.longest {
		if id != noPiece {
			m.longest[place] = ids[id]
		}
	}
	unknown := m.least() - unknownPenalty
	for id := range m.pieces {
		if m.pieces[id].lost {
			m.pieces[id].score = unknown
		}
	}
}

// least is the least score of a piece.
func (m *model) least() float64 {
	least := 0.
	for _, p := range m.pieces {
		if !p.lost {
			least = min(least, p.score)
		}
	}
	return least
}

// size counts the pieces.
func (m *model) size() (n int) {
	for _, p := range m.pieces {
		if !p.lost {
			n++
		}
	}
	return n
}

// prune keeps so many pieces: those that have no other segmentation, and those without which the likelihood of the text would be lowest, if
// their next best segmentation stood for each of them. Pieces that no best segmentation has are dropped.
func (m *model) prune(ctx context.Context, size int) error {
	counts, _, err := m.sum(ctx, func(l *lattice, s segment, values []float64) float64 {
		l.best(s.start, s.end, false)
		for id := range l.path() {
			values[id] += float64(s.count)
		}
		return 0
	})
	if err != nil {
		return err
	}
	total := 0.
	for _, n := range counts {
		total += n
	}
	type candidate struct {
		id   int
		loss float64
	}
	var candidates []candidate
	keep := make([]bool, len(m.pieces))
	kept := 0
	l := &lattice{model: m}
	for id, p := range m.pieces {
		switch {
		case counts[id] == 0 || p.lost:
			continue
		case p.length == 1:
			keep[id] = true
			kept++
			continue
		}
		if l.best(p.place, p.place+p.length, true); l.scores[p.length] > p.score {
			continue // a word that holds it has others
		}
		replacement, n := 0., 0.
		for alternative := range l.path() {
			replacement += math.Log(counts[alternative] + counts[id])
			n++
		}
		replacement -= n * math.Log(total+counts[id]*(n-1))
		candidates = append(candidates, candidate{id, counts[id] * (math.Log(counts[id]) - math.Log(total) - replacement)})
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.loss, a.loss), cmp.Compare(a.id, b.id)) })
	for _, c := range candidates[:max(0, min(size-kept, len(candidates)))] {
		keep[c.id] = true
	}
	m.retain(keep)
	return nil
}
