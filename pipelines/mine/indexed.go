package mine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

const (
	// usualProbes is how many lists are searched for a sentence if nobody says.
	usualProbes = 64
	// indexedBytes is the size of the queries for which an index is read: more than a unit has.
	indexedBytes = 80 << 20
	// mostProbes bounds the lists that the queries of a block ask for together.
	mostProbes = 1 << 22
	// recallQueries is about how many sentences of a side are searched exactly, too.
	recallQueries = 1000
)

// The chain of the funnel that counts the exact neighbours of these sentences, and the reason of those that were not found.
const (
	chainNeighbours = "exact neighbours"
	stepProbe       = "probe"
	reasonUnprobed  = "not_in_probed_list"
)

// openIndex opens the index of a side, and adds how many lists it has.
func (s *Side) openIndex(ctx context.Context, location, rows string, dimensions int) (err error) {
	if s.Index, err = units.OpenDataset[schemas.InvertedList](ctx, location); err != nil {
		return err
	}
	if s.Index.Manifest().Plan.InputHash(vectors.Indexed) != s.Rows.Check {
		return fmt.Errorf("%s is an index of other vectors than those of %s: make it by `sentweave index --vectors %s`", location, rows, rows)
	}
	centroids, err := s.centroids(ctx, dimensions)
	s.Lists = centroids.Rows()
	return err
}

// centroids reads those of the index.
func (s *Side) centroids(ctx context.Context, dimensions int) (m neighbors.Matrix, err error) {
	m.Dim = dimensions
	for row, err := range units.AllRows[schemas.InvertedList](ctx, s.Index) {
		if err != nil || len(row.Rows) > 0 {
			return m, err
		}
		if len(row.Vectors) != 4*dimensions || int(row.List) != m.Rows() {
			return m, s.errIndex(&row)
		}
		m.Data = schemas.Floats(m.Data, row.Vectors)
	}
	return m, nil
}

func (s *Side) errIndex(row *schemas.InvertedList) error {
	return fmt.Errorf("index %s: list %d has vectors or rows that the embeddings do not have: make the index anew", s.Index.Location, row.List)
}

// operations returns about how many multiplications and additions it takes to find so many queries by the index of the side, or by the
// one that it would have by default, and a sample of them by exact search.
func (s *Side) operations(queries int64, probes, dimensions int) float64 {
	rows, lists := float64(s.sentences()), float64(s.Lists)
	if lists == 0 {
		lists = 2 * math.Sqrt(rows)
	}
	compared := lists + rows*min(1, float64(probes)/max(1, lists))
	return 2 * float64(dimensions) * (float64(queries)*compared + min(recallQueries, float64(queries))*rows)
}

// indexed is a search in the lists of an index.
type indexed struct {
	*search
	side      *Side // whose index is searched
	repeated  func(row int) bool
	centroids *neighbors.Index
	share     float64 // of the queries that are searched exactly, too
	seed      uint64
	seen      func(rows int) // tells how far a reading of the index is
}

// find finds the nearest candidates of all queries of the block in the lists whose centroids are nearest to them. A query whose lists
// hold fewer than k candidates is compared with all. Of a sample of the queries find counts how many of the exact neighbours it has found.
func (x *indexed) find(ctx context.Context) error {
	asking, err := x.probe(ctx)
	if err != nil {
		return err
	}
	var sample, short []int
	for i, id := range x.ids {
		if stream := random.New(Version, x.seed, "recall", id, 0); stream.Bool(x.share) {
			sample = append(sample, i)
		}
	}
	exact := make([][]neighbors.Neighbor, len(x.Queries.Rows))
	err = x.read(ctx, func(list int32, index *neighbors.Index, candidates []uint32) error {
		if err := x.ask(ctx, x.Nearest, index, asking[list], candidates); err != nil {
			return err
		}
		return x.ask(ctx, exact, index, sample, candidates)
	})
	if err != nil {
		return err
	}
	for i := range x.Nearest[:len(x.Queries.Rows)] {
		if len(x.Nearest[i]) < x.K {
			x.Nearest[i], short = x.Nearest[i][:0], append(short, i)
		}
	}
	if len(short) > 0 {
		err = x.read(ctx, func(_ int32, index *neighbors.Index, candidates []uint32) error {
			return x.ask(ctx, x.Nearest, index, short, candidates)
		})
	}
	if err != nil {
		return err
	}
	for _, i := range sample {
		for _, e := range exact[i] {
			if err := x.count(i, e.Index); err != nil {
				return err
			}
		}
	}
	return nil
}

