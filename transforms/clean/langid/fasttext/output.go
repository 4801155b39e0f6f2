package fasttext

import (
	"fmt"
	"math"
)

// node is a node of the label tree. Leaves come first, the root is the last.
type node struct {
	left, right int32 // -1 in leaves
}

// unbuiltCount is the count that the program gives to nodes not yet built.
const unbuiltCount = 1e15

// buildTree builds the Huffman tree of the labels, with the program's ties.
func buildTree(counts []int64) ([]node, error) {
	n := len(counts)
	tree := make([]node, 2*n-1)
	total := make([]int64, 2*n-1)
	for i := range tree {
		tree[i] = node{-1, -1}
		total[i] = unbuiltCount
	}
	for i, c := range counts {
		if c < 0 || c >= unbuiltCount {
			return nil, fmt.Errorf("label %d: count %d is out of range: the file is corrupt", i, c)
		}
		total[i] = c
	}
	leaf, inner := n-1, n
	next := func() int32 {
		if leaf >= 0 && (inner >= len(total) || total[leaf] < total[inner]) {
			leaf--
			return int32(leaf + 1)
		}
		inner++
		return int32(inner - 1)
	}
	for i := n; i < 2*n-1; i++ {
		left := next()
		right := next()
		tree[i] = node{left, right}
		total[i] = total[left] + total[right]
	}
	return tree, nil
}

// logPlus is the program's logarithm: it keeps zero finite.
func logPlus(x float32) float32 { return float32(math.Log(float64(x) + 1e-5)) }

// leastScore is logPlus(0): the program's cut at its threshold 0.
var leastScore = logPlus(0)

// descend searches the label tree depth first, left before right, and drops
// subtrees that score below the k-th label so far. The order is part of the
// result: logPlus can raise a score by 1e-5, so the cut is not exact.
func (c *Classifier) descend(k int, index int32, score float32) {
	if score < leastScore || c.full(k, score) {
		return
	}
	n := c.model.tree[index]
	if n.left < 0 {
		c.offer(k, candidate{score, index})
		return
	}
	labels := int32(len(c.model.words.labels))
	var product float32
	if d, ok := c.model.output.(*dense); ok {
		product = d.dot(c.hidden, index-labels)
	} else {
		product = c.model.output.dot(c.hidden, index-labels)
	}
	f := float32(1 / float64(1+float32(math.Exp(float64(-product)))))
	c.branch(k, n.left, score, float32(1-float64(f)))
	c.branch(k, n.right, score, f)
}

// branch descends into the side of a node that has the given share of its probability. A
// logarithm takes as long as the rest of a node: none is taken where a bound of it tells that
// the side scores too low.
func (c *Classifier) branch(k int, index int32, score, share float32) {
	if !c.full(k, score+logBound(share)) {
		c.descend(k, index, score+logPlus(share))
	}
}

// logBound is at least logPlus(x), by at most .07, for x in [0, 1]. The bits of a float32 are
// its exponent and, below, the part by which it exceeds the power of 2; that part and the
// exponent together are the logarithm to the base 2, less at most .0861.
func logBound(x float32) float32 {
	const one, unit = 0x3f800000, 1 << 23
	return (float32(int32(math.Float32bits(x+1e-5))-one)/unit + .087) * math.Ln2
}

// flat scores all labels: softmax, or a logistic function for each label.
func (c *Classifier) flat(k int) {
	for i := range c.scores {
		c.scores[i] = c.model.output.dot(c.hidden, int32(i))
	}
	if c.model.args.loss == softmax {
		normalise(c.scores)
	} else {
		for i, v := range c.scores {
			c.scores[i] = tabledLogistic(v)
		}
	}
	for i, v := range c.scores {
		if v < 0 {
			continue
		}
		if s := logPlus(v); !c.full(k, s) {
			c.offer(k, candidate{s, int32(i)})
		}
	}
}

func normalise(scores []float32) {
	highest := scores[0]
	for _, v := range scores {
		highest = max(highest, v)
	}
	var sum float32
	for i, v := range scores {
		scores[i] = float32(math.Exp(float64(v - highest)))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// tabledLogistic is the program's logistic function: 512 steps over [-8, 8], 0
// and 1 outside. The steps are visible in its probabilities.
func tabledLogistic(x float32) float32 {
	const steps, bound = 512, 8
	switch {
	case x < -bound:
		return 0
	case x > bound:
		return 1
	}
	i := int64(float32(x+bound) * steps / bound / 2)
	point := float32(i*2*bound)/steps - bound
	return float32(1 / (1 + float64(float32(math.Exp(float64(-point))))))
}
