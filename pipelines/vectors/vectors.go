// Package vectors reads the vectors that the stage embed made of the texts of a dataset, beside these texts.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/texts"
)

// Why a vector cannot be taken, beside others of a number of dimensions.
const (
	ReasonDimension = "other_dimension"
	ReasonNotFinite = "not_finite"
	ReasonZero      = "zero_vector"
)

// Role is that of the vectors among the inputs of a plan.
const Role = "embeddings"

// Indexed is the role of vectors among the inputs of the plan of their index.
const Indexed = "vectors"

// ErrOther says that vectors do not belong to the texts.
var ErrOther = errors.New("its vectors are not those of these texts: make them by `sentweave embed --texts` with this very dataset")

// Open opens the vectors that embed made of a dataset, for a plan. Each shard of embed has the texts of one unit, in their order:
// list are these units, of which the rows of the dataset are to be read so that they meet their vectors.
func Open(ctx context.Context, location string, m *dataset.Manifest) (d *units.Dataset, list []dataset.Unit, err error) {
	if d, err = units.OpenDataset[schemas.Embedding](ctx, location); err != nil {
		return nil, nil, err
	}
	plan := &d.Manifest().Plan
	list = dataset.Pack(m.Pieces(plan.ShardBytes), plan.ShardBytes)
	if plan.InputHash("texts") != m.Check || len(list) != plan.Units {
		return nil, nil, fmt.Errorf("embeddings %s: %w", d.Location, ErrOther)
	}
	return d, list, nil
}

// Dimensions returns those of the first vector of a dataset, 0 if that has no rows. Codes of bits alone are an error.
func Dimensions(ctx context.Context, d *units.Dataset) (int, error) {
	for e, err := range units.AllRows[schemas.Embedding](ctx, d) {
		if err != nil {
			return 0, err
		}
		if len(e.Vector) > 0 {
			return len(e.Vector), nil
		}
		return 0, fmt.Errorf("embeddings %s has codes of bits and no vectors", d.Location)
	}
	return 0, nil
}

// FirstRows returns the numbers of the first rows of the units that read a dataset, and at the end the number of rows.
func FirstRows(m *dataset.Manifest, list []dataset.Unit) []uint32 {
	rows, firsts := uint32(0), []uint32{0}
	for _, u := range list {
		for _, span := range u.Spans {
			rows += uint32(m.RowsOf(span))
		}
		firsts = append(firsts, rows)
	}
	return firsts
}

// Reader gives the vectors of texts, which come in the order of their vectors.
type Reader struct {
	next func() (schemas.Embedding, error, bool)
	// Stop ends the reading.
	Stop func()
}

// Read reads the shards of the units from first to before end.
func Read(ctx context.Context, d *units.Dataset, first, end int) (*Reader, error) {
	folder, err := storage.Locate(d.Location)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(func(yield func(schemas.Embedding, error) bool) {
		m := d.Manifest()
		shards := m.WholeShards()
		for unit := first; unit < end; unit++ {
			i := slices.IndexFunc(shards, func(p dataset.Piece) bool { return p.Span.Name == dataset.ShardName(unit) })
			if i < 0 {
				continue // it has no rows
			}
			for e, err := range dataset.SpanRows[schemas.Embedding](ctx, folder, m, shards[i].Span) {
				if !yield(e, err) {
					return
				}
			}
		}
	})
	return &Reader{next, stop}, nil
}

// Next returns the vector of the next text. It is an error if that is not the next one of those that embed has read.
func (r *Reader) Next(text texts.Text) ([]float32, error) {
	e, err, ok := r.next()
	if err == nil && (!ok || e.ID != text.EmbeddingID()) {
		err = fmt.Errorf("the vector of %s: %w", text.EmbeddingID(), ErrOther)
	}
	return e.Vector, err
}

// Unusable says why a vector cannot be taken beside others of so many dimensions, "" if it can.
func Unusable(vector []float32, dimensions int) string {
	switch {
	case len(vector) != dimensions:
		return ReasonDimension
	case schemas.Infinite(vector) >= 0:
		return ReasonNotFinite
	case !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }):
		return ReasonZero
	}
	return ""
}