// count counts whether a query has found one of its exact neighbours.
func (x *indexed) count(query, row int) error {
	language, id := x.languages[query], x.ids[query]
	if slices.ContainsFunc(x.Nearest[query], func(n neighbors.Neighbor) bool { return n.Index == row }) {
		return x.output.Funnel().Keep(chainNeighbours, language, 1)
	}
	if x.output.Rejects().Wants(stepProbe, reasonUnprobed, language, id) {
		x.output.Rejects().Add(schemas.Reject{ID: id, Source: roles[x.sides[query]], Offset: int64(row), Step: stepProbe,
			Reason: reasonUnprobed, Language: language})
	}
	return x.output.Funnel().Drop(chainNeighbours, language, stepProbe, reasonUnprobed, 1)
}

// ask is take for the queries that ask, of which there may be none or all.
func (x *indexed) ask(ctx context.Context, nearest [][]neighbors.Neighbor, index *neighbors.Index, queries []int, rows []uint32) error {
	const atOnce = 1 << 13 // whose vectors are copied
	for part := range slices.Chunk(queries, atOnce) {
		if err := x.Take(ctx, nearest, index, part, rows); err != nil {
			return err
		}
	}
	return nil
}

// probe returns for each list the places of the queries that ask for it.
func (x *indexed) probe(ctx context.Context) ([][]int, error) {
	const atOnce = 1024
	asking, probes := make([][]int, x.centroids.Len()), min(x.config.Probes, x.centroids.Len())
	for from := 0; from < len(x.Queries.Rows); from += atOnce {
		to := min(from+atOnce, len(x.Queries.Rows))
		part := neighbors.Matrix{Data: x.Queries.Data[from*x.Queries.Dim : to*x.Queries.Dim], Dim: x.Queries.Dim}
		found, err := x.centroids.TopK(ctx, part, probes, neighbors.Options{Workers: 1})
		if err != nil {
			return nil, err
		}
		for i, n := range found {
			asking[n.Index] = append(asking[n.Index], from+i/probes)
		}
	}
	return asking, nil
}

// read calls use for all parts of lists, with their candidates that are not repeated.
func (x *indexed) read(ctx context.Context, use func(list int32, index *neighbors.Index, candidates []uint32) error) error {
	read := 0
	for row, err := range units.AllRows[schemas.InvertedList](ctx, x.side.Index) {
		if err != nil {
			return err
		}
		if len(row.Rows) == 0 {
			continue
		}
		bytes, last := 4*x.Queries.Dim, int(row.Rows[len(row.Rows)-1])
		if len(row.Vectors) != bytes*len(row.Rows) || int(row.List) >= x.centroids.Len() || last >= x.side.Len() {
			return x.side.errIndex(&row)
		}
		x.Candidates.Reset()
		for i, number := range row.Rows {
			if !x.repeated(int(number)) {
				x.Candidates.Data = schemas.Floats(x.Candidates.Data, row.Vectors[i*bytes:][:bytes])
				x.Candidates.Rows = append(x.Candidates.Rows, uint32(number))
			}
		}
		if len(x.Candidates.Rows) > 0 {
			index, err := neighbors.NewIndex(x.Candidates.Matrix, neighbors.ByCosine)
			if err != nil {
				return err
			}
			if err := use(row.List, index, x.Candidates.Rows); err != nil {
				return err
			}
		}
		read += len(row.Rows)
		x.seen(read)
	}
	return nil
}

// recallNote says how many of the exact neighbours an index has found, "" where none was used.
func recallNote(m *dataset.Manifest, k int) string {
	for _, chain := range m.Funnel.Chains {
		if chain.Items != chainNeighbours || len(chain.Steps) == 0 {
			continue
		}
		if total := chain.Steps[0].Total(); total.In > 0 {
			return fmt.Sprintf("recall@%d of the index is %.2f %%: of the %d nearest sentences of a sample, by exact search, it found %d; "+
				"--probes raises it", k, 100*float64(total.Out)/float64(total.In), total.In, total.Out)
		}
	}
	return ""
}
