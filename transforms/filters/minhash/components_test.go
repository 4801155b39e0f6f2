package minhash

import (
	"math/rand/v2"
	"testing"
)

// Components are those of a search through the graph, in whatever order the edges come.
func TestComponents(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, edges := range []int{0, 1, 40, 90, 300} {
		const nodes = 100
		list := make([][2]uint32, edges)
		neighbors := map[uint32][]uint32{}
		for i := range list {
			a, b := random.Uint32N(nodes), random.Uint32N(nodes)
			list[i] = [2]uint32{a, b}
			neighbors[a], neighbors[b] = append(neighbors[a], b), append(neighbors[b], a)
		}
		want := map[uint32]uint32{}
		for start := range uint32(nodes) {
			queue := []uint32{start}
			for len(queue) > 0 {
				node := queue[0]
				queue = queue[1:]
				if _, seen := want[node]; !seen {
					want[node] = start
					queue = append(queue, neighbors[node]...)
				}
			}
		}
		for range 3 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			c := NewComponents(nodes)
			for _, e := range list {
				c.Join(e[0], e[1])
			}
			for node := range uint32(nodes) {
				if got := c.Root(node); got != want[node] {
					t.Fatalf("%d edges: node %d is in the component of %d, want %d", edges, node, got, want[node])
				}
			}
		}
	}
}
