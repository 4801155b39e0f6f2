package bootstrap

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sentweave/transforms/random"
)

// Draws is the number of draws that papers take.
const Draws = 10_000

// version of the random choices.
const version = 1

// Pair is two models, by their places.
type Pair struct{ A, B int }

// Difference is that of a figure of two models, A less B.
type Difference struct {
	Value float64
	// Low and High are the ends of the interval of 95 %.
	Low, High float64
	// P is the two-sided p value.
	P float64
}

// Compare returns the differences of some pairs of models for each figure, over so many draws.
// Pairs are by figure, as the differences are. Memory is that of draws times the number of
// figures and models.
func Compare(ctx context.Context, figures []Figure, pairs [][]Pair, draws int) ([][]Difference, error) {
	if len(pairs) != len(figures) || draws < 1 {
		return nil, fmt.Errorf("%d lists of pairs for %d figures, %d draws", len(pairs), len(figures), draws)
	}
	values, err := drawAll(ctx, figures, draws)
	if err != nil {
		return nil, err
	}
	differences := make([][]Difference, len(figures))
	list := make([]float64, draws)
	for f, figure := range figures {
		if len(pairs[f]) == 0 {
			continue
		}
		point, _ := figure.Values(nil)
		for _, p := range pairs[f] {
			for d := range list {
				list[d] = values[f][p.A][d] - values[f][p.B][d]
			}
			differences[f] = append(differences[f], difference(point[p.A]-point[p.B], list))
		}
	}
	return differences, nil
}

// fewest is the number of draws on one side of zero below which the tail is reckoned.
const fewest = 10

// rounding is a deviation of draws that are all equal but for rounding: no distribution has it.
const rounding = 1e-9

// difference sorts the draws.
func difference(value float64, draws []float64) Difference {
	n := float64(len(draws))
	negatives, positives, mean := 0, 0, 0.
	for _, x := range draws {
		mean += x / n
		if x <= 0 {
			negatives++
		}
		if x >= 0 {
			positives++
		}
	}
	squares := 0.
	for _, x := range draws {
		squares += (x - mean) * (x - mean)
	}
	smaller := min(negatives, positives)
	p := min(1, 2*float64(smaller+1)/(n+1))
	if deviation := math.Sqrt(squares / n); smaller < fewest && deviation > rounding {
		p = min(p, math.Erfc(math.Abs(value)/deviation/math.Sqrt2))
	}
	slices.Sort(draws)
	return Difference{Value: value, Low: quantile(draws, .025), High: quantile(draws, .975), P: p}
}

// quantile is that of sorted values, between the two nearest ones.
func quantile(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	i := int(position)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// Holm returns p values that are corrected for all comparisons that are made together (Holm
// 1979): the chance that any of those below a bound is there by chance is at most the bound.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, maximum := make([]float64, len(p)), 0.
	for i, index := range order {
		maximum = max(maximum, min(1, float64(len(p)-i)*p[index]))
		corrected[index] = maximum
	}
	return corrected
}

// means are the terms of one length that are means, of all figures and models: a column for each.
type means struct {
	columns []column
	scores  []float64 // by item and column
}

type column struct{ figure, model int }

// plan is what a draw computes of lists of one length.
type plan struct {
	items  int
	means  means
	others []composite
}

// composite is a term that is not a mean, with the figures that it is part of: an aggregate has the
// terms of its parts.
type composite struct {
	*evaluator
	uses []use
}

type use struct {
	figure int
	weight float64
}

// sameTerm says that two terms differ by their weights alone. Equal lists in other places are none.
func sameTerm(a, b Term) bool {
	if a.Metric != b.Metric || &a.Gold[0] != &b.Gold[0] || len(a.Scores) != len(b.Scores) {
		return false
	}
	for m := range a.Scores {
		if !slices.EqualFunc(a.Scores[m], b.Scores[m], func(x, y []float64) bool { return &x[0] == &y[0] }) {
			return false
		}
	}
	return true
}

