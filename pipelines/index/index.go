// Package index is the pipeline that makes an inverted-file index of a dataset of embeddings (Sivic and Zisserman, ICCV 2003; as
// IndexIVFFlat of faiss): the centroids of clusters, and for each the list of the vectors that are nearest to it by cosine. Who
// looks for the neighbours of a vector compares it with the vectors of a few lists, and not with all.
//
// # Phases
//
//	draw     vectors of a sample                            vectors
//	cluster  their centroids                                one unit
//	assign   each vector goes to its nearest centroid       vectors
//	write    centroids and lists                            ranges of lists
//
// The unit of cluster holds the sample, of at most sampleBytes. The sample and its first centroids follow from the ids of the rows
// and the seed.
package index

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterSpiller[*drawTask]()
	graph.RegisterSpiller[*clusterTask]()
	graph.RegisterSpiller[*assignTask]()
	graph.RegisterWriter[schemas.InvertedList, *writeTask]()
}

const (
	// iterations of k-means, as many as faiss does for an index.
	iterations = 10
	// samplePerList is how many vectors are drawn for each list, as far as sampleBytes hold them; faiss warns below 39.
	samplePerList = 64
	sampleBytes   = 192 << 20
	// leastSample is how many of them there must be room for.
	leastSample = 8
	// leastUnit is the size of a unit, each of which is handed all centroids.
	leastUnit = 32 << 20
)

// Config is the configuration of the pipeline. The tags are read by the command line; the json names are in plan and manifest.
type Config struct {
	Vectors string `help:"Dataset of embeddings, as embed makes it." placeholder:"DIR" takes:"embedding" group:"Input" required:"" json:"-"`
	Lists   int    `help:"Lists of the index; twice the square root of the number of vectors if not given." placeholder:"N" group:"Index" json:"lists"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Vectors != "", "vectors is empty: give a dataset of embeddings")
	errs.Check(c.Lists >= 0, "lists is %d, it must be at least 1", c.Lists)
	return errs.Err()
}

// Plan lays out the units of the phases.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	rows, err := units.OpenDataset[schemas.Embedding](ctx, c.Vectors)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	dimensions, err := vectors.Dimensions(ctx, rows)
	if err != nil {
		return nil, err
	}
	m := rows.Manifest()
	if c.Lists == 0 {
		c.Lists = int(min(mostLists(dimensions), max(1, min(m.Rows, 2*int64(math.Sqrt(float64(m.Rows)))))))
	}
	switch {
	case int64(c.Lists) > m.Rows:
		return nil, fmt.Errorf("lists is %d, and %s has %d vectors: give fewer lists", c.Lists, c.Vectors, m.Rows)
	case int64(c.Lists) > mostLists(dimensions):
		return nil, fmt.Errorf("lists is %d, at most %d of %d dimensions can be made", c.Lists, mostLists(dimensions), dimensions)
	case m.Rows > math.MaxInt32:
		return nil, fmt.Errorf("%s has %d vectors, at most %d can be indexed", c.Vectors, m.Rows, math.MaxInt32)
	}
	b := graph.New(settings)
	b.Input(m.Input(vectors.Indexed))
	size := b.UnitBytes(m.Bytes, leastUnit)
	packed := dataset.Pack(m.FinePieces(size), size)
	bytes := 4 * int64(dimensions) * m.Rows
	drawing, one, assigning := b.Units(packed), b.Buckets(1), b.Units(packed)
	writing := b.Buckets(min(c.Lists, graph.Bucketing(int(1+bytes/size), 1)))
	work := Work{Rows: rows, Firsts: vectors.FirstRows(m, packed), Dimensions: dimensions, Lists: c.Lists, Buckets: writing.Count}
	share := min(samplePerList*float64(c.Lists), float64(sampleBytes/(4*dimensions))) / float64(m.Rows)
	draw := &drawTask{Work: work, Range: drawing, Share: share, Seed: settings.Seed}
	graph.Spill(b, "draw", drawing, draw, exchange.ToUnits("sample", one))
	graph.Spill(b, "cluster", one, &clusterTask{Work: work, Units: assigning.Count}, exchange.ToUnits("centroids", assigning))
	graph.Spill(b, "assign", assigning, &assignTask{Work: work, Range: assigning}, exchange.ToUnits("lists", writing))
	graph.Write(b, "write", writing, &writeTask{Work: work})
	schema := schemas.InvertedList{}.Schema()
	job, err := b.Job(output, dataset.Draft{Pipeline: "index", PipelineVersion: Version, Schema: schema, Config: c})
	if err != nil {
		return nil, err
	}
	job.Rows, job.Slow = m.Rows, assigning
	job.Operations = 2 * float64(dimensions*c.Lists) * (float64(m.Rows) + iterations*min(1, share)*float64(m.Rows))
	return job, nil
}

// mostLists is the greatest number of lists.
func mostLists(dimensions int) int64 {
	return max(1, sampleBytes/leastSample/int64(4*max(1, dimensions)))
}
