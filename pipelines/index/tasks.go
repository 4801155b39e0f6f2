package index

import (
	"context"
	"encoding/binary"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// Work is what all tasks know.
type Work struct {
	Rows                       *units.Dataset
	Firsts                     []uint32 // numbers of the first rows of the units
	Dimensions, Lists, Buckets int
	graph.Nothing
}

const (
	chainVectors = "vectors"
	stepIndex    = "index"
)

// Chains implements graph.Task.
func (w *Work) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainVectors, stepIndex)}
}

// Setup implements graph.Task.
func (w *Work) Setup(ctx context.Context) error { return units.Reopen[schemas.Embedding](ctx, w.Rows) }

// each calls use for each row of the n-th unit that reads rows, and says why its vector cannot be taken.
func (w *Work) each(ctx context.Context, unit graph.Unit, n int, use func(row uint32, e *schemas.Embedding, reason string) error) error {
	row := w.Firsts[n]
	return units.DatasetRows(ctx, w.Rows, unit.Unit, func(e schemas.Embedding) error {
		row++
		return use(row-1, &e, vectors.Unusable(e.Vector, w.Dimensions))
	})
}

// drawTask spills the vectors of the sample, in an order that is drawn.
type drawTask struct {
	Work
	units.Range
	Share float64
	Seed  uint64
}

// Spill implements graph.Spiller.
func (t *drawTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key, value []byte
	return t.each(ctx, unit, unit.Ordinal-t.First, func(row uint32, e *schemas.Embedding, reason string) error {
		stream := random.New(Version, t.Seed, "sample", e.ID, 0)
		if reason != "" || !stream.Bool(t.Share) {
			return nil
		}
		key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(exchange.UnitKey(key[:0], 0), stream.Uint64()), row)
		value = schemas.AppendFloats(value[:0], e.Vector)
		return output.Add(key, value)
	})
}

// clusterTask tells all units that assign the centroids of the sample, whose first vectors are the first centroids.
type clusterTask struct {
	Work
	Units int
}

// Setup implements graph.Task: the datasets are not read.
func (t *clusterTask) Setup(context.Context) error { return nil }

// Spill implements graph.Spiller.
func (t *clusterTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	points, err := t.matrix(ctx, unit)
	if err != nil {
		return err
	}
	if points.Rows() < t.Lists {
		return fmt.Errorf("lists is %d, and only %d vectors can be taken: give fewer lists; the rejects of the embeddings tell of others",
			t.Lists, points.Rows())
	}
	gauge := units.GaugeOf(ctx)
	gauge.Expect(iterations)
	first := neighbors.Matrix{Data: points.Data[:t.Lists*t.Dimensions], Dim: t.Dimensions}
	centroids, err := neighbors.Centroids(ctx, points, first, iterations, func() { gauge.Add(1) })
	if err != nil {
		return err
	}
	for n := range t.Units {
		if err := tell(output, exchange.UnitKey(nil, n), centroids); err != nil {
			return err
		}
	}
	return nil
}

// matrix reads the vectors that are spilled for a unit.
func (w *Work) matrix(ctx context.Context, unit graph.Unit) (neighbors.Matrix, error) {
	m := neighbors.Matrix{Dim: w.Dimensions}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return m, err
		}
		m.Data = schemas.Floats(m.Data, record.Value)
	}
	return m, nil
}

// tell spills centroids by their numbers.
func tell(output *exchange.Output, prefix []byte, centroids neighbors.Matrix) error {
	var key, value []byte
	for i := range centroids.Rows() {
		key = binary.BigEndian.AppendUint32(append(key[:0], prefix...), uint32(i))
		value = schemas.AppendFloats(value[:0], centroids.Row(i))
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// Parts of what is spilled for writeTask, in their order.
const (
	partCentroids = iota
	partLists
)

// assignTask spills the vectors of a unit by their lists.
type assignTask struct {
	Work
	units.Range
}

// assigned is how many vectors are compared with the centroids at once.
const assigned = 4096

// Spill implements graph.Spiller.
func (t *assignTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	centroids, err := t.matrix(ctx, unit)
	if err != nil {
		return err
	}
	if unit.Ordinal == t.First {
		if err := tell(output, append(exchange.UnitKey(nil, 0), partCentroids), centroids); err != nil {
			return err
		}
	}
	index, err := neighbors.NewIndex(centroids, neighbors.ByCosine)
	if err != nil {
		return err
	}
	block, rows := neighbors.Matrix{Dim: t.Dimensions}, []uint32{}
	var key, value []byte
	assign := func() error {
		nearest, err := index.Nearest(ctx, block, neighbors.Options{Workers: 1})
		if err != nil {
			return err
		}
		for i, m := range nearest {
			key = append(exchange.UnitKey(key[:0], m.Index*t.Buckets/t.Lists), partLists)
			key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, uint32(m.Index)), rows[i])
			value = schemas.AppendFloats(value[:0], block.Row(i))
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		block.Data, rows = block.Data[:0], rows[:0]
		return nil
	}
	err = t.each(ctx, unit, unit.Ordinal-t.First, func(row uint32, e *schemas.Embedding, reason string) error {
		if reason != "" {
			if output.Rejects().Wants(stepIndex, reason, e.Language, e.ID) {
				output.Rejects().Add(schemas.Reject{ID: e.ID, Offset: int64(row), Step: stepIndex, Reason: reason, Language: e.Language,
					Sample: e.Text})
			}
			return output.Funnel().Drop(chainVectors, e.Language, stepIndex, reason, 1)
		}
		block.Data, rows = append(block.Data, e.Vector...), append(rows, row)
		if err := output.Funnel().Keep(chainVectors, e.Language, 1); err != nil || len(rows) < assigned {
			return err
		}
		return assign()
	})
	if err != nil {
		return err
	}
	return assign()
}

// writeTask writes a range of lists, and in the first unit the centroids.
type writeTask struct{ Work }

// Setup implements graph.Task: the datasets are not read.
func (t *writeTask) Setup(context.Context) error { return nil }

// Write implements graph.Writer.
func (t *writeTask) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.InvertedList]) error {
	var list schemas.InvertedList
	write := func() error {
		if len(list.Vectors) == 0 {
			return nil
		}
		err := attempt.Write(ctx, list)
		list.Rows, list.Vectors = list.Rows[:0], list.Vectors[:0]
		return err
	}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		number := int32(binary.BigEndian.Uint32(record.Key[5:]))
		if number != list.List || len(list.Rows) == 0 || len(list.Vectors)+len(record.Value) > 4*schemas.MostListNumbers {
			if err := write(); err != nil {
				return err
			}
		}
		list.List, list.Vectors = number, append(list.Vectors, record.Value...)
		if record.Key[4] == partLists {
			list.Rows = append(list.Rows, int32(binary.BigEndian.Uint32(record.Key[9:])))
		}
	}
	return write()
}