// plansOf sorts the terms of figures by their number of items.
func plansOf(figures []Figure) []*plan {
	byItems := map[int]*plan{}
	var list []*plan
	sums := map[*plan]map[column][]float64{}
	for f, figure := range figures {
		for _, term := range figure.Terms {
			n := term.items()
			p := byItems[n]
			if p == nil {
				p = &plan{items: n}
				byItems[n], list, sums[p] = p, append(list, p), map[column][]float64{}
			}
			if term.Metric != Mean {
				index := slices.IndexFunc(p.others, func(o composite) bool { return sameTerm(o.Term, term) })
				if index < 0 {
					index, p.others = len(p.others), append(p.others, composite{evaluator: newEvaluator(term)})
				}
				p.others[index].uses = append(p.others[index].uses, use{f, term.Weight})
				continue
			}
			for m, runs := range term.Scores { // a sum of means is the mean of sums
				c := column{f, m}
				if sums[p][c] == nil {
					sums[p][c] = make([]float64, n)
					p.means.columns = append(p.means.columns, c)
				}
				for _, run := range runs {
					for i, x := range run {
						sums[p][c][i] += term.Weight * x / float64(len(runs)) / float64(n)
					}
				}
			}
		}
	}
	for _, p := range list {
		width := len(p.means.columns)
		p.means.scores = make([]float64, p.items*width)
		for k, c := range p.means.columns {
			for i, x := range sums[p][c] {
				p.means.scores[i*width+k] = x
			}
		}
	}
	return list
}

// block is the number of draws that a goroutine takes at once.
const block = 64

// drawAll returns the draws by figure and model.
func drawAll(ctx context.Context, figures []Figure, draws int) ([][][]float64, error) {
	values := make([][][]float64, len(figures))
	for f, figure := range figures {
		if len(figure.Terms) == 0 {
			continue
		}
		values[f] = make([][]float64, len(figure.Terms[0].Scores))
		for m := range values[f] {
			values[f][m] = make([]float64, draws)
			for d := range values[f][m] {
				values[f][m][d] = figure.Constant
			}
		}
	}
	plans := plansOf(figures)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			workers := workersOf(plans)
			for {
				first := int(next.Add(block)) - block
				if first >= draws {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				for d := first; d < min(draws, first+block); d++ {
					for _, w := range workers {
						w.draw(d, values)
					}
				}
			}
		})
	}
	return values, group.Wait()
}

// worker computes draws of a plan in one goroutine.
type worker struct {
	*plan
	id     string
	counts []int32
	sums   []float64
	others []composite
}

func workersOf(plans []*plan) []*worker {
	var list []*worker
	for _, p := range plans {
		w := &worker{plan: p, id: strconv.Itoa(p.items), counts: make([]int32, p.items), sums: make([]float64, len(p.means.columns))}
		for _, o := range p.others {
			w.others = append(w.others, composite{o.share(), o.uses})
		}
		list = append(list, w)
	}
	return list
}

// draw adds the terms of the draw d to the values, whose places belong to this goroutine.
func (w *worker) draw(d int, values [][][]float64) {
	clear(w.counts)
	r := random.New(version, 0, "bootstrap", w.id, int64(d))
	for range w.items {
		w.counts[r.IntN(w.items)]++
	}
	if width := len(w.sums); width > 0 {
		clear(w.sums)
		for i, count := range w.counts {
			if count == 0 {
				continue
			}
			c, row := float64(count), w.means.scores[i*width:(i+1)*width]
			for k, x := range row {
				w.sums[k] += c * x
			}
		}
		for k, c := range w.means.columns {
			values[c.figure][c.model][d] += w.sums[k]
		}
	}
	for _, o := range w.others {
		o.evaluator.draw(w.counts, int64(w.items))
		for m := range o.Scores {
			value := o.drawn(m, w.counts, int64(w.items))
			for _, u := range o.uses {
				values[u.figure][m][d] += u.weight * value
			}
		}
	}
}
