package minhash

// Components finds the connected components of a graph whose nodes are numbered: the clusters of documents that share keys, and of
// those that share keys with these. It takes four bytes a node, whatever the number of edges (union-find, Tarjan 1975).
type Components struct{ parents []uint32 }

// NewComponents returns n nodes without edges.
func NewComponents(n uint32) Components {
	c := Components{make([]uint32, n)}
	for i := range c.parents {
		c.parents[i] = uint32(i)
	}
	return c
}

// Join adds an edge.
func (c Components) Join(a, b uint32) {
	a, b = c.Root(a), c.Root(b)
	c.parents[max(a, b)] = min(a, b)
}

// Root returns the node that stands for a component: its smallest one, in whatever order the edges came.
func (c Components) Root(node uint32) uint32 {
	for c.parents[node] != node {
		c.parents[node] = c.parents[c.parents[node]]
		node = c.parents[node]
	}
	return node
}
