package codes

import (
	"context"

	"sentweave/transforms/measure/neighbors"
)

// Nearest neighbours that should be found, and those among which they are looked for once more, by whoever compares a few with
// the vectors themselves.
const (
	Nearest = 10
	Among   = 4 * Nearest
)

// MostQueries is the number of vectors whose neighbours are compared.
const MostQueries = 1000

// Recall is the share of the Nearest nearest vectors, by cosine, that are as near by codes.
type Recall struct {
	// Queries and Candidates are the vectors that were compared.
	Queries, Candidates int
	// Kept is the share that is among the Nearest nearest by codes, Among the share that is among the Among nearest.
	Kept, Among float64
}

// Measure compares the neighbours of vectors with those of what their codes say, row by row. Queries are rows at equal
// distances, at most MostQueries, and no row is its own neighbour. With at most Among rows the recall has no queries. The result depends on
// the rows alone.
//
// It costs 4·queries·rows·dim operations, and as much memory again as the vectors take.
func Measure(ctx context.Context, vectors, decoded neighbors.Matrix) (Recall, error) {
	rows := vectors.Rows()
	r := Recall{Candidates: rows}
	if rows <= Among {
		return r, nil
	}
	var places []int
	apart := (rows + MostQueries - 1) / MostQueries
	for i := 0; i < rows; i += apart {
		places = append(places, i)
	}
	exact, err := nearest(ctx, vectors, places, Nearest)
	if err != nil {
		return r, err
	}
	coded, err := nearest(ctx, decoded, places, Among)
	if err != nil {
		return r, err
	}
	kept, among := 0, 0
	for q := range places {
		found := map[int]int{} // the rank of a row by codes
		for rank, n := range coded[q*Among : (q+1)*Among] {
			found[n.Index] = rank
		}
		for _, n := range exact[q*Nearest : (q+1)*Nearest] {
			if rank, ok := found[n.Index]; ok {
				among++
				if rank < Nearest {
					kept++
				}
			}
		}
	}
	r.Queries = len(places)
	total := float64(len(places) * Nearest)
	r.Kept, r.Among = float64(kept)/total, float64(among)/total
	return r, nil
}

// nearest returns the k nearest of the rows at some places.
func nearest(ctx context.Context, m neighbors.Matrix, places []int, k int) ([]neighbors.Neighbor, error) {
	index, err := neighbors.NewIndex(m, neighbors.ByCosine)
	if err != nil {
		return nil, err
	}
	queries := neighbors.Matrix{Dim: m.Dim}
	for _, i := range places {
		queries.Data = append(queries.Data, m.Row(i)...)
	}
	return index.TopK(ctx, queries, k, neighbors.Options{Exclude: places})
}
