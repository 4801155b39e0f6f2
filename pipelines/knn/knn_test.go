package knn

import (
	"cmp"
	"slices"
	"testing"

	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// Whatever the sizes of the blocks, the nearest are those that all cosines give, by keys or without them, of equal ones the first rows.
func TestSearch(t *testing.T) {
	const rows, dimensions, k = 60, 3, 4
	stream, vectors, keys := random.New(1, 1, "vectors", "", 0), [][]float32(nil), []uint64(nil)
	for i := range rows {
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = float32(stream.IntN(3)) + .5 // of which many are equal
		}
		vectors, keys = append(vectors, v), append(keys, uint64(2+2*(i%3)))
	}
	for _, restricted := range []bool{false, true} {
		for _, most := range []int{0, 1, 7} {
			s := New(k, dimensions)
			s.Restricted, s.Queries.Most, s.Candidates.Most = restricted, 9, most
			s.Feed = func(add func(vector []float32, row uint32) error) error {
				for row, v := range vectors {
					if restricted {
						if !slices.Contains(s.Queries.Keys, keys[row]) {
							continue
						}
						s.Candidates.Keys = append(s.Candidates.Keys, keys[row])
					}
					if err := add(v, uint32(row)); err != nil {
						return err
					}
				}
				return nil
			}
			for row := 0; row < rows; row++ {
				s.Queries.Add(vectors[row], uint32(row))
				s.Queries.Keys = append(s.Queries.Keys, keys[row])
				if !s.Queries.Full() && row < rows-1 {
					continue
				}
				s.Begin()
				if err := s.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i, query := range s.Queries.Rows {
					var want []neighbors.Neighbor
					for j, v := range vectors {
						if !restricted || keys[j] == keys[query] {
							want = append(want, neighbors.Neighbor{Index: j, Similarity: neighbors.Cosine(vectors[query], v)})
						}
					}
					slices.SortStableFunc(want, func(a, b neighbors.Neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
					if !slices.Equal(s.Nearest[i], want[:k]) {
						t.Fatalf("blocks of %d, by keys %v: row %d has %v, want %v", most, restricted, query, s.Nearest[i], want[:k])
					}
				}
				s.Queries.Reset()
			}
		}
	}
}
