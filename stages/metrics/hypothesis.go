package metrics

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/zeebo/xxh3"
)

// Hypothesis names what the difference of two models is computed from: the same items, by the same metrics,
// with weights in the same proportions. Figures that are equal by construction have one: a part, and the means of
// this part alone; the plain and the weighted mean of parts of one size; a share and its error rate.
type Hypothesis [16]byte

// Hypothesis returns that of two models, by their places among c.Models, in whatever order. Its cost is that of reading the
// items once.
func (c Composition) Hypothesis(a, b int) Hypothesis {
	weights := map[Hypothesis]float64{}
	for t, term := range c.Terms {
		sides := [2]Hypothesis{c.side(t, a), c.side(t, b)}
		slices.SortFunc(sides[:], compareHypotheses)
		hash := xxh3.New()
		write := func(data []byte) { _, _ = hash.Write(data) } // a hash takes all
		write(binary.LittleEndian.AppendUint64(nil, uint64(term.Metric)))
		write(sides[0][:])
		write(sides[1][:])
		weights[hash.Sum128().Bytes()] += term.Weight
	}
	terms := make([]Hypothesis, 0, len(weights))
	for name := range weights {
		terms = append(terms, name)
	}
	slices.SortFunc(terms, compareHypotheses)
	hash := xxh3.New()
	for _, name := range terms {
		// A multiple of a figure, its negative too, has the same p value. Weights may differ by rounding.
		_, _ = hash.Write(fmt.Appendf(name[:], " %.9f\n", weights[name]/weights[terms[0]]))
	}
	return hash.Sum128().Bytes()
}

// side is the hash of what a model made of the items of a term, and of these.
func (c Composition) side(term, model int) Hypothesis {
	hash := xxh3.New()
	var b []byte
	number := func(x uint64) {
		if b = binary.LittleEndian.AppendUint64(b, x); len(b) >= 1<<12 {
			_, _ = hash.Write(b)
			b = b[:0]
		}
	}
	for _, g := range c.groups[term] {
		for _, list := range [][]uint64{c.all[g].A, c.all[g].B} {
			for _, text := range list {
				number(text)
			}
		}
	}
	for _, x := range c.Terms[term].Gold {
		number(math.Float64bits(x))
	}
	for _, run := range c.Terms[term].Scores[model] {
		for _, x := range run {
			number(math.Float64bits(x))
		}
	}
	_, _ = hash.Write(b)
	return hash.Sum128().Bytes()
}

func compareHypotheses(a, b Hypothesis) int { return cmp.Compare(string(a[:]), string(b[:])) }
