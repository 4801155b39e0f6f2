package galechurch

import (
	"math"
	"slices"
)

// side is one of the texts, as runs of sentences.
type side struct {
	lengths []float64
	words   [][]int32 // of those that both texts have, ascending and once each
	begins  []bool    // nil where runs are longer than sentences
	// strange are the logarithms of the densities of the lengths, in any text.
	strange []float64
	// absent are halves of the evidence that nothing of words is in the other text's run.
	absent []float64
	// vectors are at unit length, nil for a run without one; sums are the lengths of the sum of a vector and the one before.
	// Both are nil if no run has a vector.
	vectors [][]float32
	sums    []float64
}

// level is both texts at one resolution.
type level struct {
	a, b side
	gain []float64 // evidence of a word that both sides of a bead have, by word
}

func newLevel(a, b []Sentence) *level {
	l := &level{a: newSide(a), b: newSide(b)}
	ids := map[uint64]int32{}
	for _, s := range a {
		for _, w := range s.Words {
			ids[w] = -1
		}
	}
	next := int32(0)
	for i, s := range b {
		for _, w := range s.Words {
			id, ok := ids[w]
			if !ok {
				continue
			}
			if id < 0 {
				id = next
				ids[w] = id
				next++
			}
			l.b.words[i] = append(l.b.words[i], id)
		}
		l.b.words[i] = unique(l.b.words[i])
	}
	for i, s := range a {
		for _, w := range s.Words {
			if id := ids[w]; id >= 0 {
				l.a.words[i] = append(l.a.words[i], id)
			}
		}
		l.a.words[i] = unique(l.a.words[i])
	}
	l.weigh(int(next))
	return l
}

func newSide(sentences []Sentence) side {
	s := side{lengths: make([]float64, len(sentences)), words: make([][]int32, len(sentences)), begins: make([]bool, len(sentences))}
	for i, x := range sentences {
		s.lengths[i], s.begins[i] = max(1, x.Length), x.Begins
	}
	s.setVectors(centre(sentences))
	return s
}

func unique(ids []int32) []int32 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// halve returns the level of runs that are twice as long.
func (l *level) halve() *level {
	h := &level{a: l.a.halve(), b: l.b.halve()}
	h.weigh(len(l.gain))
	return h
}

func (s *side) halve() side {
	n := (len(s.lengths) + 1) / 2
	h := side{lengths: make([]float64, n), words: make([][]int32, n)}
	for i := range n {
		h.lengths[i], h.words[i] = s.lengths[2*i], s.words[2*i]
		if k := 2*i + 1; k < len(s.lengths) {
			h.lengths[i] += s.lengths[k]
			h.words[i] = unique(slices.Concat(s.words[2*i], s.words[k]))
		}
	}
	if s.vectors != nil {
		vectors := make([][]float32, n)
		for i := range s.vectors {
			vectors[i/2] = merge(vectors[i/2], s.vectors[i])
		}
		h.setVectors(vectors)
	}
	return h
}

// repeated is the probability that a translation has a word that both texts have equally often.
const repeated = .85

// weigh finds the evidence that words and lengths give.
func (l *level) weigh(words int) {
	l.gain = make([]float64, words)
	inA, inB := l.a.count(words), l.b.count(words)
	absentA, absentB := make([]float64, words), make([]float64, words)
	n, m := float64(len(l.a.lengths)), float64(len(l.b.lengths))
	for w := range l.gain {
		x, y := inA[w], inB[w]
		q := repeated * min(x, y) / max(x, y)
		p, r := y/m, x/n // by chance
		if q < 2*max(p, r) {
			continue // it tells too little
		}
		absentA[w], absentB[w] = math.Log((1-q)/(1-p))/2, math.Log((1-q)/(1-r))/2
		l.gain[w] = math.Log(q/p)/2 - absentA[w] + math.Log(q/r)/2 - absentB[w]
	}
	l.a.weigh(l.gain, absentA)
	l.b.weigh(l.gain, absentB)
}

func (s *side) count(words int) []float64 {
	n := make([]float64, words)
	for _, list := range s.words {
		for _, w := range list {
			n[w]++
		}
	}
	return n
}

func (s *side) weigh(gain, absent []float64) {
	s.absent = make([]float64, len(s.lengths))
	mean, square := 0., 0.
	for i, list := range s.words {
		list = slices.DeleteFunc(slices.Clone(list), func(w int32) bool { return gain[w] == 0 })
		for _, w := range list {
			s.absent[i] += absent[w]
		}
		s.words[i] = list
		x := math.Log(s.lengths[i])
		mean += x
		square += x * x
	}
	n := float64(len(s.lengths))
	mean /= n
	deviation := math.Sqrt(max(.1, square/n-mean*mean))
	s.strange = make([]float64, len(s.lengths))
	for i, length := range s.lengths {
		x := math.Log(length)
		z := (x - mean) / deviation
		s.strange[i] = -z*z/2 - x - math.Log(deviation) - halfLogTau
	}
}

var halfLogTau = math.Log(2*math.Pi) / 2
