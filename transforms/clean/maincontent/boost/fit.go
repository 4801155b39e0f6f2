package boost

import (
	"context"
	"fmt"
	"sync"

	"sentweave/transforms/random"
)

// version of the fit: raised when the same data and configuration give other trees.
const version = 1

// unit is how many of the integers that gradients are added up in make 1.
const unit = 1 << 20

// maxWeight is the greatest weight of a row: the gradients of 2^31 such rows fit.
const maxWeight = 1000

// sums are those of the gradients (first) and of the second derivatives of rows.
type sums struct {
	first, second int64
	rows          int64
}

func (s sums) minus(part sums) sums {
	return sums{s.first - part.first, s.second - part.second, s.rows - part.rows}
}

// score is how much a leaf of these rows lowers the loss, twice.
func (s sums) score(l2 float64) float64 {
	first := float64(s.first) / unit
	return float64(first*first) / (float64(float64(s.second)/unit) + l2)
}

// leaf is a leaf of the tree that grows.
type leaf struct {
	node       int32
	rows       []int32 // a part of fitter.order
	total      sums
	histograms []sums // maxBins for each of the tree's features
	split      split
}

// split is the best way to part a leaf; gain is 0 if there is none.
type split struct {
	gain    float64
	feature int // its place among those of the tree
	bin     int
	left    sums
}

type fitter struct {
	Config
	table   *Table
	labels  []float32
	weights []float32
	margins []float64
	first   []int32
	second  []int32

	features []int   // of the tree
	order    []int32 // rows of the tree, by leaf
	spare    []int32
	gathered [2][]int32
	free     [][]sums
}

// Fit grows trees that give rows of the table the probabilities of their labels, from 0
// to 1. A row counts as often as its weight says, from 0 to 1000. It takes time in
// proportion to trees, rows and the logarithm of leaves, and memory of some 40 bytes a row
// beside the table.
func Fit(ctx context.Context, table *Table, labels, weights []float32, c Config) (*Forest, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(labels) != table.rows || len(weights) != table.rows {
		return nil, fmt.Errorf("boost: %d rows with %d labels and %d weights", table.rows, len(labels), len(weights))
	}
	f := &fitter{Config: c, table: table, labels: labels, weights: weights,
		margins: make([]float64, table.rows), first: make([]int32, table.rows), second: make([]int32, table.rows),
		order: make([]int32, 0, table.rows), spare: make([]int32, table.rows),
		gathered: [2][]int32{make([]int32, table.rows), make([]int32, table.rows)},
	}
	forest := &Forest{features: len(table.columns)}
	base, err := f.base()
	if err != nil {
		return nil, err
	}
	forest.base = base
	for i := range f.margins {
		f.margins[i] = float64(base)
	}
	for tree := range c.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.gradients()
		f.sample(tree)
		nodes, bins := f.grow()
		forest.trees = append(forest.trees, nodes)
		f.advance(nodes, bins)
	}
	forest.index()
	return forest, nil
}

// base returns the margin that all rows begin with: by Newton's method, that of their mean.
func (f *fitter) base() (float32, error) {
	margin := 0.0
	for range 30 {
		p, first, second := Sigmoid(margin), 0.0, 0.0
		for i, label := range f.labels {
			w := float64(f.weights[i])
			if !(label >= 0 && label <= 1) || !(w >= 0 && w <= maxWeight) {
				return 0, fmt.Errorf("boost: row %d has the label %v and the weight %v; they must be from 0 to 1 and to %d", i, label, w,
					maxWeight)
			}
			first += float64(w * (p - float64(label)))
			second += w
		}
		if second == 0 {
			return 0, fmt.Errorf("boost: all rows have the weight 0")
		}
		second = float64(float64(second*p) * (1 - p))
		margin = min(10, max(-10, margin-first/(second+1e-6)))
	}
	return float32(margin), nil
}

// gradients computes the derivatives of the loss of each row by its margin.
func (f *fitter) gradients() {
	f.parallel(len(f.margins), func(from, to int) {
		for i := from; i < to; i++ {
			p, w := Sigmoid(f.margins[i]), float64(f.weights[i])*unit
			f.first[i] = int32(float64(w * (p - float64(f.labels[i]))))
			f.second[i] = int32(float64(float64(w*p) * (1 - p)))
		}
	})
}

// sample chooses the rows and the features of a tree.
func (f *fitter) sample(tree int) {
	stream := random.New(version, f.Seed, "boost rows", "", int64(tree))
	f.order = f.order[:0]
	for i := range f.table.rows {
		if stream.Float64() < f.Rows {
			f.order = append(f.order, int32(i))
		}
	}
	n := len(f.table.columns)
	stream = random.New(version, f.Seed, "boost columns", "", int64(tree))
	f.features = stream.Sample(f.features[:0], n, max(1, int(float64(float64(n)*f.Columns))))
}

