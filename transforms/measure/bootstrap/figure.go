// Package bootstrap says how sure the difference of two models is, by drawing the items of a
// test again and again (Efron and Tibshirani 1993; Berg-Kirkpatrick et al., EMNLP 2012).
//
// # Method
//
// A draw takes n of n items with replacement, the same ones for all models, and computes each
// figure anew. A figure is a sum of means or correlations, each over a list of items. Lists of
// equally many items are drawn alike, at the same positions: the directions and languages of
// parallel texts stay together, and lists that have nothing to do with each other stay
// independent in expectation. Lists of different lengths are drawn independently.
//
// Spearman's correlation of a draw is that of the ranks within the draw. Items that were drawn
// twice are ties, which share the mean of their ranks, as scipy.stats.spearmanr has it on the
// drawn lists. A correlation of equal values counts as 0.
//
// The interval of a difference runs from the 2.5 % to the 97.5 % quantile of its draws. The p
// value is two-sided: twice the share of draws, of which one more is counted, on the far side of
// zero. Where fewer than ten draws are there, this share is too coarse for a correction over
// many comparisons; then the tail of a normal distribution with the deviation of the draws
// takes its place, if that is less.
//
// # Determinism
//
// A draw is a pure function of its number and of the number of items. The result does not depend
// on the number of processors, nor on the other figures and models.
package bootstrap

import "math"

// Metric is how a list of items makes a figure.
type Metric int

// The metrics: the mean of the scores, the correlations of scores with gold, and F1 of scores and
// gold that are 1 for the positive class and 0 for others.
const (
	Mean Metric = iota
	Pearson
	Spearman
	F1
)

// Term is a summand of a figure.
type Term struct {
	Metric Metric
	Weight float64
	// Scores are by model, by run, and by item: a model of several seeds has as many runs, and
	// the term is their mean. All lists have the same length, which is not 0.
	Scores [][][]float64
	// Gold is as long as the lists; nil for Mean.
	Gold []float64
}

// Figure is a constant and the sum of terms, of which each has the same models.
type Figure struct {
	Constant float64
	Terms    []Term
}

// Values returns the figure of each model over the items that are kept; ok is false where
// nothing is left of a term. Keep gets the places of term and item; nil keeps all.
func (f Figure) Values(keep func(term, item int) bool) (values []float64, ok bool) {
	for t, term := range f.Terms {
		n := term.items()
		counts, remaining := make([]int32, n), 0
		for i := range counts {
			if keep == nil || keep(t, i) {
				counts[i] = 1
				remaining++
			}
		}
		if remaining == 0 {
			return nil, false
		}
		if values == nil {
			values = make([]float64, len(term.Scores))
			for m := range values {
				values[m] = f.Constant
			}
		}
		e := newEvaluator(term)
		for m := range values {
			values[m] += term.Weight * e.value(m, counts, int64(remaining))
		}
	}
	return values, len(f.Terms) > 0
}

func (t Term) items() int { return len(t.Scores[0][0]) }

// evaluator computes a term for counts of its items. It belongs to one goroutine.
type evaluator struct {
	Term
	gold   ranking
	scores [][]ranking // by model and run
	// drawnGold are the ranks of the gold in a draw, each as often as it was drawn, and squares
	// the sum of their squares; untied is that of values without ties.
	drawnGold       []float64
	squares, untied float64
}

func newEvaluator(t Term) *evaluator {
	e := &evaluator{Term: t}
	if t.Metric != Spearman {
		return e
	}
	e.gold = newRanking(t.Gold)
	e.drawnGold = make([]float64, t.items())
	for _, runs := range t.Scores {
		var list []ranking
		for _, run := range runs {
			list = append(list, newRanking(run))
		}
		e.scores = append(e.scores, list)
	}
	return e
}

// share is an evaluator for another goroutine.
func (e *evaluator) share() *evaluator {
	s := *e
	s.drawnGold = make([]float64, len(e.drawnGold))
	return &s
}

// draw prepares the counts of a draw, whose sum is n.
func (e *evaluator) draw(counts []int32, n int64) {
	if e.Metric == Spearman {
		e.squares, e.untied = e.gold.draw(e.drawnGold, counts, n), untied(counts, n)
	}
}

// value is the term of a model for counts whose sum is n.
func (e *evaluator) value(model int, counts []int32, n int64) float64 {
	e.draw(counts, n)
	return e.drawn(model, counts, n)
}

// drawn is value after draw.
func (e *evaluator) drawn(model int, counts []int32, n int64) float64 {
	sum := 0.
	for r, run := range e.Scores[model] {
		switch e.Metric {
		case Mean:
			sum += weightedMean(run, counts, n)
		case Pearson:
			sum += correlation(run, e.Gold, counts, n)
		case Spearman:
			products, squares := e.scores[model][r].products(e.drawnGold, counts, n, e.untied)
			if squares > 0 && e.squares > 0 {
				sum += max(-1, min(1, products/math.Sqrt(squares)/math.Sqrt(e.squares)))
			}
		case F1:
			sum += f1(run, e.Gold, counts)
		}
	}
	return sum / float64(len(e.Scores[model]))
}

func weightedMean(x []float64, counts []int32, n int64) float64 {
	sum := 0.
	for i, c := range counts {
		sum += float64(c) * x[i]
	}
	return sum / float64(n)
}

// correlation is Pearson's.
func correlation(x, y []float64, counts []int32, n int64) float64 {
	meanX, meanY := weightedMean(x, counts, n), weightedMean(y, counts, n)
	var xx, yy, xy float64
	first, equalX, equalY := -1, true, true
	for i, count := range counts {
		if count == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		equalX, equalY = equalX && x[i] == x[first], equalY && y[i] == y[first]
		a, b, c := x[i]-meanX, y[i]-meanY, float64(count)
		xx, yy, xy = xx+c*a*a, yy+c*b*b, xy+c*a*b
	}
	if equalX || equalY { // their sums of squares may be off zero by rounding
		return 0
	}
	return max(-1, min(1, xy/math.Sqrt(xx)/math.Sqrt(yy)))
}

// f1 is that of the items whose score is 1 against those whose gold is, 0 if neither is there.
func f1(x, y []float64, counts []int32) float64 {
	shared, total := 0., 0.
	for i, count := range counts {
		c := float64(count)
		shared, total = shared+c*x[i]*y[i], total+c*(x[i]+y[i])
	}
	if total == 0 {
		return 0
	}
	return 2 * shared / total
}
