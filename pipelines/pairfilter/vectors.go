package pairfilter

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/read/texts"
)

// roleEmbeddings is the role of the vectors among the plan's inputs.
const roleEmbeddings = "embeddings"

// errNotOf says that vectors do not belong to the pairs.
var errNotOf = errors.New("its vectors are not those of the pairs: make them by `sentweave embed --texts` with this very dataset")

// openEmbeddings opens the vectors of pairs. Each shard of embed has the texts of one unit, in their order, so that the units
// of the pairs are cut as those of the embeddings were.
func openEmbeddings(ctx context.Context, location string, pairs *dataset.Manifest) (d *units.Dataset, list []dataset.Unit, err error) {
	if d, err = units.OpenDataset[schemas.Embedding](ctx, location); err != nil {
		return nil, nil, err
	}
	plan := &d.Manifest().Plan
	list = dataset.Pack(pairs.Pieces(plan.ShardBytes), plan.ShardBytes)
	if plan.InputHash("texts") != pairs.Check || len(list) != plan.Units {
		return nil, nil, fmt.Errorf("embeddings %s: %w", d.Location, errNotOf)
	}
	return d, list, nil
}

// vectors gives the cosines of pairs, which come in the order of their vectors.
type vectors struct {
	next func() (schemas.Embedding, error, bool)
	stop func()
}

// openVectors opens those of a unit.
func openVectors(ctx context.Context, embeddings *units.Dataset, unit int) (*vectors, error) {
	folder, err := storage.Locate(embeddings.Location)
	if err != nil {
		return nil, err
	}
	m, shard := embeddings.Manifest(), dataset.Span{Name: dataset.ShardName(unit)}
	for _, piece := range m.WholeShards() {
		if piece.Span.Name == shard.Name {
			shard = piece.Span
		}
	}
	next, stop := iter.Pull2(dataset.SpanRows[schemas.Embedding](ctx, folder, m, shard))
	return &vectors{next, stop}, nil
}

// cosine returns that of both sides of the next pair; it is not a number where a side has no vector.
func (v *vectors) cosine(p schemas.Pair) (float64, error) {
	var sides [][]float32
	for text := range texts.OfPair(p) {
		e, err, ok := v.next()
		if err == nil && (!ok || e.ID != text.EmbeddingID()) {
			err = fmt.Errorf("the vector of %s: %w", text.EmbeddingID(), errNotOf)
		}
		if err != nil {
			return 0, err
		}
		sides = append(sides, e.Vector)
	}
	if len(sides) < 2 || len(sides[0]) != len(sides[1]) || len(sides[0]) == 0 {
		return math.NaN(), nil
	}
	return neighbors.Cosine(sides[0], sides[1]), nil
}