// grow returns the nodes of a tree, and the bins that its inner nodes split at.
func (f *fitter) grow() (nodes []node, bins []uint8) {
	root := &leaf{rows: f.order}
	for _, row := range root.rows {
		root.total.first += int64(f.first[row])
		root.total.second += int64(f.second[row])
		root.total.rows++
	}
	nodes, bins = append(nodes, f.node(root.total)), append(bins, 0)
	f.count(root)
	leaves := []*leaf{root}
	for len(leaves) < f.Leaves {
		best := leaves[0]
		for _, l := range leaves {
			if l.split.gain > best.split.gain {
				best = l
			}
		}
		if best.split.gain <= 0 {
			break
		}
		left, right := f.part(best)
		feature := f.features[best.split.feature]
		n := &nodes[best.node]
		n.feature, n.bound, n.left = int32(feature), f.table.bounds[feature][best.split.bin], int32(len(nodes))
		bins[best.node] = uint8(best.split.bin)
		left.node, right.node = n.left, n.left+1
		nodes, bins = append(nodes, f.node(left.total), f.node(right.total)), append(bins, 0, 0)
		*best = *left
		leaves = append(leaves, right)
	}
	for _, l := range leaves {
		f.release(l)
	}
	return nodes, bins
}

// node returns a leaf of these rows.
func (f *fitter) node(s sums) node {
	return node{feature: -1, value: float32(-f.Rate * (float64(s.first) / unit) / (float64(float64(s.second)/unit) + f.L2))}
}

// part splits a leaf, in the order of rows on both sides, and counts the smaller side; what
// is left of the leaf's counts is that of the other one.
func (f *fitter) part(l *leaf) (left, right *leaf) {
	bins, bin := f.table.columns[f.features[l.split.feature]], uint8(l.split.bin)
	n, m := 0, 0
	for _, row := range l.rows {
		if bins[row] <= bin {
			l.rows[n] = row
			n++
		} else {
			f.spare[m] = row
			m++
		}
	}
	copy(l.rows[n:], f.spare[:m])
	left = &leaf{rows: l.rows[:n], total: l.split.left}
	right = &leaf{rows: l.rows[n:], total: l.total.minus(l.split.left)}
	small, large := left, right
	if m < n {
		small, large = right, left
	}
	f.fill(small)
	large.histograms, l.histograms = l.histograms, nil
	for i, s := range small.histograms {
		large.histograms[i] = large.histograms[i].minus(s)
	}
	f.choose(small)
	f.choose(large)
	return left, right
}

// count fills the histograms of a leaf and chooses its split.
func (f *fitter) count(l *leaf) {
	f.fill(l)
	f.choose(l)
}

// fill adds up the gradients of a leaf by the bins of each feature.
func (f *fitter) fill(l *leaf) {
	l.histograms = f.histograms()
	first, second := f.gathered[0][:len(l.rows)], f.gathered[1][:len(l.rows)]
	for i, row := range l.rows {
		first[i], second[i] = f.first[row], f.second[row]
	}
	f.parallel(len(f.features), func(from, to int) {
		for i := from; i < to; i++ {
			bins := f.table.columns[f.features[i]]
			h := (*[maxBins]sums)(l.histograms[i*maxBins:])
			for k, row := range l.rows {
				s := &h[bins[row]%maxBins]
				s.first += int64(first[k])
				s.second += int64(second[k])
				s.rows++
			}
		}
	})
}

// choose finds the split of a leaf with the greatest gain; of equal ones, the first.
func (f *fitter) choose(l *leaf) {
	l.split = split{}
	if l.total.rows < int64(2*f.MinRows) {
		return
	}
	minimum := int64(f.MinHessian * unit)
	total := l.total.score(f.L2)
	for i, feature := range f.features {
		var left sums
		h := l.histograms[i*maxBins : (i+1)*maxBins]
		for bin := range f.table.bounds[feature] {
			left.first += h[bin].first
			left.second += h[bin].second
			left.rows += h[bin].rows
			right := l.total.minus(left)
			if left.rows < int64(f.MinRows) || left.second < minimum {
				continue
			}
			if right.rows < int64(f.MinRows) || right.second < minimum {
				break
			}
			if gain := left.score(f.L2) + right.score(f.L2) - total; gain > l.split.gain {
				l.split = split{gain, i, bin, left}
			}
		}
	}
}

// histograms returns memory for those of a leaf, all zero.
func (f *fitter) histograms() []sums {
	size := len(f.features) * maxBins
	if n := len(f.free); n > 0 && cap(f.free[n-1]) >= size {
		h := f.free[n-1][:size]
		f.free = f.free[:n-1]
		clear(h)
		return h
	}
	return make([]sums, size)
}

func (f *fitter) release(l *leaf) { f.free = append(f.free, l.histograms) }

// advance adds a tree to the margins of all rows.
func (f *fitter) advance(nodes []node, bins []uint8) {
	f.parallel(len(f.margins), func(from, to int) {
		for row := from; row < to; row++ {
			index := int32(0)
			for nodes[index].feature >= 0 {
				bin := bins[index]
				right := f.table.columns[nodes[index].feature][row] > bin
				if index = nodes[index].left; right {
					index++
				}
			}
			f.margins[row] += float64(nodes[index].value)
		}
	})
}

// parallel calls do for parts of [0, n).
func (f *fitter) parallel(n int, do func(from, to int)) {
	if f.Threads == 1 || n < 2 {
		do(0, n)
		return
	}
	var group sync.WaitGroup
	for i := range f.Threads {
		group.Go(func() { do(i*n/f.Threads, (i+1)*n/f.Threads) })
	}
	group.Wait()
}
