package boost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Bounds of a forest.
const (
	maxTrees    = 10_000
	maxLeaves   = 32 // as many as an integer of 32 bits has
	maxFeatures = 4096
)

// node is a node of a tree. Rows whose feature is at most the bound go to left, others to
// the node after it. Leaves have no feature (-1). Value is what a leaf adds to the margin,
// and what an inner node would add if it were one.
type node struct {
	feature int32
	bound   float32
	left    int32
	value   float32
}

// Forest is a list of trees. It is safe for concurrent use.
type Forest struct {
	features   int
	base       float32
	trees      [][]node
	conditions []conditions
}

// Features is the length of the vectors that the forest judges.
func (f *Forest) Features() int { return f.features }

// Margin returns the logit of the probability of a row. It does not allocate.
func (f *Forest) Margin(row []float32) float64 {
	margin := float64(f.base)
	for i := range f.conditions {
		margin = f.conditions[i].sum(margin, row)
	}
	return margin
}

// Contributions adds, for each feature of a row, how much its splits moved the margin to
// parts, which is as long as the row. What is left of the margin is that of a row of which nothing is known.
func (f *Forest) Contributions(row []float32, parts []float64) {
	for _, nodes := range f.trees {
		index := int32(0)
		for nodes[index].feature >= 0 {
			n := &nodes[index]
			if index = n.left; row[n.feature] > n.bound {
				index++
			}
			parts[n.feature] += float64(nodes[index].value) - float64(n.value)
		}
	}
}

// Append appends the forest to data: counts, then for each tree its nodes, all numbers
// little-endian.
func (f *Forest) Append(data []byte) []byte {
	data = binary.LittleEndian.AppendUint32(data, uint32(f.features))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f.base))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(f.trees)))
	for _, nodes := range f.trees {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(nodes)))
		for _, n := range nodes {
			data = binary.LittleEndian.AppendUint16(data, uint16(n.feature))
			data = binary.LittleEndian.AppendUint16(data, uint16(n.left))
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(n.bound))
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(n.value))
		}
	}
	return data
}

// nodeBytes is the length of a node in a file.
const nodeBytes = 12

// errShort: the data ends before the forest does.
var errShort = errors.New("it ends within its trees")

// Read reads what Append wrote and returns what follows it. It checks all that Margin
// relies on, and takes memory of twice the data at most.
func Read(data []byte) (f *Forest, rest []byte, err error) {
	if len(data) < nodeBytes {
		return nil, nil, errShort
	}
	features, trees := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[8:])
	f = &Forest{features: int(features), base: math.Float32frombits(binary.LittleEndian.Uint32(data[4:]))}
	if features < 1 || features > maxFeatures || trees > maxTrees || !finite(f.base) {
		return nil, nil, fmt.Errorf("the data is not a forest: it says %d features, %d trees, base %v", features, trees, f.base)
	}
	data = data[nodeBytes:]
	for range trees {
		if len(data) < 4 {
			return nil, nil, errShort
		}
		count := int(binary.LittleEndian.Uint32(data))
		if count < 1 || count >= 2*maxLeaves {
			return nil, nil, fmt.Errorf("a tree of %d nodes", count)
		}
		if data = data[4:]; len(data) < count*nodeBytes {
			return nil, nil, errShort
		}
		nodes := make([]node, count)
		for i := range nodes {
			if nodes[i], err = readNode(data[i*nodeBytes:], i, count, f.features); err != nil {
				return nil, nil, err
			}
		}
		if err := checkTree(nodes); err != nil {
			return nil, nil, err
		}
		f.trees, data = append(f.trees, nodes), data[count*nodeBytes:]
	}
	f.index()
	return f, data, nil
}

// readNode reads node i of a tree. Children are behind their parents, so that every way
// through a tree ends.
func readNode(data []byte, i, count, features int) (node, error) {
	n := node{
		feature: int32(int16(binary.LittleEndian.Uint16(data))), left: int32(binary.LittleEndian.Uint16(data[2:])),
		bound: math.Float32frombits(binary.LittleEndian.Uint32(data[4:])),
		value: math.Float32frombits(binary.LittleEndian.Uint32(data[8:])),
	}
	if n.feature < -1 || int(n.feature) >= features || !finite(n.bound) || !finite(n.value) ||
		n.feature >= 0 && (int(n.left) <= i || int(n.left)+1 >= count) {
		return n, fmt.Errorf("node %d of a tree is damaged: feature %d, child %d, bound %v, value %v", i, n.feature, n.left, n.bound, n.value)
	}
	return n, nil
}

// checkTree returns an error unless one way leads to each node.
func checkTree(nodes []node) error {
	var reached [2 * maxLeaves]bool
	count := 1 // the root
	for i, n := range nodes {
		if n.feature < 0 {
			continue
		}
		if reached[n.left] || reached[n.left+1] {
			return fmt.Errorf("node %d of a tree has the children of another", i)
		}
		reached[n.left], reached[n.left+1] = true, true
		count += 2
	}
	if count != len(nodes) {
		return fmt.Errorf("a tree of %d nodes, of which %d are reached", len(nodes), count)
	}
	return nil
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }
