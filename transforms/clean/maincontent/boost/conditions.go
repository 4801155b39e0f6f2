package boost

import (
	"cmp"
	"math/bits"
	"slices"
)

// treesAtOnce is how many trees one list of conditions has at most.
const treesAtOnce = 512

// conditions are the inner nodes of up to treesAtOnce trees, ordered so that a row is judged without going through any tree
// (QuickScorer, Lucchese et al. 2015). The leaves of a tree are bits, from the left. A node whose bound a row exceeds
// rules out the leaves on its left, and the first leaf that stays is that of the row. The nodes of a feature are ordered by their
// bounds, so that the first bound that is not exceeded ends the search.
type conditions struct {
	list   []condition
	ends   []int32 // in list, of each feature
	values []float32
	starts []int32 // in values, of the leaves of each tree
}

type condition struct {
	bound  float32
	tree   uint16
	leaves uint32 // those that stay
}

// index makes the conditions of all trees.
func (f *Forest) index() {
	f.conditions = nil
	for trees := range slices.Chunk(f.trees, treesAtOnce) {
		c := conditions{ends: make([]int32, f.features), starts: make([]int32, len(trees))}
		features := make([][]condition, f.features)
		for i, nodes := range trees {
			c.starts[i] = int32(len(c.values))
			c.add(features, nodes, i, 0)
		}
		for i, list := range features {
			slices.SortStableFunc(list, func(a, b condition) int { return cmp.Compare(a.bound, b.bound) })
			c.list = append(c.list, list...)
			c.ends[i] = int32(len(c.list))
		}
		f.conditions = append(f.conditions, c)
	}
}

// add adds what is at and under a node of a tree.
func (c *conditions) add(features [][]condition, nodes []node, tree int, index int32) {
	n := nodes[index]
	if n.feature < 0 {
		c.values = append(c.values, n.value)
		return
	}
	leaf := func() int { return len(c.values) - int(c.starts[tree]) }
	first := leaf()
	c.add(features, nodes, tree, n.left)
	ruledOut := uint32(1)<<leaf() - uint32(1)<<first
	features[n.feature] = append(features[n.feature], condition{n.bound, uint16(tree), ^ruledOut})
	c.add(features, nodes, tree, n.left+1)
}

// sum adds the values that the trees give a row to a margin, in the order of the trees.
func (c *conditions) sum(margin float64, row []float32) float64 {
	var leaves [treesAtOnce]uint32
	for i := range c.starts {
		leaves[i] = 1<<maxLeaves - 1
	}
	first := int32(0)
	for feature, end := range c.ends {
		value := row[feature]
		for _, k := range c.list[first:end] {
			if !(value > k.bound) {
				break
			}
			leaves[k.tree%treesAtOnce] &= k.leaves
		}
		first = end
	}
	for i, start := range c.starts {
		margin += float64(c.values[int(start)+bits.TrailingZeros32(leaves[i])])
	}
	return margin
}
