// Package mining finds translations among the sentences of two corpora by the margin of their
// similarity (Artetxe and Schwenk, ACL 2019), and measures what was found as the shared task
// BUCC does (Zweigenbaum et al. 2018).
//
// # Method
//
// It is that of LASER's mine_bitexts.py and bucc.py. The candidates of a sentence are its k
// nearest ones of the other corpus by cosine. The score of two sentences compares their cosine
// with the mean of what both have to their k nearest. Of equal scores the first candidate wins;
// pairs of equal score come in the order of their sources. Three rules are ours where LASER
// gives an error or depends on the order of equal scores: the ratio to a mean that is not above
// 0 is 0; the threshold after the last pair is that pair's score; and a threshold never parts
// pairs of equal score.
package mining

import (
	"errors"
	"fmt"
	"slices"

	"sentweave/transforms/measure/neighbors"
)

// Margin is how a cosine is compared with the mean of its neighbourhoods.
type Margin string

// The margins.
const (
	Ratio    Margin = "ratio"
	Distance Margin = "distance"
	Absolute Margin = "absolute" // the cosine itself
)

// Margins lists them.
func Margins() []Margin { return []Margin{Ratio, Distance, Absolute} }

// Retrieval is which pairs are taken.
type Retrieval string

// The retrievals: the best candidate of each source, of each target, the pairs that are both,
// and of both those that come first by score, each sentence once and with a score above 0.
const (
	Forward   Retrieval = "fwd"
	Backward  Retrieval = "bwd"
	Intersect Retrieval = "intersect"
	Max       Retrieval = "max"
)

// Retrievals lists them.
func Retrievals() []Retrieval { return []Retrieval{Forward, Backward, Intersect, Max} }

// Pair is a source with a target, by their places.
type Pair struct {
	Source, Target int
	Score          float64
}

// Neighborhoods are the nearest sentences of each side among those of the other one, the
// nearest first: as many for each sentence.
type Neighborhoods struct {
	sources, targets     int
	forward, backward    []neighbors.Neighbor
	forwards, backwards  []float64 // mean cosines
	perSource, perTarget int
}

// NewNeighborhoods checks the lists of so many sources and targets.
func NewNeighborhoods(sources, targets int, forward, backward []neighbors.Neighbor) (*Neighborhoods, error) {
	if sources < 1 || targets < 1 {
		return nil, fmt.Errorf("mine %d and %d sentences: want at least one on each side", sources, targets)
	}
	if len(forward)%sources != 0 || len(backward)%targets != 0 || len(forward) == 0 || len(backward) == 0 {
		return nil, fmt.Errorf("mine: %d neighbours for %d sources, %d for %d targets: want as many for each", len(forward), sources,
			len(backward), targets)
	}
	n := &Neighborhoods{sources: sources, targets: targets, forward: forward, backward: backward, perSource: len(forward) / sources,
		perTarget: len(backward) / targets}
	n.forwards, n.backwards = means(forward, n.perSource), means(backward, n.perTarget)
	return n, nil
}

func means(list []neighbors.Neighbor, k int) (means []float64) {
	for near := range slices.Chunk(list, k) {
		means = append(means, Mean(near))
	}
	return means
}

// Mine returns the pairs that are found, the greatest score first.
func (n *Neighborhoods) Mine(margin Margin, retrieval Retrieval) ([]Pair, error) {
	if !slices.Contains(Margins(), margin) || !slices.Contains(Retrievals(), retrieval) {
		return nil, fmt.Errorf("mine by margin %q and retrieval %q: want one of %v and one of %v", margin, retrieval, Margins(),
			Retrievals())
	}
	selection := NewSelection(retrieval, n.sources, n.targets)
	var pairs []Pair
	for _, c := range n.candidates(margin) {
		if selection.Take(c) {
			pairs = append(pairs, c.Pair)
		}
	}
	return pairs, nil
}

// Gold are the pairs that are translations, by source and target.
type Gold map[[2]int]bool

// Figures say how good pairs of at least some score are.
type Figures struct {
	Precision, Recall, F1 float64
	Extracted, Correct    int
}

// ErrNoGold is the error for gold without a pair, of which no recall can be.
var ErrNoGold = errors.New("there is no pair of gold")

// FiguresAt returns the figures of the pairs with at least the score of the threshold. With no such
// pair all are 0.
func FiguresAt(pairs []Pair, gold Gold, threshold float64) (Figures, error) {
	if len(gold) == 0 {
		return Figures{}, ErrNoGold
	}
	var f Figures
	for _, p := range pairs {
		if p.Score >= threshold {
			f.Extracted++
			if gold[[2]int{p.Source, p.Target}] {
				f.Correct++
			}
		}
	}
	f.fill(len(gold))
	return f, nil
}

// NewFigures returns the figures of so many pairs, of which some are correct, where there are so many true ones.
func NewFigures(extracted, correct, gold int) Figures {
	f := Figures{Extracted: extracted, Correct: correct}
	f.fill(gold)
	return f
}

func (f *Figures) fill(gold int) {
	f.Precision, f.Recall, f.F1 = 0, float64(f.Correct)/float64(gold), 0
	if f.Correct > 0 {
		f.Precision = float64(f.Correct) / float64(f.Extracted)
		f.F1 = 2 * f.Precision * f.Recall / (f.Precision + f.Recall)
	}
}

// Best returns what Tuning finds in pairs that come as Mine returns them.
func Best(pairs []Pair, gold Gold) (threshold float64, f Figures, ok bool, err error) {
	if len(gold) == 0 {
		return 0, f, false, ErrNoGold
	}
	tuning := NewTuning(len(gold))
	for _, p := range pairs {
		tuning.Add(p.Score, gold[[2]int{p.Source, p.Target}])
	}
	threshold, f, ok = tuning.Best()
	return threshold, f, ok, nil
}
